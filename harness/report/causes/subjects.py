"""What a rule about requests is about, so that a provider's rule and ours about the same thing are one cause.

The rules of the wires and the rules of the family ``history`` state the same in their own words: a call without its
result breaks ``OAC-03`` on one wire, ``ANT-01`` on another, and ``history/results`` on all of them. A wire says of its
rules what they are about (``WireRule.about``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from harness.wire import Subject, subjects_of

__all__ = ["HISTORY", "RESULTS", "subjects"]

RESULTS: Final = "results"
"""Which results answer which calls, and where they stand."""

HISTORY: Final[Mapping[Subject, tuple[str, ...]]] = {
    RESULTS: (
        *("history/results", "history/no-other-results", "history/result-after-call"),
        *("history/results-first", "history/result-order", "history/result-name"),
    ),
    "thinking": ("history/model-thinking",),
    "words": ("history/append-only", "history/model-text", "history/model-calls", "history/model-order"),
}
"""The harness's own rules by what they are about."""


@cache
def subjects(rule: str) -> frozenset[Subject]:
    """What a rule is about that rules of the family ``history`` are about, too; nothing where none states the same."""
    about = subjects_of(rule)
    return frozenset(subject for subject, own in HISTORY.items() if subject in about or rule in own)
