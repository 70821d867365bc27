"""Where the arguments of a call stand in a stream: in the ``input_json_delta`` events of its ``tool_use`` block.

A block of a tool that the server runs has such events, too, and is no call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from harness.wire.arrival import STRING, Arrival, Piece, at_once, streamed
from harness.wire.base import Json
from harness.wire.lenient import objects
from harness.wire.sse import SSE

_PATTERN = re.compile(rb'"partial_json":\s*' + STRING)


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    return streamed(body, arguments, _pieces, _PATTERN) if SSE.is_stream(content_type) else at_once(body, arguments)


def _pieces(events: Iterable[tuple[int, Json]]) -> Iterator[Piece]:
    numbers = count()
    open_calls: dict[Any, int] = {}
    for offset, event in events:
        index = event.get("index")
        match event:
            case {"type": "content_block_delta", "delta": {"partial_json": str(text)}} if index in open_calls:
                yield Piece(open_calls[index], offset, text)
            case {"type": "content_block_start", "content_block": {"type": "tool_use"} as block}:
                open_calls[index] = next(numbers)
                # A server that does not stream arguments sends the whole input with the start of the block.
                yield Piece(open_calls[index], offset, done=bool(block.get("input")))
            case {"type": "content_block_stop"} if index in open_calls:
                yield Piece(open_calls.pop(index), offset, done=True)
            case {"type": "message_start", "message": {"content": blocks}}:
                # Calls that code on the server makes come whole, with the start of their message.
                calls = [block for block in objects(blocks) if block.get("type") == "tool_use"]
                yield from [Piece(next(numbers), offset, done=True) for _ in calls]
