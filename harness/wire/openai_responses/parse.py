"""Response bodies, streamed or whole, complete or cut off, read into items and a neutral turn.

Tolerant where servers differ: CRLF, comments, a ``[DONE]`` at the end, missing ``event:`` lines.
"""

from __future__ import annotations

from typing import Final

from harness.ground.bounded_json import loads
from harness.wire.base import Json, Reply
from harness.wire.openai_responses.fold import ResponseFold
from harness.wire.sse import SseParser
from harness.wire.wrong_shapes import refusing_wrong_shapes

_OPENINGS: Final = ("response.created", "response.queued")
_STREAM_STARTS: Final = (b"event", b"data", b"id", b"retry", b":")


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a whole response, or the event that opens a streamed one."""
    if document.get("type") in _OPENINGS and isinstance(document.get("response"), dict):
        return begins_answer(document["response"])
    return document.get("object") == "response" and isinstance(document.get("output"), list)


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """``Wire.parse``. A cut JSON document gives a reply without items that is not complete."""
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{") or ("json" in content_type and not start):
        return _parse_document(body)
    if "event-stream" in content_type or start.startswith(_STREAM_STARTS):
        return _parse_stream(body)
    raise ValueError("neither server-sent events nor a JSON object")


def _parse_document(body: bytes) -> Reply:
    fold = ResponseFold()
    try:
        response = loads(body)
    except ValueError:
        return fold.reply()
    if not isinstance(response.get("output"), list):
        raise ValueError("a JSON object without an output list is no response")
    fold.feed_whole(response)
    return _reply(fold)


def _parse_stream(body: bytes) -> Reply:
    fold = ResponseFold()
    for event in SseParser().feed(body):
        try:
            fold.feed(loads(event.data))
        except ValueError:  # [DONE], or an event that is not ours
            continue
        if fold.ended:
            break
    return _reply(fold)


def _reply(fold: ResponseFold) -> Reply:
    if fold.problem and fold.error is None:
        raise ValueError(f"not the JSON of a response: {fold.problem}")
    return fold.reply()
