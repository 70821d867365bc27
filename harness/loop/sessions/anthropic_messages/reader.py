"""Reads the turn of a message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.loop.session import ProviderTurn
from harness.loop.sessions.reader import TurnReader
from harness.wire.anthropic_messages import WIRE
from harness.wire.anthropic_messages.fold import BlocksFold
from harness.wire.base import Json


class MessagesReader(TurnReader):
    """Reads events as the JSON that the SDK has received.

    To build a model of the SDK from each event and take it apart again would be a tenth of the time of a streamed turn.
    ``harness.wire.anthropic_messages.write.returned`` explains what does not go back, and why.
    """

    def __init__(self, taken: set[str]) -> None:
        self._message = BlocksFold()
        super().__init__(WIRE, self._message, taken, "toolu_invented_{:04}")

    @property
    def container(self) -> str:
        """The id of the container in which the provider runs code; empty if the response has named none."""
        return self._message.container

    def finish(self) -> ProviderTurn:
        """The whole turn (``TurnReader.finish``)."""
        return replace(super().finish(), refusal=self._message.explanation)

    def _native(self, entries: list[Json]) -> Any:
        return entries[0]["content"] if entries else []
