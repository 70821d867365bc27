"""When the arguments of each call arrived: after how many bytes of the response, how much of them was there.

One pass over the frames of a body, whatever the number of questions; it is made only for responses of which
something was told before they had ended. Calls are told apart by the wire's own index, and counted: where the
frames show another number of calls than the reply has, nothing is known and no rule speaks.

Sources: the event types are those of the wire modules; the frames are told apart as their parsers do.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from harness.wire import WireName

__all__ = ["Arrival", "arrivals"]

Json = dict[str, Any]

_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_ARGUMENTS = re.compile(
    rb"partial_json|tool_use|content_block_stop|function_call|tool_calls|finish_reason|functionCall"
)


@dataclass(slots=True)
class Arrival:
    """How one call arrived: after ``offsets[i]`` bytes ``lengths[i]`` characters of its arguments were there.

    ``complete`` is the offset at which the wire said that no more would come, None if it never did.
    """

    offsets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    complete: int | None = None

    def length(self, offset: int) -> int | None:
        """Characters of the arguments in the first ``offset`` bytes; None when all of them are."""
        if self.complete is not None and self.complete <= offset:
            return None
        at = bisect_right(self.offsets, offset)
        return self.lengths[at - 1] if at else 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one frame says of one call: more of its arguments, or (``done``) that all have come."""

    key: Any
    text: str = ""
    done: bool = False


def arrivals(wire: WireName, body: bytes, calls: int) -> tuple[Arrival, ...] | None:
    """The arrivals of a response's calls, in order; None when the frames do not show ``calls`` calls."""
    read = _READERS[wire]
    found: dict[Any, Arrival] = {}
    for offset, data in _frames(body):
        for piece in read(data, found):
            arrival = found.setdefault(piece.key, Arrival())
            if arrival.complete is not None:
                continue
            if piece.text:
                arrival.lengths.append((arrival.lengths[-1] if arrival.lengths else 0) + len(piece.text))
                arrival.offsets.append(offset)
            if piece.done:
                arrival.complete = offset
    return tuple(found.values()) if len(found) == calls else None


def _frames(body: bytes) -> Iterator[tuple[int, Json]]:
    """Every frame that may speak of a call, with the offset of its end."""
    start = 0
    for blank in _BLANK_LINE.finditer(body):
        frame = body[start : blank.start()]
        start = blank.end()
        if _ARGUMENTS.search(frame):
            data = _data(frame)
            if data is not None:
                yield start, data


def _data(frame: bytes) -> Json | None:
    lines = [line[5:] for line in frame.splitlines() if line.startswith(b"data:")]
    try:
        data = json.loads(b"\n".join(lines))
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _anthropic(data: Json, found: dict[Any, Arrival]) -> Iterator[_Piece]:
    index = data.get("index")
    match data.get("type"):
        case "content_block_start" if data["content_block"].get("type") == "tool_use":
            yield _Piece(index)
        case "content_block_delta" if data["delta"].get("type") == "input_json_delta":
            yield _Piece(index, data["delta"].get("partial_json") or "")
        case "content_block_stop" if index in found:
            yield _Piece(index, done=True)


def _responses(data: Json, _found: dict[Any, Arrival]) -> Iterator[_Piece]:
    index = data.get("output_index")
    match data.get("type"):
        case "response.output_item.added" | "response.output_item.done" as kind:
            if data["item"].get("type") == "function_call":
                yield _Piece(index, done=kind.endswith("done"))
        case "response.function_call_arguments.delta":
            yield _Piece(index, data.get("delta") or "")
        case "response.function_call_arguments.done":
            yield _Piece(index, done=True)


def _chat(data: Json, found: dict[Any, Arrival]) -> Iterator[_Piece]:
    for choice in data.get("choices") or ():
        for call in (choice.get("delta") or {}).get("tool_calls") or ():
            yield _Piece(call.get("index"), (call.get("function") or {}).get("arguments") or "")
        if choice.get("finish_reason"):
            yield from [_Piece(key, done=True) for key in found]


def _gemini(data: Json, found: dict[Any, Arrival]) -> Iterator[_Piece]:
    for candidate in data.get("candidates") or ():
        for part in (candidate.get("content") or {}).get("parts") or ():
            if "functionCall" in part:
                yield _Piece(len(found), done=True)


_READERS: dict[WireName, Callable[[Json, dict[Any, Arrival]], Iterator[_Piece]]] = {
    "anthropic-messages": _anthropic,
    "openai-responses": _responses,
    "openai-chat": _chat,
    "gemini-generate": _gemini,
}
