"""A history on a terminal and in Markdown: for each target the trends, then its latest runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import Final

from harness.report.history.model import PastRun, RunHistory
from harness.report.marked import cell, fenced
from harness.report.visible import cut, in_line, named

BLOCKS: Final = "▁▂▃▄▅▆▇█"
PLAIN: Final = "_.-~=+*#"
"""Levels of a sparkline, for a terminal that cannot show the others."""

MOST_RUNS: Final = 40
"""How many runs a trend shows: the latest."""

_MOST_LISTED: Final = 12
_MOST_RULES: Final = 10
_MOST_UNREAD: Final = 3
_LONGEST: Final = 1_000
"""Characters of a problem."""

COLUMNS: Final[tuple[tuple[str, Callable[[PastRun], object]], ...]] = (
    ("started", lambda run: run.started[:16].replace("T", " ")),
    ("cases", lambda run: f"{run.cases:,}"),
    ("pass", lambda run: run.totals.get("pass", 0)),
    ("fail", lambda run: run.totals.get("fail", 0)),
    ("error", lambda run: run.totals.get("error", 0)),
    ("xfail", lambda run: run.totals.get("xfail", 0)),
    ("skip", lambda run: run.totals.get("skip", 0)),
    ("new", lambda run: len(run.new)),
    ("fixed", lambda run: len(run.fixed)),
    ("seconds", lambda run: f"{run.seconds:,.1f}"),
    ("folder", lambda run: run.folder + ("" if run.complete else " (interrupted)")),
)
"""The columns of a table of runs: name, and function for the content."""


def text(history: RunHistory, levels: str = BLOCKS) -> str:
    """The history in lines of text; ``levels`` are the characters of sparklines, from low to high."""
    lines: list[str] = []
    for target, runs in history.targets.items():
        lines += [
            f"{named(target)}  {number(runs)}, {named(_days(runs))}",
            *(f"  {line}" for line in _trends(runs, levels)),
        ]
        lines += [*(f"  {line}" for line in _table(runs)), ""]
    lines += _unread(history)
    return "\n".join(lines).rstrip() + "\n"


def markdown(history: RunHistory) -> str:
    """The history as a document. Texts of others are put in code."""
    lines: list[str] = []
    for target, runs in history.targets.items():
        trends = "\n".join(_trends(runs, BLOCKS))
        lines += [f"## {cell(named(target))}, {number(runs)}, {cell(_days(runs))}", "", fenced("text", trends), ""]
        lines += [*_marked_table(runs), ""]
    lines += [f"- {cell(line)}" for line in _unread(history)]
    return "\n".join(lines).rstrip() + "\n"


def sparkline(values: Sequence[float], levels: str = BLOCKS) -> str:
    """One character for each value: the lowest for nothing, the highest for the greatest of them."""
    most = max(values, default=0)
    if most <= 0:
        return levels[0] * len(values)
    return "".join(levels[ceil(value / most * (len(levels) - 1))] for value in values)


def _unread(history: RunHistory) -> list[str]:
    """The first folders that could not be read, and how many there are, in a line each."""
    left = len(history.unread) - _MOST_UNREAD
    lines = [f"not read: {in_line(cut(each, _LONGEST))}" for each in history.unread[:_MOST_UNREAD]]
    return [*lines, *([f"and {left} more that could not be read"] if left > 0 else [])]


def number(runs: Sequence[PastRun]) -> str:
    """The number of runs, in words."""
    return f"{len(runs)} run{'' if len(runs) == 1 else 's'}"


def _days(runs: Sequence[PastRun]) -> str:
    return " to ".join(sorted({runs[0].started[:10], runs[-1].started[:10]}))


def _trends(runs: Sequence[PastRun], levels: str) -> list[str]:
    rows, left = trends(runs, levels)
    width = max(len(name) for name, _, _ in rows)
    lines = [f"{name:{width}}  {line}  {ends}" for name, line, ends in rows]
    return [*lines, *([f"and {left} more rules that were broken"] if left > 0 else [])]


def trends(runs: Sequence[PastRun], levels: str = BLOCKS) -> tuple[list[tuple[str, str, str]], int]:
    """The trends of the latest runs: a name, a sparkline, the numbers in words. The second value is how many broken
    rules have been left out."""
    latest = runs[-MOST_RUNS:]
    rows: list[tuple[str, list[float], str]] = [
        ("pass", [run.totals.get("pass", 0) for run in latest], ",.0f"),
        ("fail or error", [run.failed for run in latest], ",.0f"),
        ("seconds", [run.seconds for run in latest], ",.1f"),
    ]
    rules = {rule: [float(run.rules.get(rule, 0)) for run in latest] for run in latest for rule in run.rules}
    often = sorted(rules, key=lambda rule: (-rules[rule][-1], -sum(rules[rule]), rule))
    rows += [(named(rule), rules[rule], ",.0f") for rule in often[:_MOST_RULES]]
    lines = [(name, sparkline(values, levels), _ends(values, form)) for name, values, form in rows]
    return lines, len(often) - _MOST_RULES


def _ends(values: Sequence[float], form: str) -> str:
    return f"{values[-1]:{form}} now, {min(values):{form}} to {max(values):{form}}"


def _cells(runs: Sequence[PastRun]) -> Iterator[list[str]]:
    """Rows of the table, the latest run first."""
    for run in list(reversed(runs))[:_MOST_LISTED]:
        yield [named(str(value_of(run))) for _, value_of in COLUMNS]


def _table(runs: Sequence[PastRun]) -> Iterator[str]:
    rows = [[name for name, _ in COLUMNS], *_cells(runs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        yield "  ".join([*cells, row[-1]])
    if len(runs) > _MOST_LISTED:
        yield f"and {len(runs) - _MOST_LISTED} earlier"


def _marked_table(runs: Sequence[PastRun]) -> Iterator[str]:
    yield f"| {' | '.join(name for name, _ in COLUMNS)} |"
    yield f"| --- |{' ---: |' * (len(COLUMNS) - 2)} --- |"
    for started, *numbers, folder in _cells(runs):
        yield f"| {' | '.join([cell(started), *numbers, cell(folder)])} |"
