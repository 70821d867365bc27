"""Reads the turn of a Gemini answer."""

from __future__ import annotations

from typing import Any

from harness.loop.session import Delta, ProviderTurn, StreamFailed
from harness.loop.sessions.reader import TurnReader
from harness.wire import StreamError
from harness.wire.base import Json
from harness.wire.fold import MALFORMED, ArrivingPart
from harness.wire.gemini_generate import WIRE
from harness.wire.gemini_generate.finish import name_of
from harness.wire.gemini_generate.fold import GenerateFold


class GenerateReader(TurnReader):
    """Reads responses as the JSON that the SDK has received. Only the loop sees an invented id: it does not go back."""

    unnamed = "unknown_tool"  # the API refuses a call or response without a name (GEM-11)

    def __init__(self, taken: set[str]) -> None:
        self._answer = GenerateFold()
        super().__init__(WIRE, self._answer, taken, "call-{}")

    def end(self) -> list[Delta]:
        """Return the deltas that were held back, at the end of the answer."""
        return [delta for part, text in self._answer.end() for delta in self._deltas(part, text)]

    def finish(self) -> ProviderTurn:
        """The whole turn (``TurnReader.finish``)."""
        try:
            return super().finish()
        except MALFORMED as error:
            raise StreamFailed(f"the response cannot be read: {error!r}") from error

    def _deltas(self, part: ArrivingPart, text: str | None) -> list[Delta]:
        if part.kind == "call" and text is not None:
            return []  # streamed arguments are emitted when they end: values may come in any order
        return super()._deltas(part, text)

    def _rest(self, part: ArrivingPart) -> str:
        return self._answer.arguments(part.number) if part.kind == "call" else super()._rest(part)

    def _failure(self, error: StreamError) -> str:
        if self._answer.error is not None:
            return super()._failure(error)
        return f"the model gave no usable turn: {name_of(self._answer.finish)}"

    def _native(self, entries: list[Json]) -> Any:
        return entries[0] if entries else {"role": "model", "parts": []}
