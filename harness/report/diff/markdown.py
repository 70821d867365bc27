"""A comparison in Markdown. Texts of others are put in code, so that they cannot contain Markdown or HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import indent

from harness.report.diff.summary import ComparisonSummary, Group, Item, Section
from harness.report.marked import code, fenced


def markdown(summary: ComparisonSummary) -> str:
    """The comparison as a document that begins with its totals."""
    lines = [f"## {summary.last}", "", *(f"- {_code(label)} {_code(text)}" for label, text in summary.head)]
    lines += [line for section in summary.sections for line in _section(section)]
    return "\n".join(lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    yield from ("", f"### {section.title}", "")
    for group in section.groups:
        yield from _group(group)
    if section.more:
        yield from ("", section.more)


def _group(group: Group) -> Iterator[str]:
    if group.title:
        yield from ("", f"#### {_code(group.title)}", "")
    for item in group.items:
        yield from _item(item)
    if group.more:
        yield from ("", _code(group.more), "")


def _item(item: Item) -> Iterator[str]:
    yield f"- **{_code(item.title)}** {_code(item.note) if item.note else ''}"
    for label, text in item.facts:
        if label != "repeat":
            yield f"  - {label}: {_code(text)}"
    yield from _code_block("diff", item.diff)
    yield from _code_block("sh", (text for label, text in item.facts if label == "repeat"))


def _code_block(language: str, lines: Iterable[str]) -> Iterator[str]:
    """The lines in a block that belongs to an item of a list."""
    text = "\n".join([line.replace("\n", " ⏎ ") for line in lines])
    if text:
        yield from ("", indent(fenced(language, text), "  "), "")


def _code(text: str) -> str:
    return code(text) or "(nothing)"
