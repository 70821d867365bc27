"""The places of a call's arguments in a stream: the item that begins the call, and the deltas of its arguments or of a
custom call's input.

The response objects at the beginning and at the end of a stream repeat the arguments and are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from harness.wire.arrival import STRING, Arrival, Piece, at_once, streamed
from harness.wire.base import Json
from harness.wire.openai_responses.items import ARGUMENTS, item_id_of
from harness.wire.sse import SSE

_PATTERN: Final = re.compile(rb'"response\.function_call_arguments\.delta"[^\n]*?"delta":\s*' + STRING)
_DELTAS: Final = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")
_DONE: Final = ("response.function_call_arguments.done", "response.custom_tool_call_input.done")


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    return streamed(body, arguments, _pieces, _PATTERN) if SSE.is_stream(content_type) else at_once(body, arguments)


def _pieces(events: Iterable[tuple[int, Json]]) -> Iterator[Piece]:
    calls: dict[Any, int] = {}
    for offset, event in events:
        index = event.get("output_index", item_id_of(event))
        match event:
            case {"type": ("response.output_item.added" | "response.output_item.done") as kind, "item": dict(item)}:
                if member := ARGUMENTS.get(item.get("type", "")):
                    begun = item.get(member) if kind.endswith("added") else ""
                    call = calls.setdefault(index, len(calls))
                    yield Piece(call, offset, begun if isinstance(begun, str) else "", done=kind.endswith("done"))
            case {"type": str(kind), "delta": str(text)} if kind in _DELTAS and index in calls:
                yield Piece(calls[index], offset, text)
            case {"type": str(kind)} if kind in _DONE and index in calls:
                yield Piece(calls[index], offset, done=True)
            case {"type": "response.completed" | "response.incomplete" | "response.failed"}:
                return
