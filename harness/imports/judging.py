"""Judges what our adapter sends to go on, in place of the recorded history, by the rules of the wire.

The settings are those of the recorded request, which the provider accepted: ours would ask for thinking even if the
model cannot think, and that is not the question here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.finding import Finding
from harness.imports.loops import LoopStep
from harness.wire import (
    Conversation,
    IssuedState,
    NativeWireName,
    Reply,
    Route,
    UnreadableRequest,
    route_of,
    wire,
)
from harness.wire.json_text import document

NOT_STORED: Final = "OAI-16"
"""The rule about reasoning that is neither stored nor sent encrypted."""


class Rules:
    """The rules of a wire for one loop, with the memory of the model's replies in it."""

    def __init__(self, name: NativeWireName) -> None:
        self._name = name
        self._ours = IssuedState()
        self._recorded = IssuedState()

    def broken(self, step: LoopStep, ours: Sequence[Any]) -> tuple[Finding, ...]:
        """The certain errors of ``ours`` as the history of a step that the recorded history does not have.

        The step's reply is remembered for later steps.
        """
        settings = {
            name: value for name, value in step.asked.body.items() if name not in wire(self._name).naming_history
        }
        asked = self._read(step, document({**settings, wire(self._name).history: list(ours)}))
        if isinstance(asked, Finding):
            return (asked,)
        accepted = {each.id for each in _error_findings(step.asked, step.reply, self._recorded)}
        return tuple(each for each in _error_findings(asked, step.reply, self._ours) if each.id not in accepted)

    def _read(self, step: LoopStep, body: bytes) -> Conversation | Finding:
        route = route_of(step.exchange.method, step.exchange.url) or Route(self._name)
        try:
            return wire(self._name).read(route, body, step.exchange.request_headers)
        except UnreadableRequest as unreadable:
            return unreadable.finding


def _error_findings(asked: Conversation, reply: Reply | None, issued: IssuedState) -> Iterator[Finding]:
    speaker = wire(asked.wire)
    resolved = speaker.resolve(asked, issued)
    found = speaker.violations(resolved, issued)
    if reply is not None:
        issued.add(resolved, reply)
    return (each for each in found if each.level == "MUST" and each.answered.status >= 400)
