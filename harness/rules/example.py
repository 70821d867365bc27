"""A provider's rule shown on requests, for ``harness explain`` and the documentation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.wire import ErrorAnswer, WireName, WireRule


@dataclass(frozen=True, slots=True)
class RuleExample:
    """``right`` is a valid request, line by line, and ``changes`` are the lines of a diff that break the rule.

    ``summary`` says what the changes do. ``message`` is the complaint about the changed request and ``answer`` the
    provider's response to it; None where no provider refuses it. The changes of an allowance are accepted: both are
    None.
    """

    wire: WireName
    summary: str
    right: tuple[str, ...]
    changes: tuple[str, ...]
    message: str | None = None
    answer: ErrorAnswer | None = None


ExampleOf = Callable[[WireRule], RuleExample | None]
"""What an entry point ``harness.examples`` names: the example of a rule, None for a rule that it does not know."""
