"""Which part of the selftest is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.rules import select
from harness.wire import OWN_WIRES, WireName
from harness_lab.selftest.mutant_run import names


@dataclass(frozen=True, slots=True)
class Scope:
    """``rules`` are the rules that are wanted (None: every one). With ``loops``, broken loops are run, too."""

    rules: frozenset[str] | None = None
    wires: tuple[WireName, ...] = OWN_WIRES
    loops: bool = True

    def wants(self, rule: str) -> bool:
        """Whether this rule is wanted."""
        return self.rules is None or rule in self.rules

    def wants_any(self, words: Sequence[str]) -> bool:
        """Whether one of the words names a wanted rule, by its id or by its family."""
        return self.rules is None or any(names(tuple(words), rule) for rule in self.rules)


def scope(rules: Sequence[str] = (), wires: Sequence[WireName] = (), *, loops: bool = True) -> Scope:
    """The scope that options name: ``rules`` are rule ids, families and wire rule ids. Raises ``BadInput``."""
    wanted = select(rules)
    chosen = frozenset(wanted.rules | wanted.references) if rules else None
    return Scope(chosen, tuple(name for name in OWN_WIRES if not wires or name in wires), loops)
