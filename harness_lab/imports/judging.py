"""What our adapter sends to go on, under the rules of the wire, in the place of what the recorded loop sent.

The settings are those of the recorded request, which the provider took: of a model that does not think ours would ask
for thinking all the same, and that is not what is asked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.lint import route_of
from harness.wire import (
    HISTORY,
    Conversation,
    IssuedState,
    NativeWireName,
    Reply,
    Route,
    UnreadableRequest,
    Violation,
    wire,
)
from harness.wire.base import Json
from harness.wire.json_text import document
from harness_lab.imports.loops import Step

__all__ = ["NOT_STORED", "Rules", "native_history"]

NOT_STORED: Final = "OAI-16"
"""The rule about reasoning that is neither stored nor sent encrypted."""

_NAMING: Final = ("previous_response_id", "conversation")
"""Members that name a history in place of sending it."""


def native_history(name: NativeWireName, body: Json) -> list[Any]:
    """The entries of a request's history, as it has them."""
    found = body.get(HISTORY[name])
    if isinstance(found, str):
        return [{"role": "user", "content": found}]
    return found if isinstance(found, list) else [found] if isinstance(found, dict) else []


class Rules:
    """The rules of a wire for one loop, with the memory of what the model said in it."""

    def __init__(self, name: NativeWireName) -> None:
        self._name = name
        self._ours = IssuedState()
        self._recorded = IssuedState()

    def broken(self, step: Step, ours: Sequence[Any]) -> tuple[Violation, ...]:
        """What is certainly wrong with ``ours`` as the history of a step, and is not wrong with the recorded one.

        The step's reply is remembered for the steps behind it.
        """
        settings = {name: value for name, value in step.asked.body.items() if name not in _NAMING}
        asked = self._read(step, document({**settings, HISTORY[self._name]: list(ours)}))
        if isinstance(asked, Violation):
            return (asked,)
        accepted = {each.rule for each in _judged(step.asked, step.reply, self._recorded)}
        return tuple(each for each in _judged(asked, step.reply, self._ours) if each.rule not in accepted)

    def _read(self, step: Step, body: bytes) -> Conversation | Violation:
        route = route_of(step.exchange.method, step.exchange.url) or Route(self._name)
        try:
            return wire(self._name).read(route, body, step.exchange.request_headers)
        except UnreadableRequest as unreadable:
            return unreadable.violation


def _judged(asked: Conversation, reply: Reply | None, sent: IssuedState) -> Iterator[Violation]:
    speaker = wire(asked.wire)
    resolved = speaker.resolve(asked, sent)
    found = speaker.violations(resolved, sent)
    if reply is not None:
        sent.add(resolved, reply)
    return (each for each in found if each.level == "C" and each.status >= 400)
