"""What a provider would refuse: each request after a reply, judged by its wire's own rules.

One rule per wire; the statements, the provider's words and the levels of ``ANT-01`` and its like live with the
wires. A finding carries the wire rule's id as its reference, by which it can be selected.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.rules.model import Breach, Check, Level, Rule
from harness.rules.trace_view import TraceView
from harness.wire import NATIVE_WIRES, WireName
from harness.wire import Level as Certainty

__all__ = ["LEVELS", "RULES", "WIRE_OF_PREFIX", "reporters", "wire_of"]

LEVELS: dict[Certainty, Level] = {"C": "MUST", "L": "SHOULD", "I": "INFO"}
"""How sure it is that a provider refuses a request says how a finding counts."""

WIRE_OF_PREFIX: dict[str, WireName] = {
    "OAI": "openai-responses",
    "OAC": "openai-chat",
    "ANT": "anthropic-messages",
    "GEM": "gemini-generate",
    "TAG": "text-tags",
}
"""Which wire's table a wire rule id belongs to, by the letters before its hyphen."""


def wire_of(reference: str) -> WireName | None:
    """The wire whose rule table has an id such as ``ANT-01``; None when ``reference`` is no wire rule id."""
    prefix, hyphen, number = reference.partition("-")
    return WIRE_OF_PREFIX.get(prefix) if hyphen and number else None


def reporters(reference: str) -> frozenset[str]:
    """The rules that report a wire rule. A dialect's requests must be valid in its wire, too."""
    wires = {wire_of(reference), "text-tags" if wire_of(reference) == "openai-chat" else None} - {None}
    return frozenset(f"continuation/{wire}" for wire in wires)


def _refused(reading: TraceView) -> Iterator[Breach]:
    for ask, violation in reading.violations:
        where = f"{violation.at}: " if violation.at else ""
        answer = f"HTTP {violation.status} " if violation.status >= 400 else ""
        yield Breach(
            ask.at,
            violation.expected,
            violation.got,
            f"{where}{answer}{violation.message}",
            violation.rule,
            LEVELS[violation.level],
        )


def _check(name: WireName) -> Check:
    def check(reading: TraceView) -> Iterator[Breach]:
        if reading.wire.name == name:
            yield from _refused(reading)

    return check


def _of(name: WireName) -> Rule:
    return Rule(
        f"continuation/{name}",
        "MUST",
        "invalid",
        f"Every request is one that {name} accepts after what it sent before.",
        "The provider answers HTTP 400 and the run ends; everything that it has cost is lost.",
        f"the rule table of {name}: recorded answers of the provider and its documentation",
        _check(name),
        ("exchanges",),
    )


def _of_text_tags() -> Rule:
    """No server refuses a text, so this rule stands for what the protocol asks for (``Violation.status`` 200)."""
    return Rule(
        "continuation/text-tags",
        "MUST",
        "unsafe",
        "Every request keeps the protocol in which calls and results are text.",
        "No server refuses a wrong continuation: the model takes one result for another's, repeats calls that have "
        "been made, or believes what it has not said. What the Chat API itself refuses is reported too, under its own "
        "ids (OAC-01).",
        "Hugind Tool Calling Flow, sections 3, 4 and 6, and measured cases of the program behind it",
        _check("text-tags"),
        ("exchanges",),
    )


RULES = (*(_of(name) for name in NATIVE_WIRES), _of_text_tags())
