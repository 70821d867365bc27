"""Reads the turn of a response."""

from __future__ import annotations

from dataclasses import replace

from harness.loop.session import ProviderTurn
from harness.loop.sessions.reader import TurnReader
from harness.loop.sessions.shared import seconds
from harness.wire import Reply
from harness.wire.fold import ArrivingPart
from harness.wire.openai_responses import WIRE
from harness.wire.openai_responses.fold import ResponseFold


class ResponsesReader(TurnReader):
    """Reads events as the JSON that the SDK has received.

    A call keeps the provider's ``call_id`` as ``ToolCall.id`` and in what goes back. If it has none, or one that was
    used before in this run, it gets an invented one in both places: the API accepts any unique ``call_id`` and refuses
    an empty or a repeated one (OAI-08, OAI-12).
    """

    def __init__(self, taken: set[str]) -> None:
        self._response = ResponseFold()
        super().__init__(WIRE, self._response, taken, "call_{:024}")

    @property
    def ended(self) -> bool:
        """Whether the terminal event has come. What follows belongs to no response, or to another."""
        return self._response.ended

    def finish(self) -> ProviderTurn:
        """The whole turn (``TurnReader.finish``)."""
        return replace(super().finish(), created=seconds(self._response.response.get("created_at")))

    def _waiting(self, reply: Reply) -> list[tuple[ArrivingPart, str]]:  # noqa: ARG002 - the fold knows its parts
        ids = dict(self._calls)  # in the order in which they began
        return [(part, ids[part]) for part in self._response.calls()]
