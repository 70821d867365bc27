"""The binary frames in which AWS streams events, as server-sent events.

A frame consists of its length, the length of its headers, the checksum of both, the headers, the payload, and the
checksum of everything before. Numbers are big-endian and have four bytes. Bedrock's ``InvokeModelWithResponseStream``
puts each event of the model's own stream in base64 under ``bytes`` of a JSON payload; an exception has its name in a
header.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from harness.wire.sse import frame

AWS_EVENTS: Final = "application/vnd.amazon.eventstream"
"""The media type of such a stream."""

_PRELUDE: Final = struct.Struct(">III")
_CHECKSUM: Final = struct.Struct(">I")
_TEXT: Final = 7
"""The type of a header whose value is text; Bedrock writes no other."""


@dataclass(frozen=True, slots=True)
class AwsFrame:
    """One frame. ``end`` is the offset of its last byte plus one in the stream."""

    end: int
    headers: Mapping[str, str]
    payload: bytes


def in_frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """A frame with these headers, in their order, and this payload."""
    head = b"".join(_header(name, value) for name, value in headers.items())
    lengths = struct.pack(">II", len(head) + len(payload) + 16, len(head))
    begun = lengths + _CHECKSUM.pack(zlib.crc32(lengths)) + head + payload
    return begun + _CHECKSUM.pack(zlib.crc32(begun))


def _header(name: str, value: str) -> bytes:
    encoded = value.encode()
    return bytes([len(name)]) + name.encode() + bytes([_TEXT]) + len(encoded).to_bytes(2) + encoded


def as_server_events(body: bytes) -> bytes:
    """The events of a stream as server-sent events; a frame that was cut off is left out.

    Raises ``ValueError`` for bytes that are no such frames.
    """
    return b"".join(_event(each.headers, each.payload) for each in frames(body))


def frames(body: bytes) -> Iterator[AwsFrame]:
    """The whole frames of a stream, in order; one that was cut off is left out.

    Raises ``ValueError`` for bytes that are no such frames.
    """
    at = 0
    while len(body) - at >= _PRELUDE.size:
        length, headers, checksum = _PRELUDE.unpack_from(body, at)
        if zlib.crc32(body[at : at + 8]) != checksum or length < headers + 16:
            raise ValueError(f"expected a frame of an AWS event stream at byte {at}, got other bytes")
        whole = body[at : at + length]
        if len(whole) < length:
            return
        if zlib.crc32(whole[:-4]) != _CHECKSUM.unpack(whole[-4:])[0]:
            raise ValueError(f"the frame at byte {at} of an AWS event stream has a wrong checksum")
        yield AwsFrame(at + length, dict(_headers(whole[12 : 12 + headers])), whole[12 + headers : -4])
        at += length


def _headers(data: bytes) -> Iterator[tuple[str, str]]:
    """The headers up to the first whose value is no text."""
    at = 0
    while at < len(data):
        end = at + 1 + data[at]
        name, kind = data[at + 1 : end].decode(), data[end]
        if kind != _TEXT:
            return
        size = int.from_bytes(data[end + 1 : end + 3])
        yield name, data[end + 3 : end + 3 + size].decode()
        at = end + 3 + size


def _event(headers: Mapping[str, str], payload: bytes) -> bytes:
    value = json.loads(payload)
    if exception := headers.get(":exception-type") or headers.get(":error-code"):
        message = value.get("message") or headers.get(":error-message", "") if isinstance(value, dict) else ""
        error = {"type": "error", "error": {"type": exception, "message": message}}
        return frame(error, "error")
    event = _inner(value)
    return frame(event, event.get("type"))


def _inner(value: Any) -> dict[str, Any]:
    """The model's own event inside a payload; the payload itself if it contains none."""
    if not isinstance(value, dict):
        raise ValueError(f"expected an object in a frame of an AWS event stream, got {value!r:.40}")
    if not isinstance(value.get("bytes"), str):
        return value
    try:
        event = json.loads(base64.b64decode(value["bytes"], validate=True))
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"expected JSON in base64 under 'bytes' of a frame: {error}") from error
    if not isinstance(event, dict):
        raise ValueError(f"expected an object under 'bytes' of a frame, got {event!r:.40}")
    return event
