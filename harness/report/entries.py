"""A cause as text: the lines that the terminal shows, with a label before each, and the words that others quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from harness.report.causes import CATEGORY_WORDS, ERROR, Category, Cause, Consequence, Member, counts
from harness.report.causes.ranking import category
from harness.runner.results import CaseResult, Evidence, RunResult
from harness.scenario import shipped

__all__ = [
    "Numbered",
    "also",
    "beside",
    "by_case",
    "case_of",
    "category_of",
    "evidence_of",
    "in_short",
    "label",
    "labelled",
    "names",
    "scenario_place",
    "severity",
    "severity_of",
]

Numbered = tuple[int, Cause, Member]
"""The place of a cause in the list, from 1, the cause, and what of it one case shows."""


def case_of(cause: Cause, result: RunResult) -> CaseResult:
    """The case to show."""
    return result.cases[cause.example.case]


def evidence_of(cause: Cause, result: RunResult) -> Evidence | None:
    """The finding to show; None where the cases could not be judged."""
    found = cause.example.found
    return case_of(cause, result).evidence[found[0]] if found else None


def names(cause: Cause) -> str:
    """All rules that state the cause: ``OAC-03, ANT-01, history/results``."""
    return ", ".join(cause.rules)


def label(cause: Cause) -> str:
    """Severity, category and number of cases: ``MUST, refused by the provider, 11 cases of 6 scenarios``."""
    severity = [] if cause.rule == ERROR else [cause.level]
    return ", ".join([*severity, CATEGORY_WORDS[cause.category], counts(cause)])


def severity(evidence: Evidence) -> str:
    """Severity and category of one finding: ``MUST, refused by the provider``."""
    return severity_of(evidence.rule, evidence.level, evidence.kind, evidence.refused)


def severity_of(rule: str, level: str, kind: str, refused: int | None = None) -> str:
    """The same of a finding that a rule would make; the parameters are as in ``Evidence``."""
    return f"{level}, {CATEGORY_WORDS[category_of(rule, level, kind, refused)]}"


def category_of(rule: str, level: str, kind: str, refused: int | None = None) -> Category:
    """The category of one finding by itself; the parameters are as in ``Evidence``."""
    return category([Evidence(rule, level, kind, None, "", "", refused=refused)], level, driver=False)


def also(consequences: Sequence[Consequence]) -> str:
    """The consequences by rule: ``expect/outcome (11 cases), expect/turns (1 case)``. All are named."""
    return ", ".join(f"{each.rule} ({each.cases} case{'' if each.cases == 1 else 's'})" for each in consequences)


def in_short(evidence: Evidence) -> str:
    """A finding in one line, for what has no room for more: ``OAC-03: expected ..., got ...``."""
    return f"{evidence.id}: expected {evidence.expected}, got {evidence.got}"


def by_case(found: Sequence[Cause]) -> Mapping[int, Sequence[Numbered]]:
    """The causes that each case shows, by its index in the results."""
    cases: dict[int, list[Numbered]] = {}
    for number, cause in enumerate(found, 1):
        for member in cause.members:
            cases.setdefault(member.case, []).append((number, cause, member))
    return cases


def beside(member: Member, case: CaseResult) -> list[Evidence]:
    """What else was found of a cause in one case: in other words, or as its consequence."""
    return [case.evidence[number] for number in (*member.found[1:], *member.follows)]


def scenario_place(file: str, line: int) -> str:
    """``FILE:LINE``; of a shipped scenario outside the folder of the run its name, not where it is installed."""
    path = PurePath(file)
    if path.is_absolute() and path.is_relative_to(shipped()):
        return f"{path.name}:{line} (shipped)"
    return f"{file}:{line}"


def labelled(cause: Cause, result: RunResult, folder: PurePath | None) -> Iterator[tuple[str, str]]:
    """The lines of an entry behind its heading: label and text. ``folder`` is that of the run, None where it is not
    written."""
    case, evidence = case_of(cause, result), evidence_of(cause, result)
    if evidence is not None:
        yield "expected", evidence.expected
        yield "got", evidence.got
        answered = evidence.rule.startswith("continuation/") and evidence.level != "INFO"
        yield "provider" if answered else "evidence", evidence.explanation
    yield "case", case.id
    if case.trace and folder is not None:
        line = f":{evidence.at}" if evidence is not None and evidence.at else ""
        yield "trace", f"{folder / case.trace}{line}"
    if evidence is not None and evidence.line and case.file:
        yield "scenario", scenario_place(case.file, evidence.line)
    yield "also", also(cause.consequences)
    yield "repeat", case.repeat
