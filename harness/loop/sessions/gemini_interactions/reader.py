"""Reads the turn of an interaction. The SDK does not join steps and raises nothing for a failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from harness.loop.session import Delta, ProviderTurn, StreamFailed
from harness.loop.sessions.reader import TurnReader
from harness.wire import Reply, StreamError
from harness.wire.base import Json
from harness.wire.characters import sendable_value
from harness.wire.content_blocks import call_input
from harness.wire.fold import ArrivingPart
from harness.wire.gemini_interactions import WIRE
from harness.wire.gemini_interactions.fold import InteractionFold
from harness.wire.gemini_interactions.steps import CALL, kind_of
from harness.wire.json_text import compact
from harness.wire.lenient import members

_MEMBERS = ("interaction", "step", "delta", "error")


class InteractionReader(TurnReader):
    """Reads events and answers as the SDK builds them.

    ``issued`` are the steps as the provider stores them, once the turn is finished. They go back with the loop's ids
    and names for calls, even for calls that the provider's agent has run.
    """

    unnamed = "unknown_tool"  # the API refuses a result without a name (INT-07)

    def __init__(self, taken: set[str]) -> None:
        self._interaction = InteractionFold()
        self.issued: list[Json] = []
        self.id = self.continuation = ""
        """Of the interaction, where it is stored, and the token by which the answer goes on, where it does."""
        super().__init__(WIRE, self._interaction, taken, "call-{}")

    @property
    def ended(self) -> bool:
        """Whether the terminal event has come."""
        return self._interaction.ended

    def feed(self, event: Any, *, whole: bool = False) -> list[Delta]:
        """Return the deltas of an event, or of a ``whole`` answer (``TurnReader.feed``)."""
        if whole:
            return super().feed(_plain(event), whole=True)
        if isinstance(event, str):
            raise StreamFailed(f"an event is no JSON: {event[:80]!r}")
        held = {name: _plain(value) for name in _MEMBERS if (value := getattr(event, name, None)) is not None}
        kind, index = getattr(event, "event_type", ""), getattr(event, "index", None)
        return super().feed({"event_type": kind, "index": index, **held})

    def finish(self) -> ProviderTurn:
        """The whole turn (``TurnReader.finish``)."""
        if not self.ended:
            raise StreamFailed(self._interaction.unfinished)
        return super().finish()

    def _turn(self, reply: Reply) -> ProviderTurn:
        self.issued = [_with_object(step) for step in reply.items]
        self.id, self.continuation = reply.id, reply.continuation
        return super()._turn(replace(reply, items=tuple(self.issued)))

    def _failure(self, error: StreamError) -> str:
        return f"the interaction failed: {error.message or error.kind}"

    def _going_back(self, reply: Reply, ids: Sequence[str]) -> list[Json]:  # noqa: ARG002 - done calls have ids, too
        calls = iter(self._calls)
        return [sendable_value(self._with_id_and_name(step, calls)) for step in reply.items]

    def _with_id_and_name(self, step: Json, calls: Iterator[tuple[ArrivingPart, str]]) -> Json:
        if kind_of(step) != CALL:
            return step
        part, call_id = next(calls)
        return {**step, "id": call_id, "name": self._name(part)}


def _with_object(step: Json) -> Json:
    """A call with an object of arguments, as the API takes it back; in a whole answer it may be a text, or missing."""
    if kind_of(step) != CALL:
        return step
    begun = step.get("arguments") or {}
    return {**step, "arguments": call_input(begun if isinstance(begun, str) else compact(begun))}


def _plain(value: Any) -> Json:
    """What the SDK has built, as JSON; what it does not know it keeps as it came."""
    plain: Any = value.model_dump(mode="json", exclude_none=True, by_alias=True)
    return members(plain)
