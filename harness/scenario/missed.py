"""The finding of an expectation that is not met."""

from __future__ import annotations

from typing import Literal, get_args

from harness.finding import Finding, line_of

Expectation = Literal[
    "outcome",
    "turns",
    "requests",
    "events",
    "sent",
    "ran",
    "not_ran",
    "offered",
    "reported",
    "results",
    "final",
    "error",
    "subagents",
    "timeline",
    "files",
]
"""What a scenario expects: a key of its ``expect``, or its ``timeline``, whose moments must come."""

EXPECTATIONS = tuple(f"expect/{key}" for key in get_args(Expectation))
"""The rule ids of findings about expectations."""


def unmet(key: Expectation, expected: str, got: str, at: int | None = None) -> Finding:
    """The finding of an expectation that a trace does not meet, the rule ``expect/KEY``.

    ``at`` is the index of the record that shows it; None if something is missing from the trace.
    """
    return Finding(f"expect/{key}", "MUST", "expectation", None if at is None else line_of(at), expected, got)


def number_of(count: int, noun: str) -> str:
    """The number with the word in its singular or plural."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
