"""Programs of other people, each under ``harness serve -- COMMAND``: right ones have no finding, wrong ones the first.

``programs/`` has them, and ``programs.yaml`` what each of them is. They know nothing of the harness, and it knows
nothing of them: they find the endpoint as any program does, and run as children over loopback HTTP.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.first_contact.judge import planted
from tests.first_contact.serving import Served, served

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
TABLE: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "programs.yaml").read_text(encoding="utf-8"))
NEEDS = {".mjs": "node", ".sh": "jq"}


def serve(kind: str, name: str, folder: Path) -> Served:
    """Serve one program to its end. Skips the test where this machine has nothing that runs it."""
    if (needed := NEEDS.get(Path(name).suffix)) and shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    entry = TABLE[kind][name]
    if "change" not in entry:
        return served(PROGRAMS / name, folder)
    program = folder / entry["of"]
    program.write_text(planted((PROGRAMS / entry["of"]).read_text(encoding="utf-8"), entry["change"]), encoding="utf-8")
    shutil.copy(PROGRAMS / "plain.py", folder)
    return served(program, folder)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", TABLE["right"])
def test_a_right_program_has_no_finding(name: str, tmp_path: Path) -> None:
    found = serve("right", name, tmp_path)
    assert (found.code, found.causes) == (0, []), found.printed


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", TABLE["faulty"])
def test_a_planted_fault_is_named_first_and_nothing_else_is(name: str, tmp_path: Path) -> None:
    entry = TABLE["faulty"][name]
    found = serve("faulty", name, tmp_path)
    if entry["rules"]:
        assert found.causes, found.printed
        assert set(found.causes[0]) & set(entry["rules"]), found.printed
    assert {rule for rules in found.causes for rule in rules} <= set(entry["rules"]), found.printed
    assert found.code == (1 if entry["rules"] else 0), found.printed
    notes = [line for line in found.printed.splitlines() if line.startswith("note: ")]
    assert "note" not in entry or any(entry["note"] in note for note in notes), found.printed


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", TABLE["debated"])
def test_what_is_debated_breaks_no_rule_beside_that(name: str, tmp_path: Path) -> None:
    found = serve("debated", name, tmp_path)
    assert {rule for rules in found.causes for rule in rules} <= set(TABLE["debated"][name]["rules"]), found.printed


def test_the_table_has_every_program_once() -> None:
    listed = [name for kind in TABLE.values() for name, entry in kind.items() if "change" not in entry]
    helpers = {"plain.py"}
    assert sorted(listed) == sorted({path.name for path in PROGRAMS.iterdir() if path.is_file()} - helpers)
    assert (len(TABLE["right"]) >= 40, len(TABLE["faulty"]) >= 20) == (True, True)
