"""When calls arrive in a stream: each in one piece, so there is only the end of it.

Arguments that are streamed (``partialArgs``, Vertex only) come as values and not as text: only their end is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.wire.arrival import Arrival, Piece, at_once, streamed
from harness.wire.base import Json
from harness.wire.gemini_generate.parts import begins_call, normal_part
from harness.wire.sse import SSE

__all__ = ["arrivals"]


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    return streamed(body, arguments, _pieces) if SSE.is_stream(content_type) else at_once(body, arguments)


def _pieces(events: Iterable[tuple[int, Json]]) -> Iterator[Piece]:
    number = -1
    for offset, chunk in events:
        for call in _calls(chunk):
            if begins_call(call):
                number += 1
            if number >= 0:
                yield Piece(number, offset, done=not call.get("willContinue"))


def _calls(chunk: Json) -> Iterator[Json]:
    for candidate in chunk.get("candidates") or ():
        if candidate.get("index"):
            continue
        for part in (candidate.get("content") or {}).get("parts") or ():
            call = normal_part(part).get("functionCall")
            if isinstance(call, dict):
                yield call
