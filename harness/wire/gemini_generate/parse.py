"""A response body, streamed or not, complete or cut, read into a ``Reply``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from harness.ground.bounded_json import loads
from harness.wire.base import Json, Reply
from harness.wire.gemini_generate.fold import GenerateFold
from harness.wire.lenient import members, objects
from harness.wire.sse import SseParser
from harness.wire.wrong_shapes import refusing_wrong_shapes


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a ``GenerateContentResponse``, which each event of a stream is, too."""
    candidates = document.get("candidates")
    if candidates is None:
        return "blockReason" in members(document.get("promptFeedback"))
    return bool(objects(candidates)) and all(
        "content" in each or "finishReason" in each for each in objects(candidates)
    )


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """Read a response body. A cut body gives what had arrived, with ``complete`` False.

    Errors inside a stream come as a ``data`` frame or as bare JSON lines; both are read (wire document 3.7). Raises
    ``ValueError`` if the body is no Gemini response at all.
    """
    fold = GenerateFold()
    streamed = content_type.partition(";")[0].strip().lower() == "text/event-stream"
    for chunk in _streamed_chunks(body) if streamed else _whole(body):
        fold.take(chunk)
    return fold.reply()


def _whole(body: bytes) -> Iterable[Json]:
    """One response, or the responses in the array of a stream without ``alt=sse``."""
    text = body.decode("utf-8", "replace").strip()
    if not text:
        return []
    try:
        value = loads(text)
    except ValueError:
        if text[0] in "{[":
            return []
        raise
    chunks = value if isinstance(value, list) else [value]
    known = ("candidates", "promptFeedback", "usageMetadata", "error")
    if not all(isinstance(chunk, dict) and any(chunk.get(key) for key in known) for chunk in chunks):
        raise ValueError("not a generateContent response: no candidates, promptFeedback or error")
    return chunks


def _streamed_chunks(body: bytes) -> Iterator[Json]:
    # Two line ends more: a last event that lacks its blank line still counts when its JSON is whole.
    events = SseParser().feed(body + b"\n\n")
    for number, event in enumerate(events, 1):
        try:
            chunk: Any = loads(event.data)
        except ValueError:
            if number == len(events) or event.data.strip() == "[DONE]":
                continue
            raise ValueError(f"event {number} is not JSON: {event.data[:80]!r}") from None
        if isinstance(chunk, dict):
            yield chunk
    yield from _bare_error(body)


def _bare_error(body: bytes) -> Iterator[Json]:
    """The error object that the server writes into the stream as plain lines, without ``data:``."""
    start = 0 if body.startswith(b"{") else body.rfind(b"\n{") + 1
    if not body.startswith(b"{", start):
        return
    try:
        value, _ = json.JSONDecoder().raw_decode(body[start:].decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict) and "error" in value:
        yield value
