"""What a cause means for the users of the loop, and which cause comes first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.finding import Finding
from harness.report.causes.model import CATEGORIES, Category, Cause
from harness.rules import RULES
from harness.wire import wire, wire_names

__all__ = ["category", "rank", "weight"]

_FOR_THE_USER: Final = frozenset({"order", "stream", "preview", "final", "agui"})
"""Families whose findings show in what the user of the loop gets, and harm nobody else."""

_OF_GATEWAYS: Final = frozenset({"server", "gateway", "probe"})
"""Families whose findings are about what a server or a gateway sends: no provider refuses that."""

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


def category(found: Sequence[Finding], level: str, *, driver: bool) -> Category:
    """The category of a cause with these findings. ``driver``: the run has found a mistake in the driver."""
    if driver and all(map(_rests_on_events, found)):
        return "uncertain"
    if weight(level) > 1:
        return "opinion"
    return min((_category(each) for each in found), key=CATEGORIES.index)


def _category(finding: Finding) -> Category:
    if finding.rule.partition("/")[0] in _OF_GATEWAYS:
        return "unsafe" if finding.impact == "unsafe" else "opinion" if finding.impact == "style" else "wrong"
    if finding.refused is not None and finding.impact == "invalid":
        return "refused"
    if finding.impact == "invalid" and (finding.level != "MUST" or _of_a_provider(finding.rule)):
        return "refused" if finding.level == "MUST" else "likely-refused"
    if finding.impact == "style":
        return "opinion"
    if finding.rule in _RAN:
        return "unsafe"
    harms = finding.impact in ("unsafe", "invalid") and finding.rule.partition("/")[0] not in _FOR_THE_USER
    return "unsafe" if harms else "wrong"


def _of_a_provider(rule: str) -> bool:
    """Whether a provider demands it. What a text protocol demands no provider refuses: the model reads it as it is."""
    family, _, name = rule.partition("/")
    return family == "continuation" and (name not in wire_names() or wire(name).native)


def _rests_on_events(finding: Finding) -> bool:
    """Whether a finding rests on the driver's events alone, not on the requests of the loop."""
    rule = RULES.get(finding.rule)
    return finding.rule in _EVENTS_ONLY if rule is None else "events" in rule.needs
