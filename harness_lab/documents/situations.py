"""Two tables of docs/targets.md: what loops do in conversations whose caller acts, and with dialects of Chat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from harness.report.visible import visible
from harness.runner.results import CaseResult, RunResult
from harness.scenario import CallerAct, Scenario

SITUATIONS: Final = (
    "cancelled in a text",
    "cancelled in a call",
    "cancelled in a tool",
    "cancelled before the answer",
    "follow-up",
    "steered",
    "resumed",
    "other model",
    "other provider",
    "approval",
)
"""What the caller of a loop does, in the order of the table."""

_SITUATION_HEAD: Final = """
## Conversations

Whether a loop passes the cases in which its caller does more than run it once: `passed of run`. A case passes if it has
no findings but expected ones for a reason that other cases have, too; the sections below have the others. `not
offered`: the library has no documented way for it, or the driver uses none, so the target does not declare it. `·`: the
loop speaks no API that a case of it is on.
"""

_DIALECT_HEAD: Final = """
## Dialects

In how many cases of the suite `core` a [dialect](dialects.md) makes a difference, `cases with a difference of cases
run`: there is a finding that the same case does not have as the provider streams it. A run that ends with an error
makes none, since a loop may refuse such a stream.
"""

_NEEDS: Final = "needs "


def situation_of(scenario: Scenario) -> str:
    """The situation that the scenario is about, one of ``SITUATIONS``; empty where its caller does nothing."""
    acts = scenario.acts
    if any(tool.kind == "unapproved" for tool in scenario.tools) and scenario.runs:
        return "approval"
    if cancel := next((act for act in acts if act.does == "cancel"), None):
        return _cancelled(cancel)
    if acts:
        return "steered"
    if any(run.wire for run in scenario.runs):
        return "other provider"
    if any(run.model for run in scenario.runs):
        return "other model"
    if scenario.runs:
        return "resumed" if any(run.resumed for run in scenario.runs) else "follow-up"
    return ""


def _cancelled(act: CallerAct) -> str:
    if act.when.characters:
        return "cancelled in a call" if act.when.call else "cancelled in a text"
    return "cancelled in a tool" if act.when.call else "cancelled before the answer"


def situation_table(runs: Sequence[RunResult], situations: Mapping[str, str]) -> Iterator[str]:
    """The table of what the caller does, one row for each target. ``situations`` has that of a scenario by its name."""
    cells = {run.target: _by_situation(run, situations) for run in runs}
    columns = [each for each in SITUATIONS if any(each in row for row in cells.values())]
    if not columns:
        return
    yield from _SITUATION_HEAD.splitlines()
    yield from ("", _row("target", "versions", *columns), _row("---", "---", *["---:"] * len(columns)))
    for run in runs:
        row, usual = cells[run.target], _usual(run, situations)
        yield _row(f"`{run.target}`", _version(run), *(_cell(row.get(each, []), usual) for each in columns))


def _by_situation(run: RunResult, situations: Mapping[str, str]) -> Mapping[str, list[CaseResult]]:
    found: defaultdict[str, list[CaseResult]] = defaultdict(list)
    for case in run.cases:
        if situation := situations.get(case.scenario):
            found[situation].append(case)
    return found


def _usual(run: RunResult, situations: Mapping[str, str]) -> frozenset[str]:
    """The reasons for what is expected of the loop in cases whose caller does nothing."""
    plain = [case for case in run.cases if not situations.get(case.scenario)]
    return frozenset(each.known for case in plain for each in case.findings if each.known)


def _cell(cases: Sequence[CaseResult], usual: frozenset[str]) -> str:
    run = [case for case in cases if case.verdict != "skip"]
    if run:
        passed = [case.verdict != "error" and all(each.known in usual for each in case.findings) for case in run]
        return f"{sum(passed)} of {len(run)}"
    return "not offered" if any(case.reason.startswith(_NEEDS) for case in cases) else "·"


def _version(run: RunResult) -> str:
    """The version of the loop itself, which is that of the first package."""
    return next((f"{package} {found}" for package, found in run.versions.items()), run.harness)


def dialect_table(runs: Sequence[RunResult], dialects: Sequence[RunResult]) -> Iterator[str]:
    """The table of dialects, one row for each, with the targets as columns.

    ``dialects`` are runs in dialects, of targets whose runs as their providers stream are among ``runs``.
    """
    plain = {run.target: {case.id: _found(case) for case in run.cases} for run in runs}
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for run in dialects:
        for dialect, cases in _by_dialect(run).items():
            harmed = sum(bool(_found(case) - plain[run.target].get(_plain_id(case), frozenset())) for case in cases)
            rows.setdefault(dialect, {})[run.target] = f"{harmed} of {len(cases)}"
    if not rows:
        return
    yield from _DIALECT_HEAD.splitlines()
    yield from ("", _row("dialect", *(f"`{run.target}`" for run in dialects)))
    yield _row("---", *["---:"] * len(dialects))
    for (wire, name), cells in rows.items():
        yield _row(f"`{wire}` `{name}`", *(cells.get(run.target, "·") for run in dialects))


def _by_dialect(run: RunResult) -> Mapping[tuple[str, str], list[CaseResult]]:
    found: defaultdict[tuple[str, str], list[CaseResult]] = defaultdict(list)
    for case in run.cases:
        dialect = case.id.partition("+")[2]
        if dialect and case.verdict != "skip":
            found[case.wire, dialect].append(case)
    return found


def _plain_id(case: CaseResult) -> str:
    return case.id.partition("+")[0]


def _found(case: CaseResult) -> frozenset[str]:
    crashed = ["error"] if case.verdict == "error" else []
    return frozenset([*(each.id for each in case.findings), *crashed])


def _row(*cells: str) -> str:
    return f"| {' | '.join(map(visible, cells))} |"
