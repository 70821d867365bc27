"""A mistyped function of a target, found in the source before anything is run or imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.targets.function import undefined
from tests.commands import called

SOURCE = """
import sys
if sys.version_info > (3,):
    async def run(assignment): ...
else:
    run_old = None
try:
    from a import b as imported
except ImportError:
    imported = None
class Agent:
    def run(self, assignment): ...
(made, *others) = [print]
raise SystemExit("nobody imports this")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agent_of_mine.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["run", "run_old", "imported", "Agent", "Agent.run", "made", "others"])
def test_what_a_module_binds_is_there(folder: Path, name: str) -> None:
    assert undefined(f"agent_of_mine:{name}", folder) == ""


def test_anything_else_is_not(folder: Path) -> None:
    place = folder / "agent_of_mine.py"
    assert undefined("agent_of_mine:ruun", folder) == f"{place} defines no 'ruun'; did you mean agent_of_mine:run?"
    assert undefined("agent_of_mine:x", folder) == f"{place} defines no 'x'; name a function or a class of this module"


@pytest.mark.parametrize(
    "source",
    ["from elsewhere import *", "def __getattr__(name): ...", "def run(: pass", "globals()['ruun'] = print"],
)
def test_where_only_an_import_can_say_nothing_is_said(folder: Path, source: str) -> None:
    (folder / "agent_of_mine.py").write_text(source, encoding="utf-8")
    assert undefined("agent_of_mine:ruun", folder) == ""


def test_a_run_says_so_before_any_case(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    (folder / "target.yaml").write_text("target: mine\npython: agent_of_mine:ruun\n", encoding="utf-8")
    for target, place in (
        ("agent_of_mine:ruun", "--target agent_of_mine:ruun: "),
        ("target.yaml", "target.yaml:2:9: "),
    ):
        printed = called(capsys, "run", "-q", "--target", target)
        assert (printed.code, printed.out) == (2, "")
        assert printed.err.startswith(f"error: {place}")
        assert printed.err.endswith("defines no 'ruun'; did you mean agent_of_mine:run?\n")
