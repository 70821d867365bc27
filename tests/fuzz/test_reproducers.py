"""Reproducers come back as they were written, are repeated, and become scenarios; other files are told apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli import fuzz_run as fuzz
from harness.errors import BadInput
from harness.fuzz.adopt import adopt
from harness.fuzz.chunks import Found
from harness.fuzz.reproducer import example_of, read, reproducers, write
from tests.fuzz.toy import Word


def found(target: str | None = "drops-x", text: str = "x", campaign: str = "toy") -> Found:
    return Found(campaign, target, "length", "1", "0", {"text": text}, "toy/drawn-0")


def test_a_reproducer_comes_back(toy: str, tmp_path: Path) -> None:
    path = write(found(text="\ud83d x"), tmp_path / "new")
    assert path.name == "toy-length.json"
    again = read(path)
    assert again == Found(toy, "drops-x", "length", "1", "0", {"text": "\ud83d x"})
    assert example_of(again, path) == Word("\ud83d x")


def test_a_rule_as_an_oracle_has_a_file_of_its_own(toy: str, tmp_path: Path) -> None:
    told = Found(toy, None, "order/one-end", "1", "0", {"text": "x"})
    path = write(told, tmp_path)
    assert path == tmp_path / "toy-order-one-end.json"
    (scenario,) = adopt(path, tmp_path / "kept")
    assert scenario.parent == tmp_path / "kept"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a reproducer in JSON"),
        ("[" * 100_000, "expected a reproducer in JSON"),
        ("[]", 'with "format": 1'),
        ('{"format": 2}', 'with "format": 1'),
        ('{"format": 1, "campaign": 3}', "expected a text under 'campaign', got 3"),
        ('{"format": 1, "campaign": "no", "oracle": "", "expected": "", "got": ""}', "expected one of the campaigns"),
        (
            '{"format": 1, "campaign": "toy", "oracle": "", "expected": "", "got": "", "target": 1}',
            "expected a text or null under 'target'",
        ),
        (
            '{"format": 1, "campaign": "toy", "oracle": "", "expected": "", "got": "", "example": []}',
            "expected an object under 'example'",
        ),
    ],
)
def test_any_other_file_is_told(toy: str, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=r"x\.json: ") as told:
        read(path)
    assert message in str(told.value)


def test_an_example_of_nobody_is_told(toy: str, tmp_path: Path) -> None:
    path = write(Found(toy, None, "length", "1", "0", {"text": 3}), tmp_path)
    with pytest.raises(BadInput, match="no example of the campaign 'toy': expected a text"):
        example_of(read(path), path)


def test_a_folder_stands_for_its_reproducers(tmp_path: Path) -> None:
    paths = [write(found(campaign=name), tmp_path) for name in ("toy", "arguments")]
    assert sorted(reproducers([tmp_path])) == sorted(paths)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="no reproducer"):
        list(reproducers([tmp_path / "empty"]))


def test_a_replay_says_what_is_so_now(toy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(found(), tmp_path)
    assert fuzz.replay([path], None) == 1
    assert "toy, length: still falsified: length: expected 1, got 0" in capsys.readouterr().out
    assert fuzz.replay([path], "raises") == 0
    assert "no oracle objects any longer" in capsys.readouterr().out
    other = write(found("raises", "z"), tmp_path)
    assert fuzz.replay([other], None) == 1
    assert "now falsified: raises: expected no exception" in capsys.readouterr().out


def test_a_reproducer_becomes_a_scenario(toy: str, tmp_path: Path) -> None:
    path = write(found(), tmp_path)
    (scenario,) = adopt(path, tmp_path / "kept")
    assert scenario.read_text() == "# Found by fuzzing: As long as it came.\nx\n"
    assert adopt(path, tmp_path / "kept") == [scenario], "the same one is the same one"


def test_nothing_is_written_over(toy: str, tmp_path: Path) -> None:
    path = write(found(), tmp_path)
    (scenario,) = adopt(path, tmp_path / "kept")
    scenario.write_text("changed by hand")
    with pytest.raises(BadInput, match="is there already and says something else"):
        adopt(path, tmp_path / "kept")
    assert scenario.read_text() == "changed by hand"


def test_what_no_scenario_can_say_is_told(toy: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no scenario can say this"):
        adopt(write(found(text=""), tmp_path), tmp_path / "kept")


def test_a_reproducer_is_json_that_anybody_can_read(toy: str, tmp_path: Path) -> None:
    document = json.loads(write(found(), tmp_path).read_text(encoding="ascii"))
    assert document["format"] == 1
    assert document["example"] == {"text": "x"}
