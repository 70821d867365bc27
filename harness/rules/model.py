"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from harness.finding import Finding, Impact, Level
from harness.rules.trace_view import Need, Scope, TraceView
from harness.wire.rule import Fact

Check = Callable[[TraceView], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One conformance statement. ``check`` yields what ``harness.finding.broken`` makes.

    ``level`` is that of its findings, and ``impact`` is what they mean, unless its check gives one its own.
    ``needs`` says what a trace must hold for the rule to apply, ``profiles`` whose contract it is part of (empty:
    everybody's). ``source`` says where the statement comes from. ``scope`` says what it is about, where a case has
    several runs (``Scope``). ``facts`` are those that a record of production must show before the rule can be judged by
    it, where the requests are no longer what was sent but what somebody has recorded of them (``harness.spans``).
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
    scope: Scope = "conversation"
    facts: tuple[Fact, ...] = ("body",)

    @property
    def family(self) -> str:
        """The part of the id before the slash: what the rule is about."""
        return self.id.partition("/")[0]


ALIASES: Final[dict[str, str]] = {}
"""The present id of each rule by its former ids. No id is given to another rule."""


def rule(
    id: str,
    level: Level,
    impact: Impact,
    statement: str,
    *,
    why: str,
    source: str,
    needs: tuple[Need, ...] = ("events",),
    profiles: tuple[str, ...] = (),
    scope: Scope = "conversation",
    facts: tuple[Fact, ...] = ("body",),
    aliases: tuple[str, ...] = (),
) -> Callable[[Check], Rule]:
    """Declare the check below as a rule (``Rule``), which ``harness.rules.catalogue`` finds in its module.

    ``aliases`` are ids that it had before: they stay good on command lines and in baselines.
    """
    ALIASES.update(dict.fromkeys(aliases, id))
    return lambda check: Rule(id, level, impact, statement, why, source, check, needs, profiles, scope, facts)
