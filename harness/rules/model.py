"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

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


def of_runs(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, about each run of the loop by itself."""
    return tuple(replace(rule, scope="run") for rule in rules)


def of_cases(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, about what the caller does, and so about all runs of a case."""
    return tuple(replace(rule, scope="case") for rule in rules)
