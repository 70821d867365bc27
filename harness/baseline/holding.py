"""Compares a baseline with what a run has found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.baseline.model import BaselineEntry, LocatedText, matches
from harness.finding import Finding
from harness.runner.results import CaseResult, DriverFinding, Stale, Verdict, calibrated

_JUDGED: tuple[Verdict, ...] = ("pass", "fail", "xfail", "xpass")


def marked(result: CaseResult, entries: Sequence[BaselineEntry]) -> CaseResult:
    """The result, with a reason for every expected finding.

    A case is ``xfail`` if all its findings are expected. An ``error`` is never expected.
    """
    if result.verdict != "fail":
        return result
    findings = tuple(replace(each, known=_reason(result.id, each, entries)) for each in result.findings)
    verdict: Verdict = "xfail" if all(each.known for each in findings) else "fail"
    return replace(result, findings=findings, verdict=verdict)


def marked_driver(driver: Iterable[DriverFinding], entries: Sequence[BaselineEntry]) -> tuple[DriverFinding, ...]:
    """The same for what is wrong with the driver: it is expected where entries cover it on each of its wires."""
    return tuple(replace(each, known=_reason_on_all(each, entries)) for each in driver)


def _reason_on_all(found: DriverFinding, entries: Sequence[BaselineEntry]) -> str:
    reasons = [_reason(case.id, each, entries) for case in calibrated([found], found.wires) for each in case.findings]
    return reasons[0] if reasons and all(reasons) else ""


def _reason(case: str, finding: Finding, entries: Sequence[BaselineEntry]) -> str:
    return next((entry.reason for entry in entries if entry.covers(case, finding.id)), "")


@dataclass(frozen=True, slots=True)
class Coverage:
    """All existing cases, including those that were not run: nothing is known about these.

    ``cases`` are the ids of all cases of the loaded scenarios that the target can run. ``whole``: these are all
    scenarios; otherwise a pattern that does not name its scenario may match others. ``excluded`` are rules that were
    not judged in any case.
    """

    cases: Collection[str]
    whole: bool
    excluded: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Unneeded:
    """The patterns and rules of an entry that match nothing. If these are all patterns, they are all rules, too."""

    entry: BaselineEntry
    cases: tuple[LocatedText, ...]
    rules: tuple[LocatedText, ...]

    @property
    def all(self) -> bool:
        """Whether nothing of the entry is needed."""
        return len(self.rules) == len(self.entry.rules)


def unneeded(entries: Iterable[BaselineEntry], results: Sequence[CaseResult], coverage: Coverage) -> list[Unneeded]:
    """The patterns and rules of entries that the run proved unneeded.

    A pattern is unneeded if none of the entry's rules was found in any of its cases. A rule is unneeded if it was found
    in no case of the entry. Both only if every such case was run and judged.
    """
    judged = {result.id: {each.id for each in result.findings} for result in results if result.verdict in _JUDGED}
    found = (_unneeded_parts(entry, judged, coverage) for entry in entries)
    return [each for each in found if each is not None]


def _unneeded_parts(entry: BaselineEntry, judged: Mapping[str, set[str]], coverage: Coverage) -> Unneeded | None:
    rules = {rule.text for rule in entry.rules}
    occurred = [rules & _found(pattern.text, judged) for pattern in entry.cases]
    settled = [_is_settled(pattern.text, judged, coverage) for pattern in entry.cases]
    pairs = zip(entry.cases, occurred, settled, strict=True)
    unjudged = rules.intersection(coverage.excluded)
    cases = tuple(pattern for pattern, some, sure in pairs if sure and not some and not unjudged)
    gone = rules - unjudged - {rule for some in occurred for rule in some}
    left = tuple(rule for rule in entry.rules if all(settled) and rule.text in gone)
    return Unneeded(entry, cases, left) if cases or left else None


def _found(pattern: str, judged: Mapping[str, set[str]]) -> set[str]:
    """The rules that were broken in cases of this pattern."""
    return {rule for case, rules in judged.items() if rules and matches(pattern, case) for rule in rules}


def _is_settled(pattern: str, judged: Mapping[str, set[str]], coverage: Coverage) -> bool:
    """Whether every case that the pattern matches has been judged, and there is one."""
    if not coverage.whole and set(pattern.partition(".")[0]) & set("*?["):
        return False
    wanted = [case for case in coverage.cases if matches(pattern, case)]
    return bool(wanted) and all(case in judged for case in wanted)


def stale(found: Iterable[Unneeded]) -> tuple[Stale, ...]:
    """The unneeded parts in the form for reports."""
    return tuple(line for each in found for line in _stale(each))


def _stale(each: Unneeded) -> list[Stale]:
    if each.all:
        patterns, rules = (", ".join(one.text for one in some) for some in (each.entry.cases, each.entry.rules))
        return [Stale(str(each.entry.place), rules, f"no longer found in {patterns}")]
    stale_rules = [
        Stale(str(rule.place), rule.text, "no longer found in any case of this entry") for rule in each.rules
    ]
    stale_patterns = [
        Stale(str(pattern.place), pattern.text, "none of this entry's rules is found there any longer")
        for pattern in each.cases
    ]
    return stale_patterns + stale_rules


def xpassed(results: Iterable[CaseResult], found: Sequence[Unneeded]) -> tuple[CaseResult, ...]:
    """The results; a case that passed although an unneeded pattern expects findings becomes ``xpass``."""
    patterns = [pattern.text for each in found for pattern in each.cases]
    return tuple(
        replace(result, verdict="xpass")
        if result.verdict == "pass" and any(matches(pattern, result.id) for pattern in patterns)
        else result
        for result in results
    )
