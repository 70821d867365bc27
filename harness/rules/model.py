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

    ``level`` and ``impact`` are those of its findings, unless its check sets others for a finding.
    ``needs`` says what a trace must contain for the rule to apply, ``profiles`` whose contract it is part of (empty:
    everybody's). ``source`` says where the statement comes from. ``scope`` says what it is about if a case has several
    runs (``Scope``). A production record has no original requests, only what somebody recorded of them
    (``harness.spans``); it must show these ``facts`` before the rule can judge it.
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

PROOFS: Final[dict[str, str]] = {}
"""The proof of each rule that has one beside its check, by the id of the rule (``rule``)."""


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
    proof: str = "",
) -> Callable[[Check], Rule]:
    """Declare the check below as a rule (``Rule``), which ``harness.rules.catalogue`` finds in its module.

    ``aliases`` are its former ids: they stay valid on command lines and in baselines. ``proof`` has runs in YAML:
    ``right`` ones, in which no rule finds anything, and ``wrong`` ones, in which this rule does. The self-test judges
    them (``harness_lab/mutants/traces/small_runs/files.py`` has the language), and ``harness explain`` shows them.
    """
    if proof:
        PROOFS[id] = proof
    ALIASES.update(dict.fromkeys(aliases, id))
    return lambda check: Rule(id, level, impact, statement, why, source, check, needs, profiles, scope, facts)
