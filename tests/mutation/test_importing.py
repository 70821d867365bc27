"""What can be imported before any fork: nothing that imports what is mutated."""

from __future__ import annotations

from pathlib import Path

from harness_lab.mutation.importing import independent

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


def test_what_imports_a_mutated_module_is_left_out(tmp_path: Path) -> None:
    for name, source in SOURCES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")
    modules = [name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in SOURCES]
    found = independent(tmp_path, [*modules, "json"], {"town.rules.tax"})
    assert found == ["town", "town.rules", "town.roads", "town.inn", "town.mill"]
