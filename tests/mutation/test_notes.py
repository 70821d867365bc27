"""The table of what is known of mutants: each entry has one reason, and a mutant."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness.errors import BadInput
from harness_lab.mutation import command
from harness_lab.mutation.mutants import mutants_of
from harness_lab.mutation.notes import gone, read_notes
from harness_lab.mutation.subjects import SUBJECTS

ROOT = Path(__file__).resolve().parents[2]
ENTRY = {
    "path": "planted.py",
    "qualname": "f",
    "operator": "compare",
    "line": "return a == 1",
    "change": "(a != 1)",
    "equivalent": "Nobody calls it.",
}


def written(tmp_path: Path, *entries: object) -> Path:
    path = tmp_path / "notes.yaml"
    path.write_text(yaml.safe_dump(list(entries)))
    return path


def test_a_note_whose_mutant_is_gone_is_reported(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("def f(a):\n    return a == 1\n")
    notes = read_notes(written(tmp_path, ENTRY, {**ENTRY, "line": "return a == 2"}))
    (left,) = gone(notes.values(), mutants_of(tmp_path, ["planted.py"]))
    assert left.key.line == "return a == 2"


@pytest.mark.exhaustive
def test_every_shipped_note_has_its_mutant() -> None:
    notes = read_notes()
    mutants = [each for subject in SUBJECTS.values() for each in mutants_of(ROOT, subject.paths(ROOT))]
    assert gone(notes.values(), mutants) == []


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({**ENTRY, "wanted": "a rule"}, "expected one of 'equivalent' and 'wanted', with a reason"),
        ({**ENTRY, "equivalent": ""}, "expected one of 'equivalent' and 'wanted', with a reason"),
        ({**ENTRY, "lineno": 3}, "lineno: expected only"),
        ({key: value for key, value in ENTRY.items() if key != "line"}, "expected a text for line"),
        ("a word", "expected path, qualname"),
    ],
)
def test_a_note_that_says_too_little_or_too_much_is_bad_input(tmp_path: Path, entry: object, problem: str) -> None:
    with pytest.raises(BadInput, match="note 1") as raised:
        read_notes(written(tmp_path, entry))
    assert problem in str(raised.value)


def test_a_mutant_has_one_note(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is there twice"):
        read_notes(written(tmp_path, ENTRY, {**ENTRY, "equivalent": "Another reason."}))


def test_the_command_lists_mutants_as_notes_have_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["loop", "--sample", "3", "--list"]) == 0
    listed = yaml.safe_load(capsys.readouterr().out)
    assert len(listed) == 3
    assert {"id", "place", "path", "qualname", "operator", "line", "change"} <= set(listed[0])
