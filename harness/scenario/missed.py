"""The finding of an expectation that is not met."""

from __future__ import annotations

from harness.finding import Finding, line_of

__all__ = ["number_of", "unmet"]


def unmet(key: str, expected: str, got: str, at: int | None = None) -> Finding:
    """The finding of an expectation that a trace does not meet, the rule ``expect/KEY``.

    ``key`` is that of the scenario's file (``outcome``, ``turns``, ``requests``, ``events``, ``sent``, ``ran``,
    ``not_ran``, ``offered``, ``reported``, ``results``, ``final``, ``error``), ``at`` the index of the record that
    shows it; None where something is missing altogether.
    """
    return Finding(f"expect/{key}", "MUST", "expectation", None if at is None else line_of(at), expected, got)


def number_of(count: int, noun: str) -> str:
    """The number with the word in its singular or plural."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
