"""What a cause means for the users of the loop, and which cause comes first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.report.causes.model import CATEGORIES, Category, Cause
from harness.rules import RULES
from harness.runner.results import Evidence

__all__ = ["category", "rank", "weight"]

_FOR_THE_USER: Final = frozenset({"order", "stream", "preview", "final"})
"""Families whose findings show in what the user of the loop gets, and harm nobody else."""

_RAN: Final = frozenset({"final/stopped-call", "final/failed-turn", "expect/not_ran"})
"""What is found where a call ran that must not."""

_EVENTS_ONLY: Final = frozenset({"expect/events", "expect/final", "expect/error", "expect/outcome"})
"""Expectations that only the events of the driver show."""


def rank(cause: Cause) -> tuple[int, int]:
    """Sorts causes: the category, then the number of cases."""
    return CATEGORIES.index(cause.category), -len(cause.members)


def weight(level: str) -> int:
    """Sorts levels, the most severe first."""
    return {"MUST": 0, "SHOULD": 1, "INFO": 2}.get(level, 3)


def category(found: Sequence[Evidence], level: str, *, driver: bool) -> Category:
    """The category of a cause with these findings. ``driver``: the run has found a mistake in the driver."""
    if driver and all(map(_rests_on_events, found)):
        return "uncertain"
    if weight(level) > 1:
        return "opinion"
    return min((_category(each) for each in found), key=CATEGORIES.index)


def _category(evidence: Evidence) -> Category:
    if evidence.refused is not None and evidence.kind == "invalid":
        return "refused"
    if evidence.kind == "invalid" and (evidence.level != "MUST" or _of_a_provider(evidence.rule)):
        return "refused" if evidence.level == "MUST" else "likely-refused"
    if evidence.kind == "style":
        return "opinion"
    if evidence.rule in _RAN:
        return "unsafe"
    harms = evidence.kind in ("unsafe", "invalid") and evidence.rule.partition("/")[0] not in _FOR_THE_USER
    return "unsafe" if harms else "wrong"


def _of_a_provider(rule: str) -> bool:
    """Whether a provider demands it. What a text protocol demands no provider refuses: the model reads it as it is."""
    return rule.startswith("continuation/") and not rule.startswith("continuation/text-tags")


def _rests_on_events(evidence: Evidence) -> bool:
    """Whether only the driver's word stands behind a finding, not the requests that the loop has made."""
    rule = RULES.get(evidence.rule)
    return evidence.rule in _EVENTS_ONLY if rule is None else "events" in rule.needs
