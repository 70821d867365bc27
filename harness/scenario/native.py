"""Answers in a provider's own words: frames of a stream, or a document, and the turn that a wire reads in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.scenario.model import Cut, NativeAnswer, TurnStep
from harness.wire import Wire
from harness.wire.json_text import compact, strict
from harness.wire.sse import SSE, frame

DOCUMENT = "application/json"
"""The media type of an answer that is no stream."""


def native_step(wire: Wire, events: Sequence[dict[str, Any] | str], *, stream: bool, cut: Cut | None) -> TurnStep:
    """The answer that says these events, or this one document. Raises ``ValueError`` where the wire cannot read it.

    An event is framed as the provider does it: under its name, where it says one.
    """
    frames = tuple(_frame_of(each, wire) for each in events) if stream else (compact(events[0]).encode(),)
    reply = wire.parse(wire.transport.content_type if stream else DOCUMENT, b"".join(frames))
    turn = reply.turn if reply.complete or reply.turn.error else replace(reply.turn, ending="eof")
    beyond = tuple([name for item in reply.items for name in wire.beyond_parts(item)])
    return TurnStep(turn, cut, native=NativeAnswer(frames, stream, beyond))


def _frame_of(event: dict[str, Any] | str, wire: Wire) -> bytes:
    value = event if isinstance(event, dict) else _object(event)
    if wire.transport is SSE:
        name = value.get(wire.event_name)
        return frame(event, name if isinstance(name, str) else None)
    if wire.transport.write is None:
        raise ValueError(f"its streams are framed as {wire.transport.name}, of which events cannot be written here")
    match list(value.items()):
        case [(str(name), dict(payload))]:
            return wire.transport.write(name, payload)
    raise ValueError("an event of its streams is an object with one member, its name, which has an object")


def _object(text: str) -> dict[str, Any]:
    """The event that a text is: in a mapping of YAML there is no half a character."""
    try:
        value = strict(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
