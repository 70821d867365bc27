"""Across cases: the same cause in other scenarios, chunkings and wires is one entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from harness.finding import Finding
from harness.report.causes.behaviour import Behaviour, behaviour, masked
from harness.report.causes.folding import Root, folded, salience
from harness.report.causes.model import ERROR, Cause, Consequence, Member
from harness.report.causes.ranking import category, rank, weight
from harness.report.causes.titles import last_line
from harness.runner.results import CaseResult, RunResult


def causes(result: RunResult) -> tuple[Cause, ...]:
    """The causes of all findings of a run that no baseline expects, the worst first.

    Every such finding is part of exactly one cause, as its own or as a consequence.
    """
    found = [*_of_findings(result), *_of_errors(result.cases)]
    return tuple(sorted(found, key=rank))


# --- findings ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Seen:
    """A cause in one case, with the behaviours of the loop in its findings."""

    case: int
    root: Root
    behaviours: frozenset[Behaviour]


def _of_findings(result: RunResult) -> Iterator[Cause]:
    seen = [
        _Seen(number, root, frozenset(behaviour(case.findings[each], case) for each in root.found))
        for number, case in enumerate(result.cases)
        for root in folded(case)
    ]
    for some in _same_behaviour(_independent(seen)):
        yield _cause(some, result)


def _independent(seen: Sequence[_Seen]) -> list[_Seen]:
    """Only the independent causes. A cause that was only ever found after the course of the run had changed becomes a
    consequence. If it is found by itself elsewhere, it is a cause here, too."""
    alone = {each for one in seen if one.root.earlier is None for each in one.behaviours}
    kept: list[_Seen] = []
    for one in seen:
        first = _first(one.root)
        if first is None or not alone.isdisjoint(one.behaviours):
            kept.append(one)
        else:
            first.follows += [*one.root.found, *one.root.follows]
    return kept


def _first(root: Root) -> Root | None:
    """The first cause of the chain, which follows from no other."""
    first = root.earlier
    while first is not None and first.earlier is not None:
        first = first.earlier
    return first


def _same_behaviour(seen: Iterable[_Seen]) -> Iterator[list[_Seen]]:
    """Groups of causes with a common behaviour, directly or through others, in the order of the run."""
    groups: list[list[_Seen]] = []
    of: dict[Behaviour, int] = {}
    for one in seen:
        met = sorted({of[each] for each in one.behaviours if each in of})
        into = met[0] if met else len(groups)
        if not met:
            groups.append([])
        for other in met[1:]:
            groups[into] += groups[other]
            groups[other] = []
            of |= {each: into for each, group in of.items() if group == other}
        groups[into].append(one)
        of |= dict.fromkeys(one.behaviours, into)
    for group in groups:
        if group:
            yield sorted(group, key=lambda one: one.case)


def _cause(seen: Sequence[_Seen], result: RunResult) -> Cause:
    members = tuple(_members(seen, result))
    of_members = [_found(member, result) for member in members]
    found = [finding for some in of_members for finding in some]
    rules = _rules(found)
    shown = _shown(members, rules[0], result)
    case, (first, *_) = result.cases[members[shown].case], _found(members[shown], result)
    level = min((each.level for each in found), key=weight)
    driver = [each.rule for each in result.driver if each.level == "MUST"]
    kind = category(found, level, driver=driver)
    kinds = [category(some, min((each.level for each in some), key=weight), driver=driver) for some in of_members]
    return Cause(
        _identity(*behaviour(first, case)),
        rules,
        level,
        kind,
        members,
        shown,
        *_spread([result.cases[member.case] for member in members]),
        tuple(_consequences(members, result)),
        max(1, kinds.count(kind)),
    )


def _members(seen: Sequence[_Seen], result: RunResult) -> Iterator[Member]:
    """Each case once, though it may show the cause in more than one conversation."""
    of: dict[int, list[Root]] = {}
    for one in seen:
        of.setdefault(one.case, []).append(one.root)
    for number, roots in of.items():
        findings = result.cases[number].findings
        found = sorted((each for root in roots for each in root.found), key=lambda each: salience(findings[each]))
        yield Member(number, tuple(found), tuple(sorted(each for root in roots for each in root.follows)))


def _found(member: Member, result: RunResult) -> list[Finding]:
    return [result.cases[member.case].findings[each] for each in member.found]


def _rules(found: Sequence[Finding]) -> tuple[str, ...]:
    """The names of the rules: rules of providers first, then certain rules, then the most frequent."""
    often = Counter(each.id for each in found)
    best: dict[str, tuple[bool, int]] = {}
    for each in found:
        place = (not each.rule.startswith("continuation/"), weight(each.level))
        best[each.id] = min(place, best.get(each.id, place))
    return tuple(sorted(often, key=lambda rule: (*best[rule], -often[rule])))


def _shown(members: Sequence[Member], rule: str, result: RunResult) -> int:
    """The first case whose best finding is of the rule that names the cause."""
    first = (number for number, member in enumerate(members) if _found(member, result)[0].id == rule)
    return next(first, 0)


def _spread(cases: Sequence[CaseResult]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Their scenarios, chunkings and wires."""
    return (
        tuple(dict.fromkeys(case.scenario for case in cases)),
        tuple(dict.fromkeys(case.chunking for case in cases)),
        tuple(dict.fromkeys(case.wire for case in cases)),
    )


def _consequences(members: Iterable[Member], result: RunResult) -> Iterator[Consequence]:
    """The consequences by rule, the most frequent first."""
    cases: dict[str, set[int]] = {}
    levels: dict[str, str] = {}
    for member in members:
        for number in member.follows:
            finding = result.cases[member.case].findings[number]
            cases.setdefault(finding.id, set()).add(member.case)
            levels[finding.id] = min(levels.get(finding.id, finding.level), finding.level, key=weight)
    for rule in sorted(cases, key=lambda rule: -len(cases[rule])):
        yield Consequence(rule, levels[rule], len(cases[rule]))


def _identity(*names: str) -> str:
    return sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:16]


# --- cases that could not be judged -----------------------------------------------------------------------------


def _of_errors(cases: Sequence[CaseResult]) -> Iterator[Cause]:
    """One entry for all cases that failed with the same error."""
    alike: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        if case.error is not None:
            alike.setdefault(masked(last_line(case.error), case.names), []).append(number)
    for words, numbers in alike.items():
        spread = _spread([cases[number] for number in numbers])
        members = tuple(Member(number) for number in numbers)
        yield Cause(_identity(ERROR, words), (ERROR,), "MUST", "error", members, 0, *spread, worst=len(members))
