"""Reads the turn of a Chat response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.loop.session import ProviderTurn
from harness.loop.sessions.reader import TurnReader
from harness.loop.sessions.shared import seconds
from harness.wire.base import Json
from harness.wire.characters import sendable
from harness.wire.openai_chat import WIRE
from harness.wire.openai_chat.fold import ChatFold


class ChatReader(TurnReader):
    """Reads chunks as the JSON that the SDK has received.

    Each call gets an id for the loop and one for the provider:

        ToolCall.id   unique within the run: the server's own, or an invented one if it sent none or repeated one
        native id     the server's own, even if an earlier turn had it (providers pair within one turn only); the loop's
                      id if it sent none, or the same one twice in this turn: results need distinct ids
    """

    emits_empty = True

    def __init__(self, taken: set[str]) -> None:
        self._chat = ChatFold()
        super().__init__(WIRE, self._chat, taken, "call_{:024}")

    def finish(self) -> ProviderTurn:
        """The whole turn (``TurnReader.finish``)."""
        return replace(super().finish(), created=seconds(self._chat.created))

    def _native(self, entries: list[Json]) -> Any:
        (message,) = entries
        return message

    def _text(self, pieces: Sequence[str]) -> str:
        return sendable("".join(pieces))  # the stream does not say where one ends and another begins
