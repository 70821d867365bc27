"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness.finding import Finding, Impact, Level
from harness.rules.trace_view import Need, TraceView

__all__ = ["Check", "Rule"]

Check = Callable[[TraceView], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One conformance statement. ``check`` yields what ``harness.finding.broken`` makes.

    ``level`` is that of its findings, unless its check gives one its own; ``impact`` is what they mean.
    ``needs`` says what a trace must hold for the rule to apply, ``profiles`` whose contract it is part of (empty:
    everybody's). ``source`` says where the statement comes from.
    """

    id: str
    level: Level
    impact: Impact
    statement: str
    why: str
    source: str
    check: Check
    needs: tuple[Need, ...] = ("events",)
    profiles: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The part of the id before the slash: what the rule is about."""
        return self.id.partition("/")[0]
