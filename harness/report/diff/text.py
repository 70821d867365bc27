"""A comparison on a terminal, or in a text file: control characters become visible, markup is not interpreted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.report.diff.summary import ComparisonSummary, Item, Tone
from harness.report.visible import beneath, in_line

_STYLES: Final[dict[Tone, str]] = {"bad": "bold red", "good": "bold green", "plain": "bold"}
_SIGNS: Final = {"+": "green", "-": "red"}

Line = tuple[str, str]
"""A text, which may have several lines, and its style as rich names it."""


def lines(summary: ComparisonSummary) -> Iterator[Line]:
    """The comparison, line by line."""
    for label, text in summary.head:
        yield f"{in_line(label):9} {in_line(text)}", ""
    for section in summary.sections:
        yield f"\n{section.title}", _STYLES[section.tone]
        for group in section.groups:
            if group.title:
                yield f"  {in_line(group.title)}", "bold"
            for item in group.items:
                yield from _item(item)
            if group.more:
                yield f"    {in_line(group.more)}", ""
        if section.more:
            yield f"  {section.more}", ""
    yield f"\n{summary.last}" if summary.sections else summary.last, _STYLES[summary.tone]


def _item(item: Item) -> Iterator[Line]:
    if len(item.facts) == 1 and not item.diff:
        ((label, text),) = item.facts
        yield f"    {in_line(item.title)}  {in_line(item.note)}  {label} {in_line(text)}", ""
        return
    yield f"    {in_line(item.title)}  {in_line(item.note)}", ""
    repeat = [fact for fact in item.facts if fact[0] == "repeat"]
    yield from (_fact(*fact) for fact in item.facts if fact not in repeat)
    yield from ((f"      | {in_line(line)}", _SIGNS.get(line[:1], "")) for line in item.diff)
    yield from (_fact(*fact) for fact in repeat)


def _fact(label: str, text: str) -> Line:
    return f"      {label:9} {beneath(text, 16)}", ""
