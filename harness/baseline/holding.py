"""A baseline held against what a run has found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.baseline.model import Entry, Written, matches
from harness.runner.results import CaseResult, Evidence, Stale, Verdict

__all__ = ["Coverage", "Unneeded", "marked", "stale", "unneeded", "xpassed"]

_JUDGED: tuple[Verdict, ...] = ("pass", "fail", "xfail", "xpass")


def marked(result: CaseResult, entries: Sequence[Entry]) -> CaseResult:
    """The result with the reason beside everything that is expected.

    A case of which everything is expected is ``xfail``. An ``error`` is never expected.
    """
    if result.verdict != "fail":
        return result
    evidence = tuple(replace(each, known=_reason(result.id, each, entries)) for each in result.evidence)
    verdict: Verdict = "xfail" if all(each.known for each in evidence) else "fail"
    return replace(result, evidence=evidence, verdict=verdict)


def _reason(case: str, evidence: Evidence, entries: Sequence[Entry]) -> str:
    return next((entry.reason for entry in entries if entry.covers(case, evidence.id)), "")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which cases there are beside those that were run, for nothing can be said of what was left out.

    ``cases`` are the ids of all cases that the target can run of the scenarios that were loaded. ``whole`` says that
    these are all scenarios there are; if not, a pattern that does not name its scenario may stand for others.
    """

    cases: Collection[str]
    whole: bool


@dataclass(frozen=True, slots=True)
class Unneeded:
    """What of an entry nothing falls under. Where that is all of its patterns, it is all of its rules, too."""

    entry: Entry
    cases: tuple[Written, ...]
    rules: tuple[Written, ...]

    @property
    def all(self) -> bool:
        """Whether nothing of the entry is needed."""
        return len(self.rules) == len(self.entry.rules)


def unneeded(entries: Iterable[Entry], results: Sequence[CaseResult], coverage: Coverage) -> list[Unneeded]:
    """The patterns and rules of entries that have been shown to be needed no more.

    A pattern, when none of the entry's rules was found in any of its cases; a rule, when it was found in no case of the
    entry. Both only where every such case was run and judged.
    """
    judged = {result.id: {each.id for each in result.evidence} for result in results if result.verdict in _JUDGED}
    found = (_unneeded(entry, judged, coverage) for entry in entries)
    return [each for each in found if each is not None]


def _unneeded(entry: Entry, judged: Mapping[str, set[str]], coverage: Coverage) -> Unneeded | None:
    rules = {rule.text for rule in entry.rules}
    occurred = [rules & _found(pattern.text, judged) for pattern in entry.cases]
    settled = [_settled(pattern.text, judged, coverage) for pattern in entry.cases]
    pairs = zip(entry.cases, occurred, settled, strict=True)
    cases = tuple(pattern for pattern, some, sure in pairs if sure and not some)
    left = tuple(rule for rule in entry.rules if all(settled) and not any(rule.text in some for some in occurred))
    return Unneeded(entry, cases, left) if cases or left else None


def _found(pattern: str, judged: Mapping[str, set[str]]) -> set[str]:
    """The rules that were broken in cases of this pattern."""
    return {rule for case, rules in judged.items() if rules and matches(pattern, case) for rule in rules}


def _settled(pattern: str, judged: Mapping[str, set[str]], coverage: Coverage) -> bool:
    """Whether every case that the pattern stands for has been judged, and there is one."""
    if not coverage.whole and set(pattern.partition(".")[0]) & set("*?["):
        return False
    wanted = [case for case in coverage.cases if matches(pattern, case)]
    return bool(wanted) and all(case in judged for case in wanted)


def stale(found: Iterable[Unneeded]) -> tuple[Stale, ...]:
    """The same as a report tells it."""
    return tuple(line for each in found for line in _told(each))


def _told(each: Unneeded) -> list[Stale]:
    if each.all:
        patterns, rules = (", ".join(one.text for one in some) for some in (each.entry.cases, each.entry.rules))
        return [Stale(str(each.entry.place), rules, f"no longer found in {patterns}")]
    rules_told = [Stale(str(rule.place), rule.text, "no longer found in any case of this entry") for rule in each.rules]
    patterns_told = [
        Stale(str(pattern.place), pattern.text, "none of this entry's rules is found there any longer")
        for pattern in each.cases
    ]
    return patterns_told + rules_told


def xpassed(results: Iterable[CaseResult], found: Sequence[Unneeded]) -> tuple[CaseResult, ...]:
    """The results; those that passed though a pattern that is needed no more says otherwise are ``xpass``."""
    patterns = [pattern.text for each in found for pattern in each.cases]
    return tuple(
        replace(result, verdict="xpass")
        if result.verdict == "pass" and any(matches(pattern, result.id) for pattern in patterns)
        else result
        for result in results
    )
