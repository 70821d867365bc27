"""A run in numbers: what was skipped and what was expected, by reason, and the last line of every report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from harness.report.visible import visible
from harness.runner.results import CaseResult, RunResult

__all__ = ["counted", "grouped"]

_MOST_NAMED = 6
"""Scenarios that are named beside a reason."""

_TOTALS = {
    "error": "{} errors",
    "xfail": "{} expected failures",
    "xpass": "{} unexpected passes",
    "skip": "{} skipped",
}


def counted(result: RunResult) -> str:
    """The last line: ``12 passed, 0 failed``, and whatever else there is."""
    totals = result.totals
    more = [words.format(totals[verdict]) for verdict, words in _TOTALS.items() if totals[verdict]]
    stale = [f"{len(result.stale)} stale in {result.baseline}"] if result.stale else []
    return ", ".join([f"{totals['pass']} passed, {totals['fail']} failed", *more, *stale])


def grouped(result: RunResult) -> Iterator[str]:
    """Lines about cases of which nobody has to look at each: those that were skipped, those that fail as expected."""
    yield from _by_reason("skipped", ((case.reason, case) for case in result.cases if case.verdict == "skip"))
    expected = ((each.known, case) for case in result.cases for each in case.expected)
    yield from _by_reason(f"expected by {result.baseline}", expected)


def _by_reason(heading: str, reasons: Iterable[tuple[str, CaseResult]]) -> Iterator[str]:
    cases: defaultdict[str, dict[str, CaseResult]] = defaultdict(dict)
    for reason, case in reasons:
        cases[reason][case.id] = case
    if cases:
        yield f"{heading}:"
    for reason, some in cases.items():
        yield f"  {visible(' '.join(reason.split()))}"
        yield f"    {_number(len(some))} of {_named([case.scenario for case in some.values()])}"


def _number(cases: int) -> str:
    return f"{cases} case{'' if cases == 1 else 's'}"


def _named(scenarios: Sequence[str]) -> str:
    names = list(dict.fromkeys(scenarios))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
