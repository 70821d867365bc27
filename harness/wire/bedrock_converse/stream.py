"""The events of a streamed answer: frames of AWS. A header names the event, and the payload is its content.

An event is read as ``{"contentBlockDelta": {...}}``, the form in which the SDKs return it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.ground.bounded_json import loads
from harness.wire.aws_events import AWS_EVENTS, AwsFrame, frames, in_frame
from harness.wire.base import Json
from harness.wire.json_text import compact, encoded
from harness.wire.transport import StreamEvent, Transport

_PADDING: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_SHORTEST: Final = 2


def event(name: str, payload: Json) -> bytes:
    """The frame of an event. Every recorded payload has a member ``p`` of random length, which the SDKs leave out."""
    ordered = dict(sorted(payload.items()))
    length = _SHORTEST + len(compact(ordered)) * 7 % (len(_PADDING) - _SHORTEST)
    padded = compact({**ordered, "p": _PADDING[:length]})
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return in_frame(headers, encoded(padded))


def exception(name: str, message: str) -> bytes:
    """The frame of an error in a stream, whose name begins with a small letter: ``throttlingException``."""
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return in_frame(headers, encoded(compact({"message": message})))


def events(body: bytes) -> Iterator[tuple[int, Json]]:
    """The events of a stream, each with the offset of its end.

    Raises ``ValueError`` for bytes that are no frames, or for a payload that is no JSON object.
    """
    for each in frames(body):
        yield each.end, _read(each)


def _read(frame: AwsFrame) -> Json:
    headers = frame.headers
    if code := headers.get(":error-code"):
        return {code: {"message": headers.get(":error-message", "")}}
    name = headers.get(":exception-type") or headers.get(":event-type", "")
    payload: Any = loads(frame.payload) if frame.payload else {}
    if not isinstance(payload, dict):
        raise ValueError(f"expected an object in the frame of {name}, got {payload!r:.40}")
    return {name: payload}


class _FrameReader:
    """Reads frames as they arrive. It reads nothing more after bytes that are no frame."""

    def __init__(self) -> None:
        self._left = b""
        self._is_broken = False

    def feed(self, chunk: bytes) -> Sequence[StreamEvent]:
        if self._is_broken:
            return []
        self._left += chunk
        found: list[StreamEvent] = []
        end = 0
        try:
            for end, value in events(self._left):  # noqa: B007 - the last one's end is needed behind the loop
                found.append(StreamEvent(compact(value), next(iter(value))))
        except ValueError:
            self._is_broken = True
        self._left = self._left[end:]
        return found


def _ends(body: bytes) -> Iterator[int]:
    try:
        yield from (each.end for each in frames(body))
    except ValueError:  # bytes that are no frame: there is nothing more to read
        return


EVENT_STREAM: Final = Transport("AWS event streams", AWS_EVENTS, _FrameReader, _ends, event)
