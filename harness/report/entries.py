"""A cause as text: the lines that the terminal shows, each with a label, and the words that other reports quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from harness.finding import Finding, Impact, Level
from harness.report.causes import CATEGORY_WORDS, ERROR, Category, Cause, Consequence, Member, weighed
from harness.report.causes.ranking import category
from harness.runner.results import CaseResult, RunResult
from harness.scenario import shipped

Numbered = tuple[int, Cause, Member]
"""The position of a cause in the list, from 1, the cause, and its findings in one case."""


def case_of(cause: Cause, result: RunResult) -> CaseResult:
    """The case that shows the cause."""
    return result.cases[cause.example.case]


def finding_of(cause: Cause, result: RunResult) -> Finding | None:
    """The finding that shows the cause; None if the cases could not be judged."""
    found = cause.example.found
    return case_of(cause, result).findings[found[0]] if found else None


def names(cause: Cause) -> str:
    """All rules that state the cause: ``OAC-03, ANT-01, history/results``."""
    return ", ".join(cause.rules)


def label(cause: Cause) -> str:
    """Severity, category and number of cases: ``MUST, refused by the provider, 11 cases of 6 scenarios``.

    If only some of its cases have the category: ``MUST, refused by the provider in 1 of 16 cases``.
    """
    severity = [] if cause.rule == ERROR else [cause.level]
    return ", ".join([*severity, weighed(cause)])


def severity(finding: Finding) -> str:
    """Severity and category of one finding: ``MUST, refused by the provider``."""
    found = category([finding], finding.level)
    return f"{finding.level}, {CATEGORY_WORDS[found]}"


def severity_of(rule: str, level: Level, impact: Impact) -> str:
    """Severity and category of a finding of this rule."""
    return f"{level}, {CATEGORY_WORDS[category_of(rule, level, impact)]}"


def category_of(rule: str, level: Level, impact: Impact) -> Category:
    """The category of a finding of this rule."""
    return category([Finding(rule, level, impact, None, "", "")], level)


def also(consequences: Sequence[Consequence]) -> str:
    """The consequences by rule: ``expect/outcome (11 cases), expect/turns (1 case)``. All are named."""
    return ", ".join(f"{each.rule} ({each.cases} case{'' if each.cases == 1 else 's'})" for each in consequences)


def in_short(finding: Finding) -> str:
    """A finding in one line, for reports with little room: ``OAC-03: expected ..., got ...``."""
    return f"{finding.id}: expected {finding.expected}, got {finding.got}"


def by_case(found: Sequence[Cause]) -> Mapping[int, Sequence[Numbered]]:
    """The causes of each case, by the index of the case in the results."""
    cases: dict[int, list[Numbered]] = {}
    for number, cause in enumerate(found, 1):
        for member in cause.members:
            cases.setdefault(member.case, []).append((number, cause, member))
    return cases


def beside(member: Member, case: CaseResult) -> list[Finding]:
    """The other findings of a cause in one case: the same in other words, or consequences."""
    return [case.findings[number] for number in (*member.found[1:], *member.follows)]


def scenario_place(file: str, line: int) -> str:
    """``FILE:LINE``, or ``FILE`` for line 0. A shipped scenario outside the run's folder has its name and not its
    path."""
    path, at = PurePath(file), f":{line}" if line else ""
    if path.is_absolute() and path.is_relative_to(shipped()):
        return f"{path.name}{at} (shipped)"
    return f"{file}{at}"


def pairs(cause: Cause, result: RunResult) -> str:
    """For a gateway: the upstreams of the cause by client, and whether only streams have it; else empty."""
    cases = [result.cases[member.case] for member in cause.members]
    if not all(case.chunking.startswith("to-") for case in cases):
        return ""
    by_client: dict[str, dict[str, None]] = {}
    for case in cases:
        upstream = case.chunking.removeprefix("to-").removesuffix("-whole")
        by_client.setdefault(case.wire, {})[upstream] = None
    whole = [case.chunking.endswith("-whole") for case in cases]
    form = "" if any(whole) and not all(whole) else "; whole answers only" if all(whole) else "; streams only"
    return "; ".join(f"{client} <- {', '.join(some)}" for client, some in by_client.items()) + form


def labelled(cause: Cause, result: RunResult, folder: PurePath | None) -> Iterator[tuple[str, str]]:
    """The lines of an entry after its heading: label and text. ``folder`` is the folder of the run, None if there is
    none."""
    case, finding = case_of(cause, result), finding_of(cause, result)
    if finding is not None:
        yield "expected", finding.expected
        yield "got", finding.got
        if finding.level == "INFO":  # no provider has answered so
            place = finding.answered.place
            yield "evidence", "; ".join(filter(None, (finding.detail, place)))
        else:
            yield "provider" if finding.rule.startswith("continuation/") else "evidence", finding.explanation
    yield "pairs", pairs(cause, result)
    yield "case", case.id
    if case.trace and folder is not None:
        line = f":{finding.at}" if finding is not None and finding.at else ""
        yield "trace", f"{folder / case.trace}{line}"
    if finding is not None and finding.line and case.file:
        yield "scenario", scenario_place(case.file, finding.line)
    yield "also", also(cause.consequences)
    yield "repeat", case.repeat
