"""What was measured is kept for the next run, as long as it is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_lab.mutation.covering import KeptCoverage

MEASURED = {"items": ["a case"], "seconds": [0.1], "lines": {}, "faults": [], "modules": []}


def kept(root: Path, items: str = "all") -> KeptCoverage:
    return KeptCoverage(root / "reports" / "coverage.json", root, items)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("harness/loop.py", "scenarios/universal/calls.yaml", "docs/page.md"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("one")
    kept(tmp_path).write(MEASURED)
    return tmp_path


def test_it_is_read_again(root: Path) -> None:
    (root / "docs/page.md").write_text("two")
    assert kept(root).read() == MEASURED


def test_nothing_is_read_where_nothing_was_kept(tmp_path: Path) -> None:
    assert kept(tmp_path).read() is None


@pytest.mark.parametrize("name", ["harness/loop.py", "scenarios/universal/calls.yaml", "harness_lab/new.py"])
def test_a_change_of_code_or_scenarios_ends_it(root: Path, name: str) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("two")
    assert kept(root).read() is None


def test_it_is_of_its_items_alone(root: Path) -> None:
    assert kept(root, "the first 700").read() is None


@pytest.mark.parametrize("text", ["", "[]", '{"of": "x"}', "{"])
def test_another_file_is_none(root: Path, text: str) -> None:
    (root / "reports" / "coverage.json").write_text(text)
    assert kept(root).read() is None
