"""Chat response bodies read back: streams of chunks and whole completions, of OpenAI and compatible servers."""

from __future__ import annotations

from typing import Any

from harness.ground.bounded_json import loads
from harness.wire.base import Json, Reply
from harness.wire.openai_chat.fold import ChatFold
from harness.wire.sse import SseParser
from harness.wire.wrong_shapes import refusing_wrong_shapes

_STREAM_LINES = (b"data:", b"event:", b"id:", b"retry:", b":")


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a whole completion or a chunk of one."""
    is_named = document.get("object") in ("chat.completion", "chat.completion.chunk")
    return is_named and isinstance(document.get("choices"), list)


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """Read a response body. Raises ``ValueError`` if it is neither a stream of chunks nor a completion.

    The content type decides only if the bytes do not: gateways send errors as JSON under the type of a stream.
    """
    start = body.lstrip()
    if start[:1] in (b"{", b"["):
        return _parse_document(body)
    if start.startswith(_STREAM_LINES) or "event-stream" in content_type:
        return _parse_stream(body)
    if start:
        raise ValueError(f"not a chat completion: {start[:60]!r}")
    return ChatFold().reply()


def _parse_stream(body: bytes) -> Reply:
    fold = ChatFold()
    for event in SseParser().feed(body):
        if event.data.startswith("[DONE]"):
            break
        chunk = loads(event.data)
        if not isinstance(chunk, dict):
            raise ValueError(f"not a chunk: {event.data[:60]!r}")
        fold.feed(chunk)
    return fold.reply()


def _parse_document(body: bytes) -> Reply:
    fold = ChatFold()
    document = _load(body)
    if document is None:
        return fold.reply()
    if "choices" not in document and "error" not in document:
        raise ValueError(f"neither choices nor error in {body[:60]!r}")
    fold.feed_whole(document)
    return fold.reply()


def _load(body: bytes) -> Json | None:
    """The document; None if it was cut off. Gemini's compatible endpoint wraps errors in a list."""
    try:
        document: Any = loads(body)
    except ValueError:
        return None
    if isinstance(document, list) and document:
        document = document[0]
    if not isinstance(document, dict):
        raise ValueError(f"not a chat completion: {body[:60]!r}")
    return document
