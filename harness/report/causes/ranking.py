"""The category of a cause for the users of the loop, and the order of causes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from harness.finding import Finding
from harness.report.causes.model import CATEGORIES, Category, Cause
from harness.wire import wire, wire_names

_FOR_THE_USER: Final = frozenset({"order", "stream", "preview", "final", "agui"})
"""Families whose findings affect only what the user of the loop gets."""

_OF_GATEWAYS: Final = frozenset({"server", "gateway", "probe"})
"""Families whose findings are about what a server or a gateway sends: no provider refuses that."""

_RAN: Final = frozenset({"final/stopped-call", "final/failed-turn", "expect/not_ran", "execution/unapproved"})
"""Rules and expectations that are broken if a call runs that must not run."""

_END: Final = frozenset({"expect/events", "expect/final", "expect/error", "expect/outcome"})
_TEXTS: Final = frozenset({"stream", "preview", "timing", "expect/events", "expect/final"})

_CONCERNED: Final[Mapping[str, frozenset[str]]] = {
    "driver/answer": _END,
    "driver/kind": frozenset({"expect/error", "expect/events"}),
    "driver/text-id": _TEXTS,
    "driver/text": _TEXTS,
    "driver/events": _END | _TEXTS | {"order", "reported"},
}
"""The families and expectations that rest on the events with which a check of the driver has found something wrong.

Whatever is read from the body of a request, and of a tool that the harness has run, rests on no event.
"""


def rank(cause: Cause) -> tuple[bool, int, int]:
    """A sort key of causes by harm: first calls that must not have run, which nobody can undo; then the category, and
    in how many cases it occurs."""
    ran = cause.category == "unsafe" and cause.level == "MUST" and cause.rule in _RAN
    return not ran, CATEGORIES.index(cause.category), -cause.worst


def weight(level: str) -> int:
    """A sort key of levels, the most severe first."""
    return {"MUST": 0, "SHOULD": 1, "INFO": 2}.get(level, 3)


def category(found: Sequence[Finding], level: str, *, driver: Collection[str] = ()) -> Category:
    """The category of a cause with these findings. ``driver``: the checks that have found something there."""
    concerned = {each for check in driver for each in _CONCERNED.get(check, ())}
    if concerned and all({each.rule, each.rule.partition("/")[0]} & concerned for each in found):
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
    """Whether a provider demands it. No provider refuses what only a text protocol demands: the model reads it as it
    is."""
    family, _, name = rule.partition("/")
    return family == "continuation" and (name not in wire_names() or wire(name).native)
