"""The matrix scenario x wire of a run, in few characters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from rich.markup import escape
from rich.table import Table

from harness.report.labels import label_of
from harness.report.visible import named
from harness.runner.results import CaseResult, RunResult, Verdict

STYLE: dict[Verdict, str] = {
    "pass": "green",
    "fail": "red",
    "error": "magenta",
    "xfail": "cyan",
    "xpass": "red",
    "skip": "yellow",
}

_WORST_FIRST: tuple[Verdict, ...] = ("error", "fail", "xpass", "xfail", "pass")


_FEW = 12
"""Up to so many scenarios each have a row, whatever their result."""


def matrix(result: RunResult, *, whole: bool = False) -> Table:
    """A row per scenario with at least one case that was run.

    If there are many scenarios, only those with a case that did not pass have a row, unless the ``whole`` matrix is
    wanted; the others share one row. A cell is the number of passed cases of those that were run, and of cases that
    failed as the baseline expects: ``3/5 +2``.
    """
    ran = [case for case in result.cases if case.verdict != "skip"]
    wires = list(dict.fromkeys(case.wire for case in ran))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("scenario")
    for wire in wires:
        table.add_column(escape(named(label_of(wire))), justify="right")
    cells: defaultdict[str, defaultdict[str, list[CaseResult]]] = defaultdict(lambda: defaultdict(list))
    for case in ran:
        cells[case.scenario][case.wire].append(case)
    others = [] if whole or len(cells) <= _FEW else [name for name, by_wire in cells.items() if _is_passing(by_wire)]
    for scenario, by_wire in cells.items():
        if scenario not in others:
            table.add_row(escape(named(scenario)), *(_cell(by_wire[wire]) for wire in wires))
    if others:
        rest = [[case for name in others for case in cells[name][wire]] for wire in wires]
        verdicts = {case.verdict for cases in rest for case in cases}
        how = "passed, or failed as expected" if "xfail" in verdicts else "passed"
        table.add_row(f"{len(others)} other scenarios: all {how}", *map(_cell, rest))
    return table


def _is_passing(by_wire: Mapping[str, Sequence[CaseResult]]) -> bool:
    return all(case.verdict in ("pass", "xpass", "xfail") for cases in by_wire.values() for case in cases)


def _cell(cases: Sequence[CaseResult]) -> str:
    if not cases:
        return "-"
    totals = Counter(case.verdict for case in cases)
    worst = next(verdict for verdict in _WORST_FIRST if totals[verdict])
    expected = f" +{totals['xfail']}" if totals["xfail"] else ""
    return f"[{STYLE[worst]}]{totals['pass'] + totals['xpass']}/{len(cases)}{expected}[/]"
