"""A response body, streamed or whole, complete or cut off, read into items and a neutral turn.

Tolerant where servers differ: CRLF, comments, a ``[DONE]`` at the end, unknown events, missing ids, missing ``event:``
lines. An item is taken from its ``output_item.done``, because only there ``encrypted_content`` is final; otherwise from
the last response object; otherwise it is put together from the deltas that arrived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.ground.bounded_json import loads
from harness.wire.base import Json, Reply
from harness.wire.characters import joined
from harness.wire.openai_responses.failure import failure_of
from harness.wire.openai_responses.items import PIECES, assembled, item_id_of, turn_of
from harness.wire.sse import SseParser
from harness.wire.turn import StreamError
from harness.wire.wrong_shapes import refusing_wrong_shapes

_SPOKEN = frozenset({"response.output_text.delta", "response.refusal.delta"})
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_FINISHED: Final = ("completed", "incomplete", "failed")
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
    try:
        response = loads(body)
    except ValueError:
        return _reply({}, [], None, complete=False)
    if not isinstance(response.get("output"), list):
        raise ValueError("a JSON object without an output list is no response")
    error = failure_of(response["error"]) if response.get("error") else None
    complete = response.get("status", "completed") in _FINISHED
    return _reply(response, response["output"], error, complete=complete)


def _parse_stream(body: bytes) -> Reply:
    received = _ReceivedStream()
    for event in SseParser().feed(body):
        try:
            data = loads(event.data)
        except ValueError:  # [DONE], or an event that is not ours
            continue
        if isinstance(data, dict):
            received.feed(data)
        if received.complete:
            break
    return _reply(received.response, received.items(), received.error, complete=received.complete)


def _reply(response: Mapping[str, Any], items: list[Json], error: StreamError | None, *, complete: bool) -> Reply:
    return Reply(
        "openai-responses",
        response.get("id") or "",
        response.get("model") or "",
        tuple(items),
        turn_of(items, response, error, complete=complete),
        complete,
    )


class _ReceivedStream:
    """The content of a stream so far."""

    def __init__(self) -> None:
        self.response: Json = {}
        self.error: StreamError | None = None
        self.complete = False
        self._done: dict[int, Json] = {}
        self._open: dict[int, tuple[Json, list[Json]]] = {}
        self._places: dict[str, int] = {}

    def feed(self, event: Json) -> None:
        kind = str(event.get("type"))
        if isinstance(event.get("response"), dict):
            self._lifecycle(kind, event["response"])
        elif kind == "error":
            self.error = self.error or failure_of(event.get("error") or event)
        elif kind == "response.output_item.added":
            self._open[self._place(event)] = (event["item"], [])
        elif kind == "response.output_item.done":
            self._done[self._place(event)] = event["item"]
        elif (place := self._place(event)) in self._open or kind in _SPOKEN:
            # Text whose item was never named can only be the model's message.
            self._open.setdefault(place, ({"type": "message", "role": "assistant"}, []))[1].append(event)

    def _lifecycle(self, kind: str, response: Json) -> None:
        self.response = response
        self.complete = self.complete or kind in _ENDS
        if kind == "response.failed":
            self.error = self.error or failure_of(response.get("error") or {})

    def _place(self, event: Json) -> int:
        """The place of the item that an event is about: its index, or the order in which ids were named."""
        index, item_id = event.get("output_index"), item_id_of(event)
        if isinstance(index, int):
            return index
        return self._places.setdefault(item_id, len(self._places)) if item_id else len(self._done)

    def items(self) -> list[Json]:
        """The items in order, each in its most final form."""
        last = dict(enumerate(self.response.get("output") or ()))
        begun = {
            index: assembled(item, _texts(events))
            for index, (item, events) in self._open.items()
            if index not in self._done
        }
        every = {**begun, **last, **self._done}
        return [every[index] for index in sorted(every)]


def _texts(events: Sequence[Json]) -> dict[tuple[str, int], str]:
    """The text that arrived for one item."""
    pieces: dict[tuple[str, int], list[str]] = {}
    for event in events:
        stem, _, moment = event["type"].rpartition(".")
        if stem in PIECES:
            place = (stem, event.get("content_index") or event.get("summary_index") or 0)
            if moment == "delta":
                pieces.setdefault(place, []).append(event.get("delta") or "")
            else:
                pieces[place] = [event.get(PIECES[stem][1]) or ""]
    return {place: joined("".join(texts)) for place, texts in pieces.items()}
