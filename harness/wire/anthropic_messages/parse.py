"""Read a response body, streamed or not, complete or cut anywhere, as the model's reply."""

from __future__ import annotations

from harness.ground.bounded_json import loads
from harness.wire.anthropic_messages.errors import stream_error
from harness.wire.anthropic_messages.fold import BlocksFold
from harness.wire.aws_events import AWS_EVENTS, as_server_events
from harness.wire.base import Json, Reply
from harness.wire.lenient import members
from harness.wire.sse import parse_events
from harness.wire.wrong_shapes import refusing_wrong_shapes


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a whole message of the model, or the event that opens a streamed one."""
    if document.get("type") == "message_start":
        return begins_answer(members(document.get("message")))
    is_message = document.get("type") == "message" and document.get("role") == "assistant"
    return is_message and isinstance(document.get("content"), list)


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """The reply in a response body.

    A cut body gives what had arrived, with ``complete`` False and ``turn.ending`` ``eof``. An ``error`` event or
    document becomes ``turn.error``. Raises ``ValueError`` if the body is neither an event stream nor JSON.
    """
    media = content_type.partition(";")[0].strip().lower()
    if media == AWS_EVENTS:
        return _parse_stream(as_server_events(body))
    start = body.lstrip()[:1]
    if media == "text/event-stream" or (not media and start in (b"e", b"d", b":")):
        return _parse_stream(body)
    if start not in (b"{", b""):
        raise ValueError(f"neither an event stream nor a JSON object: {content_type or 'no content type'}")
    return _parse_document(body)


def _parse_stream(body: bytes) -> Reply:
    fold = BlocksFold()
    for event in parse_events(body):
        try:
            data = loads(event.data)
        except ValueError as error:
            raise ValueError(f"an event whose data is no JSON: {event.data[:80]!r}") from error
        fold.feed(data)
        if fold.error is not None:
            break
    return fold.reply()


def _parse_document(body: bytes) -> Reply:
    try:
        message = loads(body)
    except ValueError:
        # A document that begins like JSON but is none was cut off: nothing of it can be used.
        return BlocksFold().reply()
    fold = BlocksFold()
    if message.get("type") == "error":
        fold.error = stream_error(message)
        return fold.reply()
    fold.feed_whole(message)
    return fold.reply()
