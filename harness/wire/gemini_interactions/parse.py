"""Read a response body, streamed or not, complete or cut anywhere, as the model's reply."""

from __future__ import annotations

from harness.ground.bounded_json import loads
from harness.wire.base import Reply
from harness.wire.gemini_interactions.claim import begins_answer
from harness.wire.gemini_interactions.ends import error_of
from harness.wire.gemini_interactions.fold import InteractionFold
from harness.wire.sse import SSE, parse_events
from harness.wire.wrong_shapes import refusing_wrong_shapes

__all__ = ["begins_answer", "parse"]


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """The reply in a response body.

    A cut body gives what had arrived, with ``complete`` False and ``turn.ending`` ``eof``. An error event, the status
    ``failed`` and the document of an error become ``turn.error``. Raises ``ValueError`` for any other body, and for an
    event that is no JSON, since its content is unknown.
    """
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if SSE.is_stream(content_type):
        return _parse_stream(body)
    if start not in (b"{", b""):
        raise ValueError(f"neither a stream of events nor a JSON object: {content_type or 'no content type'}")
    return _parse_document(body)


def _parse_stream(body: bytes) -> Reply:
    fold = InteractionFold()
    for number, event in enumerate(parse_events(body), 1):
        try:
            data = loads(event.data)
        except ValueError:
            if event.data.strip() != "[DONE]":
                raise ValueError(f"event {number} is not JSON: {event.data[:80]!r}") from None
            continue
        if isinstance(data, dict):
            fold.feed(data)
    return fold.reply()


def _parse_document(body: bytes) -> Reply:
    fold = InteractionFold()
    try:
        answer = loads(body)
    except ValueError:
        # A document that begins like JSON but is none was cut off: nothing of it can be used.
        return fold.reply()
    if isinstance(answer.get("error"), dict) and "steps" not in answer:
        fold.error = error_of(answer["error"])
    elif "status" not in answer and "steps" not in answer:
        raise ValueError("a JSON object without status and steps is no interaction")
    else:
        fold.feed_whole(answer)
    return fold.reply()
