"""What can be imported before any fork: nothing that imports what is mutated."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_lab.mutation.importing import importable, independent

SOURCES = {
    "town/__init__.py": "",
    "town/rules/__init__.py": "",
    "town/rules/tax.py": "RATE = 2\n",
    "town/roads.py": "import json\n",
    "town/hall.py": "from town import roads\nfrom town.rules.tax import RATE\n",
    "town/gate.py": "import town.hall\n",
    "town/inn.py": "def pay():\n    from town.rules.tax import RATE\n    return RATE\n",
    "town/mill.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from town.rules import tax\n",
    "town/well.py": "try:\n    from town.rules import tax\nexcept ImportError:\n    pass\n",
    "town/bank/__init__.py": "from town import hall\n",
    "town/bank/vault.py": "",
}


BY_CALL = {
    "isle/__init__.py": "",
    "isle/port.py": "PORT = 1\n",
    "isle/tower.py": "from importlib import import_module\nimport_module('isle.port')\n",
    "isle/bridge.py": "from isle import tower\n",
    "isle/shore.py": "",
}


def written(folder: Path, sources: dict[str, str]) -> list[str]:
    """The names of modules that are written into ``folder``."""
    for name, source in sources.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")
    return [name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in sources]


def test_what_imports_a_mutated_module_is_left_out(tmp_path: Path) -> None:
    modules = written(tmp_path, SOURCES)
    found = independent(tmp_path, [*modules, "json"], {"town.rules.tax"})
    assert found == ["town", "town.rules", "town.roads", "town.inn", "town.mill"]


def test_what_imports_a_mutated_module_by_a_call_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modules = written(tmp_path, BY_CALL)
    monkeypatch.syspath_prepend(tmp_path)
    assert independent(tmp_path, modules, {"isle.port"}) == ["isle", "isle.tower", "isle.bridge", "isle.shore"]
    assert importable(tmp_path, modules, {"isle.port"}) == ["isle", "isle.shore"]
