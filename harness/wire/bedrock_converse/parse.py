"""Read a response body, streamed or not, complete or cut anywhere, as the model's reply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.ground.bounded_json import loads
from harness.wire.base import Json, Reply
from harness.wire.bedrock_converse.errors import message_of
from harness.wire.bedrock_converse.fold import ConverseFold
from harness.wire.bedrock_converse.stream import EVENT_STREAM, events
from harness.wire.lenient import members
from harness.wire.sse import SSE, parse_events
from harness.wire.wrong_shapes import refusing_wrong_shapes


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a whole answer, or the first event of a streamed one."""
    if list(document) == ["messageStart"]:
        return members(document["messageStart"]).get("role") == "assistant"
    message = members(members(document.get("output")).get("message"))
    return isinstance(message.get("content"), list) and "stopReason" in document


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """The reply in a response body.

    A cut body gives what had arrived, with ``complete`` False and ``turn.ending`` ``eof``. An exception in a stream,
    and the document of an error, become ``turn.error``. Raises ``ValueError`` for any other body.
    """
    if EVENT_STREAM.is_stream(content_type) or (not content_type and body[:1] == b"\x00"):
        return _parse_stream(event for _, event in events(body))  # a frame is shorter than 16 MB: its length begins so
    if SSE.is_stream(content_type):
        return _parse_stream(_as_server_events(body))
    if body.lstrip()[:1] not in (b"{", b""):
        raise ValueError(f"neither an AWS event stream nor a JSON object: {content_type or 'no content type'}")
    return _parse_document(body)


def _as_server_events(body: bytes) -> Iterator[Json]:
    """The events of a body of server-sent events, as some recordings have them."""
    for event in parse_events(body):
        data = loads(event.data)
        if isinstance(data, dict) and len(data) == 1:
            yield data


def _parse_stream(events: Iterable[Json]) -> Reply:
    fold = ConverseFold()
    for event in events:
        fold.feed(event)
        if fold.error is not None:
            break
    return fold.reply()


def _parse_document(body: bytes) -> Reply:
    fold = ConverseFold()
    try:
        answer = loads(body)
    except ValueError:
        # A document that begins like JSON but is none was cut off: nothing of it can be used.
        return fold.reply()
    fold.error = message_of(answer)
    if fold.error is None:
        if "message" not in members(answer.get("output")):
            raise ValueError("a JSON object without a message in its output is no answer")
        fold.feed_whole(answer)
    return fold.reply()
