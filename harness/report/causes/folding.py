"""Within one case: separates causes from findings that follow from them.

A finding follows from another if the course of the run shows it: the endpoint refused the request, a call ran that must
not run, or the run went on or ended at the wrong point. What was missed before that, or beside a finding that cannot
change the course of a run, is a cause of its own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.finding import Finding
from harness.report.causes.behaviour import Behaviour, behaviour
from harness.report.causes.facts import INPUT, OTHER_RESULTS, one_fact
from harness.report.causes.subjects import RESULTS, apart, subjects
from harness.report.causes.transfers import SERVER, follows_loss
from harness.runner.results import CaseResult

_CHANGES_THE_COURSE: Final = frozenset({"execution", "guardrail", "final", "retry", "socket", "target", "cassette"})
"""Families whose MUST findings are about what a run does next: runs a tool, asks again, ends."""

_ABOUT_EVENTS: Final = frozenset({"order", "stream", "preview"})
"""Families that judge the events that the expression of ``expect: events`` is compared with."""

_AFTER_A_CHANGE: Final = frozenset({"expect", "script", "cassette"})

_BY_COURSE: Final = (
    "expect/outcome",
    "expect/error",
    "expect/final",
    "expect/requests",
    "expect/turns",
    "expect/events",
)
"""Expectations about the course of a run. If several are missed at one moment, the first of them explains most."""

_BY_RESULTS: Final = frozenset({"expect/results", "expect/ran", "expect/events", "expect/final"})
"""Expectations that are missed if the model got other results than the results of its calls."""

_UNBOUNDED: Final = frozenset({"retry/request", "guardrail/no-limit"})
"""After these, the script has no more answers, so later findings show nothing more about the loop."""

_ALONE: Final = frozenset({"expect/not_ran"})
"""An event that must not happen follows from no other expectation."""


@dataclass(slots=True)
class Root:
    """A cause in one case, as indices into its findings. It may follow from the cause ``earlier``, which is before
    it."""

    found: list[int]
    follows: list[int] = field(default_factory=list)
    earlier: Root | None = None


def folded(case: CaseResult) -> list[Root]:
    """The causes of the findings of a case that no baseline expects, in the order of the trace."""
    found = {number: each for number, each in enumerate(case.findings) if not each.known}
    broken = {number: each for number, each in found.items() if not expected(each)}
    behaviours = {each: behaviour(one, case) for each, one in broken.items()}
    roots = [Root(some) for some in _alike(broken, behaviours, case.names)]
    roots.sort(key=lambda root: moment(found[root.found[0]]))
    own = _without_consequences(roots, found)
    missed = [number for number, each in found.items() if expected(each)]
    left = [number for number in missed if not _follows(number, own, found)]
    own += _by_course(left, found)
    _may_follow(own, found)
    return sorted(own, key=lambda root: moment(found[root.found[0]]))


def expected(finding: Finding) -> bool:
    """Whether it is an expectation that was missed, and not a rule that was broken."""
    return _family(finding) in _AFTER_A_CHANGE and finding.rule != "cassette/miss"


def moment(finding: Finding) -> float:
    """The line of the trace from which the deviation is certain. If something never came, that is the end."""
    line = finding.since or finding.at
    return math.inf if line is None else line


def _family(finding: Finding) -> str:
    return finding.rule.partition("/")[0]


# --- findings that state the same -------------------------------------------------------------------------------


def _alike(
    found: dict[int, Finding], behaviours: Mapping[int, Behaviour], names: Collection[str]
) -> Iterator[list[int]]:
    """Groups of findings that state the same about the same request, or break one rule in the same way."""
    left = dict(found)
    while left:
        first = next(iter(left))
        del left[first]
        group = [first]
        grown = True
        while grown:
            same = [
                number
                for number, each in left.items()
                if any(_same(found[one], each, names) or _again(one, number, found, behaviours) for one in group)
            ]
            for number in same:
                del left[number]
            group += same
            grown = bool(same)
        yield sorted(group, key=lambda number: salience(found[number]))


def salience(finding: Finding) -> tuple[bool, bool, bool, float]:
    """A sort key. The finding that shows a cause best is first: a refusal in the words of a provider."""
    return finding.refused is None, not _of_a_provider(finding), finding.level != "MUST", moment(finding)


def _of_a_provider(finding: Finding) -> bool:
    return _family(finding) == "continuation"


def _same(one: Finding, other: Finding, names: Collection[str]) -> bool:
    """Whether two findings report one fact, or state the same about one request: a provider's rule and ours about one
    subject, or a result under another name, which is missing in one place and superfluous in another."""
    if one.conversation != other.conversation:
        return False
    common = subjects(one.id) & subjects(other.id) if one.at == other.at else frozenset()
    provider = _of_a_provider(one) or _of_a_provider(other)
    return (bool(common) and (provider or common == {RESULTS})) or one_fact(one, other, names)


def _again(one: int, other: int, found: Mapping[int, Finding], behaviours: Mapping[int, Behaviour]) -> bool:
    """Whether the loop does the same again in a conversation."""
    return behaviours[one] == behaviours[other] and found[one].conversation == found[other].conversation


# --- consequences -----------------------------------------------------------------------------------------------


def _without_consequences(roots: Sequence[Root], found: dict[int, Finding]) -> list[Root]:
    """The roots without those that report no more than another one."""
    own: list[Root] = []
    for root in sorted(roots, key=lambda root: (moment(found[root.found[0]]), salience(found[root.found[0]]))):
        cause = next((each for each in own if _says_no_more(found[root.found[0]], each, found)), None)
        if cause is None:
            own.append(root)
        else:
            cause.follows += root.found
    return own


def _says_no_more(finding: Finding, cause: Root, found: dict[int, Finding]) -> bool:
    first = found[cause.found[0]]
    if finding.conversation != first.conversation or apart(finding, first):
        return False
    if _family(first) == SERVER:
        return follows_loss(finding, first)
    if first.refused is not None:
        if (_family(finding) == "final" or finding.rule == "target/end") and moment(finding) >= moment(first):
            return True
        # A body that is wrong in its form has no subject: whatever else is seen in it comes from that.
        return _family(finding) == "history" and finding.at == first.at and not subjects(first.id)
    # An event that must not be there is no piece of the text that it would be joined with.
    return _family(first) == "order" and _family(finding) == "stream" and finding.at == first.at


def _follows(number: int, roots: Iterable[Root], found: dict[int, Finding]) -> bool:
    """Whether a missed expectation follows from one of the causes. If so, it is added to the first such cause."""
    missed = found[number]
    for root in roots:
        if any(_explains(found[each], missed) for each in root.found):
            root.follows.append(number)
            return True
    return False


def _explains(cause: Finding, missed: Finding) -> bool:
    if cause.conversation != missed.conversation:
        return False
    if cause.rule in OTHER_RESULTS and missed.rule == "expect/results":
        return True  # both say what the results are that go back
    if moment(missed) < _began(cause):
        return False
    if cause.refused is not None or cause.rule in _UNBOUNDED:
        return True
    if _gives_other_results(cause) and missed.rule in _BY_RESULTS:
        return True
    family = _family(cause)
    if family in ("continuation", "history"):
        return missed.rule == "expect/sent" and missed.at == cause.at
    if cause.level != "MUST":
        return family in ("guardrail", "final") and missed.at == cause.at and missed.rule in _BY_COURSE
    return family in _CHANGES_THE_COURSE or (family in _ABOUT_EVENTS and missed.rule == "expect/events")


def _gives_other_results(cause: Finding) -> bool:
    """Whether the model reads other results than the results of its calls, and may answer otherwise."""
    other = cause.rule in OTHER_RESULTS or RESULTS in subjects(cause.id)
    return other or cause.rule in INPUT or cause.rule.startswith("order/tool-")


def _began(cause: Finding) -> float:
    """The line after which the loop made the mistake: the model's answer that it reacted to. An event is wrong by
    itself."""
    reaction = _family(cause) not in _ABOUT_EVENTS and cause.answer is not None
    return cause.answer + 1 if reaction and cause.answer is not None else moment(cause)


def _by_course(missed: Sequence[int], found: dict[int, Finding]) -> list[Root]:
    """Causes among the missed expectations alone. A run that took another course misses everything expected after
    that."""
    roots: list[Root] = []
    course: Root | None = None
    results: Root | None = None
    for number in sorted(missed, key=lambda number: (moment(found[number]), _place(found[number]))):
        finding = found[number]
        if course is not None and finding.rule not in _ALONE:
            course.follows.append(number)
            continue
        if results is not None and finding.rule in _BY_RESULTS:
            results.follows.append(number)
            continue
        roots.append(root := Root([number]))
        if finding.rule in _BY_COURSE:
            course = root
        elif finding.rule == "expect/results":
            results = root
    return roots


def _place(finding: Finding) -> int:
    return _BY_COURSE.index(finding.rule) if finding.rule in _BY_COURSE else len(_BY_COURSE)


def _may_follow(roots: Sequence[Root], found: dict[int, Finding]) -> None:
    """Set ``earlier`` of each cause that comes after one that changed the course of the run."""
    for root in roots:
        first = found[root.found[0]]
        before = (each for each in roots if each is not root and _led_to(each, first, found))
        root.earlier = min(before, key=lambda each: moment(found[each.found[0]]), default=None)


def _led_to(root: Root, later: Finding, found: dict[int, Finding]) -> bool:
    """Whether a cause before ``later`` has changed the course of the run. Any of its findings may have done that."""
    first = found[root.found[0]]
    others = root.found[1:] if moment(first) < moment(later) else ()
    return any(_changed_before(found[number], later) for number in (root.found[0], *others))


def hides(before: Finding, later: Finding) -> bool:
    """Whether ``later`` could not be seen in a run with ``before``, which took another course earlier.

    If a request was refused for what it lacks, nobody knows what else would have been wrong in it.
    """
    changed = before.refused is not None or before.rule in _BY_COURSE
    changed = changed or (before.level == "MUST" and _family(before) in _CHANGES_THE_COURSE)
    behind = moment(before) < moment(later) or (before.refused is not None and before.at == later.at)
    return changed and before.conversation == later.conversation and behind


def _changed_before(cause: Finding, later: Finding) -> bool:
    changed = cause.level == "MUST" and (_family(cause) in _CHANGES_THE_COURSE or cause.refused is not None)
    changed = changed or cause.rule in _UNBOUNDED
    # What a provider refuses in a history that was changed is the same fact as that it was.
    is_same_fact = later.rule == "history/append-only" and cause.refused is not None and cause.at == later.at
    return (
        changed
        and cause.conversation == later.conversation
        and not apart(cause, later)
        and (moment(cause) < moment(later) or is_same_fact)
        and not expected(later)
        and _family(later) not in _ABOUT_EVENTS
    )
