"""What a rule about requests is about, so that a provider's rule and ours about the same thing are one cause.

The rules of four wires and the rules of the family ``history`` state the same in their own words: a call without its
result breaks ``OAC-03`` on one wire, ``ANT-01`` on another, and ``history/results`` on all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["RESULTS", "SUBJECTS", "WORDS", "subjects"]

RESULTS: Final = "results"
"""Which results answer which calls, and where they stand."""

THINKING: Final = "thinking"
"""Thinking and signatures on their way back."""

WORDS: Final = "words"
"""The text and the calls of the model's turns on their way back."""

_OF: Final[Mapping[str, tuple[str, ...]]] = {
    RESULTS: (
        *("OAI-10", "OAI-11", "OAI-12", "OAI-13"),
        *("OAC-03", "OAC-04", "OAC-05", "OAC-06", "OAC-07"),
        *("ANT-01", "ANT-02", "ANT-03", "ANT-04"),
        *("GEM-05", "GEM-06", "GEM-07", "GEM-12", "GEM-13", "GEM-23"),
        *("TAG-02", "TAG-03", "TAG-04"),
        *("history/results", "history/no-other-results", "history/result-after-call"),
        *("history/results-first", "history/result-order", "history/result-name"),
    ),
    THINKING: (
        *("OAI-14", "OAI-15", "OAI-16", "OAI-17"),
        *("OAC-19", "OAC-SIGNED"),
        *("ANT-14", "ANT-15", "ANT-16", "ANT-17", "ANT-18", "ANT-LAST", "ANT-OFF"),
        *("GEM-08", "GEM-09", "GEM-10"),
        "history/model-thinking",
    ),
    WORDS: (
        *("OAI-14", "OAI-28", "OAC-11", "ANT-07", "GEM-14", "GEM-15", "TAG-01"),
        *("history/append-only", "history/model-text", "history/model-calls", "history/model-order"),
    ),
}

SUBJECTS: Final[Mapping[str, frozenset[str]]] = {
    rule: frozenset(subject for subject, rules in _OF.items() if rule in rules)
    for rule in sorted({rule for rules in _OF.values() for rule in rules})
}
"""The subjects by the name of a rule."""


def subjects(rule: str) -> frozenset[str]:
    """What a rule is about; nothing where no other rule states the same."""
    return SUBJECTS.get(rule, frozenset())
