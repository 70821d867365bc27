"""What a provider would refuse: each request after a reply, judged by its wire's own rules.

One rule per wire; the statements, the provider's words and the levels of ``ANT-01`` and its like live with the
wires. A finding carries the wire rule's id as its reference, by which it can be selected.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.rules.model import Breach, Rule
from harness.rules.reading import Reading
from harness.wire import WireName

__all__ = ["RULES", "WIRE_OF_PREFIX", "wire_of"]

WIRE_OF_PREFIX: dict[str, WireName] = {
    "OAI": "openai-responses",
    "OAC": "openai-chat",
    "ANT": "anthropic-messages",
    "GEM": "gemini-generate",
}
"""Which wire's table a wire rule id belongs to, by the letters before its hyphen."""


def wire_of(reference: str) -> WireName | None:
    """The wire whose rule table has an id such as ``ANT-01``; None when ``reference`` is no wire rule id."""
    prefix, hyphen, number = reference.partition("-")
    return WIRE_OF_PREFIX.get(prefix) if hyphen and number else None


def _refused(reading: Reading) -> Iterator[Breach]:
    for ask, violation in reading.violations:
        where = f"{violation.at}: " if violation.at else ""
        yield Breach(
            ask.at,
            violation.expected,
            violation.got,
            f"{where}HTTP {violation.status} {violation.message}",
            violation.rule,
            "MUST" if violation.level == "C" else "SHOULD",
            inferred=violation.level == "I",
        )


def _of(name: WireName) -> Rule:
    def check(reading: Reading) -> Iterator[Breach]:
        if reading.wire.name == name:
            yield from _refused(reading)

    return Rule(
        f"continuation/{name}",
        "MUST",
        "invalid",
        f"Every request is one that {name} accepts after what it sent before.",
        "The provider answers HTTP 400 and the run is over, with everything that was paid for it.",
        f"the rule table of {name}: recorded answers of the provider and its documentation",
        check,
        ("exchanges",),
    )


RULES = tuple(_of(name) for name in WIRE_OF_PREFIX.values())
