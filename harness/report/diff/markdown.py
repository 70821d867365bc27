"""A comparison in Markdown. All that anybody else has written stands in code, where no Markdown and no HTML is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from harness.report.diff.told import Group, Item, Section, Told
from harness.report.visible import visible

__all__ = ["markdown"]


def markdown(told: Told) -> str:
    """The comparison as a document that begins with its sum."""
    lines = [f"## {told.last}", "", *(f"- {_code(label)} {_code(text)}" for label, text in told.head)]
    lines += [line for section in told.sections for line in _section(section)]
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
    yield from _fenced("diff", item.diff)
    yield from _fenced("sh", (text for label, text in item.facts if label == "repeat"))


def _fenced(language: str, lines: Iterable[str]) -> Iterator[str]:
    text = "\n".join(f"  {_in_line(line)}" for line in lines)
    if text:
        fence = _fence(text, 3)
        yield from ("", f"  {fence}{language}", text, f"  {fence}", "")


def _code(text: str) -> str:
    """Text in a code span."""
    line = _in_line(text)
    if not line.strip():
        return "(nothing)"
    fence = _fence(line, 1)
    return f"{fence} {line} {fence}" if line[0] in "` " or line[-1] in "` " else f"{fence}{line}{fence}"


def _fence(text: str, least: int) -> str:
    """More backticks than stand together anywhere in the text."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])


def _in_line(text: str) -> str:
    return visible(text).replace("\n", " ⏎ ")
