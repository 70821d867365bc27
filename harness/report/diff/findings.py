"""Sorts the findings of a case into new ones, gone ones, and those that are the same in other words."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from harness.finding import Finding
from harness.report.causes.folding import hides
from harness.report.diff.model import Altered
from harness.runner.results import BY_CALIBRATION, CaseResult

Naming = Callable[[str], str]
"""Replaces what a run has invented (ids) by names that are equal in every run."""

_Key = Callable[[Finding], str]


@dataclass(frozen=True, slots=True)
class Findings:
    """Unexpected findings that only the new run has, those in other words, and those that are gone.

    ``visible`` findings are new, too, but could not be seen in the base run.
    """

    found: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    altered: tuple[Altered, ...] = ()
    visible: tuple[Finding, ...] = ()


def between(
    base: CaseResult,
    new: CaseResult,
    name_base: Naming = str,
    name_new: Naming = str,
    *,
    excluded: Collection[str] = (),
) -> Findings:
    """Pair equal findings, then findings of the same rule. A rule that is broken as often as before is not new.

    The place in the trace does not count: one more event moves everything after it. A finding that somebody expects now
    is not gone, and one that nobody expects any more is new. ``excluded`` are the rules that were not applied to the
    base run.
    """
    keys = (partial(_texts, name=name_base), partial(_texts, name=name_new))
    _, found, altered = _pair_findings(base.unexpected, new.unexpected, *keys)
    gone, _, _ = _pair_findings(base.findings, new.findings, *keys)
    unjudged = base.verdict == "skip" and BY_CALIBRATION in base.reason  # the driver was wrong in what the case needs
    visible = [
        each
        for each in found
        if unjudged or not {each.id, each.rule}.isdisjoint(excluded) or any(hides(one, each) for one in gone)
    ]
    regressed = tuple(each for each in found if each not in visible)
    return Findings(regressed, tuple(gone), tuple(Altered(old, now) for old, now in altered), tuple(visible))


def _pair_findings(
    base: Sequence[Finding], new: Sequence[Finding], base_key: _Key, new_key: _Key
) -> tuple[list[Finding], list[Finding], list[tuple[Finding, Finding]]]:
    """The findings of the base only, those of the new run only, and pairs that break the same rule in other words."""
    base, new, _ = _match_by_key(base, new, base_key, new_key)
    return _match_by_key(base, new, _rule, _rule)


def _match_by_key(
    base: Sequence[Finding], new: Sequence[Finding], base_key: _Key, new_key: _Key
) -> tuple[list[Finding], list[Finding], list[tuple[Finding, Finding]]]:
    """The rest of each side, and the pairs with equal keys."""
    waiting: defaultdict[str, deque[Finding]] = defaultdict(deque)
    for each in base:
        waiting[base_key(each)].append(each)
    left, pairs = [], []
    for each in new:
        if same := waiting[new_key(each)]:
            pairs.append((same.popleft(), each))
        else:
            left.append(each)
    return [each for unmatched in waiting.values() for each in unmatched], left, pairs


def _texts(finding: Finding, *, name: Naming) -> str:
    return "\0".join([finding.name, *map(name, (finding.expected, finding.got, finding.remark))])


def _rule(finding: Finding) -> str:
    return finding.name
