"""When the arguments of each call arrived: after how many bytes of the response, how much of them was there.

One pass over a body, whatever the number of questions, made only for responses of which something was told before
they had ended. Two readings: the quick one takes argument pieces from the bytes in order and is believed only if
they join to exactly what the calls say; else every frame is read, and calls are told apart by the wire's own index.
Where that shows another number of calls than the reply has, nothing is known and no rule speaks. Calls that are
written as text are looked for in the text; where their arguments do not stand there to the letter (the protocol has
repaired them) nothing is known either.
"""

from __future__ import annotations

import json
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.wire import WireName
from harness.wire.characters import joined

__all__ = ["Arrival", "arrivals"]

Json = dict[str, Any]


@dataclass(slots=True)
class Arrival:
    """How one call arrived: after ``offsets[i]`` bytes ``lengths[i]`` characters of its arguments were there.

    ``complete`` is the offset at which all of them were, None if the response ended before.
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

    def add(self, length: int, offset: int) -> None:
        """After ``offset`` bytes ``length`` characters had come."""
        self.lengths.append(length)
        self.offsets.append(offset)


def arrivals(wire: WireName, content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """The arrivals of a response's calls, whose ``arguments`` are given in order; None when they cannot be told."""
    if "event-stream" not in content_type:
        return (Arrival(complete=len(body)),) * len(arguments)
    if wire == "text-tags":
        return _in_text(body, arguments)
    quick = _quick(wire, body, arguments)
    return quick if quick is not None else _by_frame(wire, body, len(arguments))


# --- the quick reading --------------------------------------------------------------------------------------

_STRING = rb'"([^"\\]*(?:\\.[^"\\]*)*)"'
_PIECE: dict[WireName, re.Pattern[bytes]] = {
    "anthropic-messages": re.compile(rb'"partial_json":\s*' + _STRING),
    "openai-responses": re.compile(rb'"response\.function_call_arguments\.delta"[^\n]*?"delta":\s*' + _STRING),
    "openai-chat": re.compile(rb'"arguments":\s*' + _STRING),
}


def _quick(wire: WireName, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    pattern = _PIECE.get(wire)
    if pattern is None or not all(arguments) or b"\r" in body:
        return None
    matches = list(pattern.finditer(body))
    raws = [match[1] for match in matches]
    if _text(b"".join(raws)) != "".join(arguments):
        return None
    found: list[Arrival] = []
    pieces = zip(raws, matches, strict=True)
    for text in arguments:
        arrival, came = Arrival(), 0
        while came < len(text):
            raw, match = next(pieces)
            came += len(raw) if raw.isascii() and b"\\" not in raw else len(_text(raw) or "")
            arrival.add(came, body.find(b"\n\n", match.end()) + 2)
        if came > len(text):
            return None  # a piece of two calls: they came interleaved
        arrival.complete = arrival.offsets[-1]
        found.append(arrival)
    return tuple(found)


def _text(raw: bytes) -> str | None:
    """What the inside of a JSON string says; None if it says nothing."""
    try:
        text: str = json.loads(b'"%s"' % raw, strict=False)
    except ValueError:
        return None
    return text


# --- calls in text ------------------------------------------------------------------------------------------

_BEFORE_ARGUMENTS = r"""<\|?tool_call\|?>.*?(?:["']?args["']?\s*:|call:[^{]*?)\s*"""
_HIGH, _LOW = re.compile("[\ud800-\udbff]\\Z"), re.compile("[\udc00-\udfff]")


def _in_text(body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    text, ends = _content(body)
    found: list[Arrival] = []
    at = 0
    for each in arguments:
        place = re.compile(f"{_BEFORE_ARGUMENTS}({re.escape(each)})", re.DOTALL).search(text, at) if each else None
        if place is None:
            return None
        start, at = place.span(1)
        found.append(_arrival_of(start, at, ends, closed=at < len(text)))
    return tuple(found)


def _arrival_of(start: int, end: int, ends: Sequence[tuple[int, int]], *, closed: bool) -> Arrival:
    """How the text from ``start`` to ``end`` came; ``ends`` has (length of the text, offset) for every frame.

    ``closed``: more text came behind it; otherwise the response broke off inside the arguments.
    """
    arrival = Arrival()
    for length, offset in ends[bisect_right(ends, (start, sys.maxsize)) :]:
        arrival.add(min(length, end) - start, offset)
        if length >= end:
            arrival.complete = offset if closed else None
            break
    return arrival


def _content(body: bytes) -> tuple[str, list[tuple[int, int]]]:
    """The text of a streamed answer, and how long it was at the end of each frame that brought some."""
    pieces: list[str] = []
    ends: list[tuple[int, int]] = []
    length = 0
    for offset, data in _frames(body):
        for choice in data.get("choices") or ():
            piece = (choice.get("delta") or {}).get("content") or ""
            if piece:
                halves_meet = bool(pieces and _HIGH.search(pieces[-1]) and _LOW.match(piece))
                pieces.append(piece)
                length += len(piece) - halves_meet
                ends.append((length, offset))
    return joined("".join(pieces)), ends


# --- frame by frame -----------------------------------------------------------------------------------------

_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one frame says of one call: more of its arguments, or (``done``) that all have come."""

    key: Any
    text: str = ""
    done: bool = False


def _by_frame(wire: WireName, body: bytes, calls: int) -> tuple[Arrival, ...] | None:
    read = _READERS[wire]
    found: dict[Any, Arrival] = {}
    for offset, data in _frames(body):
        for piece in read(data, found):
            arrival = found.setdefault(piece.key, Arrival())
            if arrival.complete is None and piece.text:
                arrival.add((arrival.lengths[-1] if arrival.lengths else 0) + len(piece.text), offset)
            if arrival.complete is None and piece.done:
                arrival.complete = offset
    return tuple(found.values()) if len(found) == calls else None


def _frames(body: bytes) -> Iterator[tuple[int, Json]]:
    """The JSON object of every frame, with the offset of the frame's end."""
    start = 0
    for blank in _BLANK_LINE.finditer(body):
        lines = body[start : blank.start()].splitlines()
        start = blank.end()
        try:
            data = json.loads(b"\n".join([line[5:] for line in lines if line.startswith(b"data:")]))
        except ValueError:
            continue
        if isinstance(data, dict):
            yield start, data


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
