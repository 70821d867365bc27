"""When the arguments of calls in text arrived. They must be in the text to the letter.

If they are not, the protocol has repaired them, and their arrival is unknown.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from harness.wire.arrival import Arrival, at_once, events, lengths
from harness.wire.characters import joined
from harness.wire.openai_chat.message import MessageFold
from harness.wire.sse import SSE

_BEFORE_ARGUMENTS = r"""<\|?tool_call\|?>.*?(?:["']?args["']?\s*:|call:[^{]*?)\s*"""


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    if not SSE.is_stream(content_type):
        return at_once(body, arguments)
    text, ends = _content(body)
    found: list[Arrival] = []
    at = 0
    for each in arguments:
        place = re.compile(f"{_BEFORE_ARGUMENTS}({re.escape(each)})", re.DOTALL).search(text, at) if each else None
        if place is None:
            return None
        start, at = place.span(1)
        found.append(_arrival(start, at, ends, closed=at < len(text)))
    return tuple(found)


def _content(body: bytes) -> tuple[str, list[tuple[int, int]]]:
    """The text of a streamed answer, and its length at the end of each event that brought text."""
    pieces: list[str] = []
    offsets: list[int] = []
    for offset, chunk in events(body):
        for choice in chunk.get("choices") or ():
            content = None if choice.get("index") else (choice.get("delta") or {}).get("content")
            texts = [content] if content and isinstance(content, str) else _texts(content)
            pieces += texts
            offsets += [offset] * len(texts)
    return joined("".join(pieces)), list(zip(lengths(pieces), offsets, strict=True))


def _texts(content: Any) -> list[str]:
    """The texts of a content in parts."""
    return [piece for kind, piece in MessageFold().content(content) if kind == "text"]


def _arrival(start: int, end: int, ends: Sequence[tuple[int, int]], *, closed: bool) -> Arrival:
    """How the text from ``start`` to ``end`` came; ``ends`` has (length of the text, offset) for every event.

    ``closed``: more text came after it; otherwise the response broke off inside the arguments.
    """
    arrival = Arrival()
    for length, offset in ends[bisect_right(ends, (start, sys.maxsize)) :]:
        arrival.add(min(length, end) - start, offset)
        if length >= end:
            arrival.complete = offset if closed else None
            break
    return arrival
