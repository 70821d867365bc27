"""The figures of drawn loops: those of the first run of a seed, which nobody runs again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness_lab.freedoms import figures

SEEN = {"kind": "broken", "seed": 1, "day": "2026-11-29", "loops": 9, "found": "100.0%"}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "figures.jsonl"
    path.write_text(json.dumps(SEEN) + "\n", encoding="utf-8")
    monkeypatch.setattr(figures, "FILE", path)
    monkeypatch.setitem(figures.KINDS, "broken", lambda seed, count: (["a miss"], {"loops": count, "found": "50.0%"}))
    return path


def test_a_seed_that_was_run_is_not_run_again(file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="seed 1 of broken loops has been seen"):
        list(figures.measure("broken", 1, 4))
    assert file.read_text(encoding="utf-8") == before


def test_a_new_seed_adds_its_row_to_the_page(file: Path) -> None:
    assert list(figures.measure("broken", 2, 4)) == ["a miss", "broken loops of seed 2: loops 4, found 50.0%"]
    assert figures.is_good("broken", 1)
    assert not figures.is_good("broken", 2)
    kinds = [json.loads(line)["seed"] for line in file.read_text(encoding="utf-8").splitlines()]
    assert kinds == [1, 2]
    rows = [line.split(" | ") for line in figures.page() if line.startswith("| ")]
    assert [row[0] for row in rows if row[0] != "|"][-2:] == ["| 1", "| 2"]


def test_a_seed_of_one_kind_is_fresh_for_the_other(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(figures.KINDS, "right", lambda seed, count: ([], {"loops": count, "MUST": seed}))
    assert list(figures.measure("right", 1, 6)) == ["right loops of seed 1: loops 6, MUST 1"]
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2
    assert not figures.is_good("right", 1)
