"""Where the arguments of a call are in a stream: in the deltas of the step that a ``function_call`` has opened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final

from harness.wire.arrival import STRING, Arrival, Piece, at_once, streamed
from harness.wire.base import Json
from harness.wire.gemini_interactions.steps import CALL
from harness.wire.sse import SSE

_PATTERN: Final = re.compile(rb'"delta":\{"arguments":' + STRING + rb',"type":"arguments_delta"')


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    return streamed(body, arguments, _pieces, _PATTERN) if SSE.is_stream(content_type) else at_once(body, arguments)


def _pieces(events: Iterable[tuple[int, Json]]) -> Iterator[Piece]:
    numbers = count()
    open_calls: dict[Any, int] = {}
    for offset, event in events:
        index = event.get("index")
        match event:
            case {"event_type": "step.start", "step": {"type": kind}} if kind == CALL:
                open_calls[index] = next(numbers)
                yield Piece(open_calls[index], offset)
            case {"event_type": "step.delta", "delta": {"arguments": str(text)}} if index in open_calls:
                yield Piece(open_calls[index], offset, text)
            case {"event_type": "step.stop"} if index in open_calls:
                yield Piece(open_calls.pop(index), offset, done=True)
