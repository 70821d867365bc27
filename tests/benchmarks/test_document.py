"""Tables are put between their markers, and the rest of the document stays byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.tracking.command import NAMES
from benchmarks.tracking.document import Document
from harness.errors import BadInput

ROOT = Path(__file__).parents[2]

BEFORE = b"# T\xc3\xa9tle\r\n\r\n<!-- figures: one -->\nold\n<!-- end -->\n"
BETWEEN = b"  prose | stays\t\n<!-- other -->\n"
AFTER = b"<!-- figures: two -->\n<!-- end -->\nno line feed at the end"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "document.md").write_bytes(BEFORE + BETWEEN + AFTER)
    return tmp_path / "document.md"


def test_what_is_outside_stays_byte_for_byte(path: Path) -> None:
    Document(path).put("one", "| new |\n")
    assert path.read_bytes() == BEFORE.replace(b"old\n", b"\n| new |\n\n") + BETWEEN + AFTER
    Document(path).put("two", "| more |\n")
    head, _, rest = path.read_bytes().partition(BETWEEN)
    assert head == BEFORE.replace(b"old\n", b"\n| new |\n\n")
    assert rest == AFTER.replace(b"two -->\n", b"two -->\n\n| more |\n\n")


def test_putting_the_same_again_changes_nothing(path: Path) -> None:
    Document(path).put("one", "| new |\n")
    once = path.read_bytes()
    Document(path).put("one", "| new |\n")
    assert path.read_bytes() == once


def test_names_come_in_the_order_of_the_document(path: Path) -> None:
    assert Document(path).names == ["one", "two"]


def test_a_name_without_markers_is_refused_and_nothing_is_written(path: Path) -> None:
    with pytest.raises(BadInput, match="expected a line <!-- figures: three -->, got none"):
        Document(path).put("three", "| new |\n")
    assert path.read_bytes() == BEFORE + BETWEEN + AFTER


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- figures: one -->\n", "expected a line <!-- end --> behind <!-- figures: one -->"),
        ("<!-- figures: one -->\n<!-- figures: two -->\n<!-- end -->\n", "expected a line <!-- end --> behind"),
        ("<!-- figures: one -->\n<!-- end -->\n" * 2, "once, got it 2 times"),
    ],
)
def test_wrong_markers_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "document.md").write_text(text)
    with pytest.raises(BadInput, match=message):
        Document(tmp_path / "document.md")


def test_a_document_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        Document(tmp_path / "none.md")


# --- the document of the project ------------------------------------------------------------------------------


def test_every_benchmark_has_its_markers_and_every_marker_a_benchmark() -> None:
    assert sorted(Document(ROOT / "docs" / "performance.md").names) == sorted(("machine", *NAMES))


def test_every_module_of_the_package_is_a_benchmark() -> None:
    modules = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert modules - {"__init__", "__main__"} == set(NAMES)
