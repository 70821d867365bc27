"""The words that a newcomer has to learn are few, and what the map of the code names is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_WORDS = 25

_ROW = re.compile(r"^\| (?!word|what|---)(.*?) \| .*\|$", re.MULTILINE)


def rows(page: str, heading: str) -> list[str]:
    """The first cells of the tables of a section."""
    _, _, section = page.partition(f"# {heading}\n")
    return _ROW.findall(section.partition("\n## ")[0])


def classes() -> set[str]:
    """The names that modules of both packages define at their top level."""
    files: Iterable[Path] = [*(ROOT / "harness").rglob("*.py"), *(ROOT / "harness_lab").rglob("*.py")]
    trees = (ast.parse(each.read_text(encoding="utf-8")) for each in files if "node_modules" not in each.parts)
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}


def unknown(page: str, known: set[str]) -> list[str]:
    """The classes that a page's map names and nobody defines."""
    named = re.findall(r"`([A-Z][A-Za-z]+)`", "\n".join(rows(page, "Where things are")))
    assert named
    return [name for name in named if name not in known]


def test_the_glossary_is_short() -> None:
    words = rows((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), "Glossary")
    assert 15 < len(words) <= MOST_WORDS
    assert len(set(words)) == len(words)


def test_the_map_names_what_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    # A step is one of several classes.
    assert unknown(page, classes() | {"Step"}) == []
    assert unknown("## Where things are\n\n| what | where |\n|---|---|\n| a `Gone` and a `Wire` | x |\n", {"Wire"}) == [
        "Gone"
    ]
