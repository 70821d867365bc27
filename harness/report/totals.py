"""A run in numbers: what was skipped and what was expected, by reason, and the last line of every report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from harness.finding import MAIN_NAME, UNIDENTIFIED
from harness.report.visible import cut, in_line, named
from harness.runner.notes import ENDED_IN
from harness.runner.results import BlockedHost, CaseResult, RunResult, Verdict

_MOST_NAMED = 6
"""Scenarios that are named beside a reason."""

_MOST_ASKED = 20
"""Kinds of unserved requests that are listed."""

_LONGEST = 1_000
"""Characters of a reason."""

_TOTALS: Final[Mapping[Verdict, tuple[str, str]]] = {
    "error": ("error", "errors"),
    "xfail": ("expected failure", "expected failures"),
    "skip": ("skipped", "skipped"),
}
"""The word for one case with the verdict, and for several."""


def counted(result: RunResult) -> str:
    """The last line: ``12 passed, 0 failed``, and other counts that are not 0.

    A case that passes although the baseline expects it to fail has passed. Its stale entry is counted at the end: ``10
    passed (5 baseline entries are stale)``.
    """
    totals = result.totals
    ended = [f"{totals['pass'] + totals['xpass']} passed"]
    if totals["fail"] or not result.stale:
        ended.append(f"{totals['fail']} failed")
    more = [_number(totals[verdict], *words) for verdict, words in _TOTALS.items() if totals[verdict]]
    problems = len(result.driver_problems)
    driver = [_number(problems, "problem of your adapter", "problems of your adapter")] if problems else []
    hosts = [_number(len(blocked(result)), "blocked host", "blocked hosts")] if blocked(result) else []
    return ", ".join([*ended, *more, *driver, *hosts]) + _stale(result)


def _stale(result: RunResult) -> str:
    if not result.stale:
        return ""
    return f" ({_number(len(result.stale), 'baseline entry is', 'baseline entries are')} stale)"


def blocked(result: RunResult) -> tuple[BlockedHost, ...]:
    """The hosts that were blocked and that no setting allows. The run fails for each."""
    return tuple(each for each in result.blocked if not each.allowed)


def grouped(result: RunResult) -> Iterator[str]:
    """Lines about cases that nobody must look at one by one: skipped ones, and those that fail as expected."""
    yield from _by_reason("skipped", ((case.reason, case) for case in result.cases if case.verdict == "skip"))
    expected = ((each.known, case) for case in result.cases for each in case.expected)
    yield from _by_reason(f"expected by {_baseline(result)}", expected)
    yield from _by_reason("conversations beside the main one", _beside(result))
    ran = Counter(case.id.rpartition("+")[2] for case in result.cases if case.verdict != "skip")
    noted = [(note, case) for case in result.cases for note in case.notes]
    ended = Counter(note for note, _ in noted)
    of = {note: f"{count} of {ran[note.removeprefix(ENDED_IN)]} cases" for note, count in ended.items()}
    named = ((f"{note}: {of[note]}" if note.startswith(ENDED_IN) else note, case) for note, case in noted)
    yield from _by_reason("notes", named)


def _beside(result: RunResult) -> Iterator[tuple[str, CaseResult]]:
    for case in result.cases:
        for each in case.conversations:
            if each.name == UNIDENTIFIED:
                yield "not identified, so they were answered and not judged", case
            elif each.name != MAIN_NAME:
                yield f"judged by themselves: {each.begins}", case


def unserved(result: RunResult) -> Iterator[str]:
    """Lines about the requests that the endpoint does not serve, with their number in the whole run."""
    asked: Counter[str] = Counter()
    for case in result.cases:
        asked.update(case.not_served)
    if asked:
        yield "not served by the endpoint:"
    for what, count in asked.most_common(_MOST_ASKED):
        yield f"  {in_line(cut(what, _LONGEST))} x{count}"
    if len(asked) > _MOST_ASKED:
        yield f"  and {_number(len(asked) - _MOST_ASKED, 'other request', 'other requests')}, in results.json"


def network(result: RunResult) -> Iterator[str]:
    """Lines about the blocked hosts that a setting allows to be asked."""
    allowed = [each for each in result.blocked if each.allowed]
    if allowed:
        yield "blocked, as allowed:"
    for each in allowed:
        yield f"  {_number(each.cases, 'case', 'cases'):>9}  {in_line(cut(each.host, _LONGEST))} ({each.allowed})"


def _by_reason(heading: str, reasons: Iterable[tuple[str, CaseResult]]) -> Iterator[str]:
    cases: defaultdict[str, dict[str, CaseResult]] = defaultdict(dict)
    for reason, case in reasons:
        cases[reason][case.id] = case
    if cases:
        yield f"{heading}:"
    for reason, some in cases.items():
        yield f"  {_number(len(some), 'case', 'cases'):>9}  {cut(' '.join(reason.split()), _LONGEST)}"
        yield f"  {'':9}  {_scenarios([case.scenario for case in some.values()])}"


def _baseline(result: RunResult) -> str:
    return in_line(cut(f"{result.baseline}", _LONGEST))


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _scenarios(scenarios: Sequence[str]) -> str:
    names = list(dict.fromkeys(scenarios))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(map(named, names[:_MOST_NAMED])) + more
