"""What the rules of a run's evidence state, why, and who says so; each is told once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.rules import RULES
from harness.rules.continuation import LEVELS
from harness.wire import WireRule, wire_rules

__all__ = ["explanations"]

_OTHERS = {
    "expect": ("What the scenario itself expects of the run.", "Its file says so, under expect."),
    "cassette/miss": ("Every request is one that was recorded.", "No recording answers any other."),
    "cassette/unplayed": ("Every recording is asked for.", "The loop asks less than it did when it was recorded."),
    "target/wire": (
        "A target asks on the wire of its case.",
        "What it does on another wire shows nothing about this one. Declare its 'wires', or choose with --wire.",
    ),
    "target/request": (
        "A target sends at least one request to the endpoint.",
        "A loop that was not seen at work has not passed. Check that it uses the base URL of the case.",
    ),
    "target/exit": (
        "A command that 'harness serve' has started ends with exit code 0.",
        "No rule is broken in what it asked, so what made it fail is in its own output.",
    ),
    "target/network": (
        "A target asks nobody but the endpoint that it was given.",
        "The answers of other hosts cannot be judged, and no request may reach them.",
    ),
}


def explanations(broken: Iterable[str]) -> dict[str, dict[str, Any]]:
    """By the name that an evidence has for it (``continuation/openai-chat (OAC-01)``); nothing of an unknown one."""
    told = {name: _explained(name) for name in broken}
    return {name: text for name, text in told.items() if text is not None}


def _explained(name: str) -> dict[str, Any] | None:
    id, _, reference = name.partition(" (")
    wire_rule = wire_rules().get(reference.removesuffix(")"))
    if wire_rule is not None:
        return _of_wire(wire_rule)
    if id in RULES:
        rule = RULES[id]
        return {"level": rule.level, "statement": rule.statement, "why": rule.why, "source": [rule.source]}
    statement, why = _OTHERS.get(id) or _OTHERS.get(id.partition("/")[0]) or ("", "")
    return {"level": "MUST", "statement": statement, "why": why, "source": []} if statement else None


def _of_wire(rule: WireRule) -> dict[str, Any]:
    return {
        "level": LEVELS[rule.level],
        "statement": rule.statement,
        "why": rule.why,
        "source": list(rule.evidence),
        "applies": rule.applies,
        "seen": [wording.seen for _, wording in rule.wordings if wording.seen],
    }
