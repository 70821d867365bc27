"""Where the arguments of a call stand in a stream: in the deltas of the block that a ``toolUse`` has opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from harness.wire.arrival import Arrival, Piece, arrived, at_once
from harness.wire.base import Json
from harness.wire.bedrock_converse.blocks import SERVER_TOOL
from harness.wire.bedrock_converse.stream import EVENT_STREAM, events


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    if not EVENT_STREAM.is_stream(content_type):
        return at_once(body, arguments)
    try:
        found = list(events(body))
    except ValueError:
        return None
    return arrived(_pieces(found), arguments, last=found[-2][0] if len(found) > 1 else 0)


def _pieces(found: Sequence[tuple[int, Json]]) -> Iterator[Piece]:
    numbers = count()
    open_calls: dict[Any, int] = {}
    for offset, event in found:
        index = next(iter(event.values())).get("contentBlockIndex")
        match event:
            case {"contentBlockDelta": {"delta": {"toolUse": {"input": str(text)}}}} if index in open_calls:
                yield Piece(open_calls[index], offset, text)
            case {"contentBlockStart": {"start": {"toolUse": dict(called)}}} if called.get("type") != SERVER_TOOL:
                open_calls[index] = next(numbers)
                yield Piece(open_calls[index], offset)
            case {"contentBlockStop": _} if index in open_calls:
                yield Piece(open_calls.pop(index), offset, done=True)
