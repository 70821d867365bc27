"""What a rule is and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from harness.rules.trace_view import Need, TraceView

__all__ = ["Breach", "Check", "Finding", "Impact", "Level", "Rule"]

Level = Literal["MUST", "SHOULD", "INFO"]
"""``MUST``: wrong. ``SHOULD``: a loop may differ, and its users will notice. ``INFO``: reported only on request."""

Impact = Literal["invalid", "unsafe", "style"]
"""``invalid``: the provider would refuse it. ``unsafe``: a user or a model is misled or harmed. ``style``: cosmetic."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One place where a rule is broken, as its check reports it.

    ``at`` is an index into ``trace.records``. ``reference`` is a wire rule id (``ANT-01``). ``level`` overrides the
    rule's own.
    """

    at: int
    expected: str
    got: str
    detail: str = ""
    reference: str = ""
    level: Level | None = None


Check = Callable[[TraceView], Iterator[Breach]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One conformance statement.

    ``needs`` says what a trace must hold for the rule to apply, ``profiles`` whose contract it is part of (empty:
    everybody's). ``source`` says where the statement comes from.
    """

    id: str
    level: Level
    klass: Impact
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


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation of a rule, with the evidence. ``at`` is the index of the record that shows it.

    ``conversation`` is the one that breaks the rule (``RequestRecord.conversation``).
    """

    rule: str
    level: Level
    klass: Impact
    at: int
    expected: str
    got: str
    detail: str = ""
    reference: str = ""
    conversation: int = 0
