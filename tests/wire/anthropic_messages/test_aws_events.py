"""Bedrock's streams: the frames of AWS around the events of the model, and the path on which they are recorded."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import pytest

from harness.wire import Route, recognise, route_of, wire
from harness.wire.aws_events import AWS_EVENTS, as_server_events

MESSAGE: dict[str, Any] = {
    "id": "msg_bdrk_1", "type": "message", "role": "assistant", "model": "claude", "content": [], "stop_reason": None,
    "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 1},
}  # fmt: skip
EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "h\u00e9"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]


def frame(payload: Any, **headers: str) -> bytes:
    """One frame as AWS writes it: the names of headers begin with a colon, their values are text."""
    named = b"".join(
        bytes([len(name) + 1])
        + f":{name.replace('_', '-')}".encode()
        + b"\x07"
        + struct.pack(">H", len(value))
        + value.encode()
        for name, value in headers.items()
    )
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(named) + len(body), len(named))
    whole = prelude + struct.pack(">I", zlib.crc32(prelude)) + named + body
    return whole + struct.pack(">I", zlib.crc32(whole))


def chunk(event: dict[str, Any]) -> bytes:
    inner = base64.b64encode(json.dumps(event).encode()).decode()
    return frame(
        {"bytes": inner, "p": "abc"}, event_type="chunk", content_type="application/json", message_type="event"
    )


BODY = b"".join(map(chunk, EVENTS))


def test_the_events_in_the_frames_are_the_wires_own() -> None:
    reply = wire("anthropic-messages").parse(AWS_EVENTS, BODY)
    assert (reply.complete, reply.id, reply.turn.text) == (True, "msg_bdrk_1", "h\u00e9")
    assert as_server_events(chunk(EVENTS[-1])) == b'event: message_stop\ndata: {"type":"message_stop"}\n\n'


def test_a_stream_that_is_cut_gives_what_had_arrived() -> None:
    reply = wire("anthropic-messages").parse(AWS_EVENTS, BODY[: -len(chunk(EVENTS[-1])) - 3])
    assert (reply.complete, reply.turn.text) == (False, "h\u00e9")
    assert as_server_events(BODY[:5]) == b""


def test_an_exception_is_an_error_of_the_stream() -> None:
    failed = frame({"message": "slow down"}, exception_type="throttlingException", message_type="exception")
    assert json.loads(as_server_events(failed).partition(b"data: ")[2]) == {
        "type": "error",
        "error": {"type": "throttlingException", "message": "slow down"},
    }
    assert wire("anthropic-messages").parse(AWS_EVENTS, chunk(EVENTS[0]) + failed).turn.error is not None


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (BODY[:40] + b"X" + BODY[41:], "wrong checksum"),
        (b"data: {}\n\nno frames at all", "expected a frame of an AWS event stream at byte 0"),
        (BODY + b"data: and more text behind", "expected a frame of an AWS event stream at byte"),
        (frame([1]), "expected an object in a frame"),
        (frame({"bytes": "no base64!"}), "expected JSON in base64 under 'bytes'"),
        (frame({"bytes": base64.b64encode(b"[1]").decode()}), "expected an object under 'bytes'"),
        (frame(b"no JSON"), "Expecting value"),
    ],
)
def test_other_bytes_are_refused(body: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        as_server_events(body)
    with pytest.raises(ValueError, match=problem):
        wire("anthropic-messages").parse(AWS_EVENTS, body)


@pytest.mark.parametrize(
    ("path", "stream"),
    [
        ("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream", True),
        ("/bedrock/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream", True),
        ("/bedrock/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke", False),
    ],
)
def test_where_they_are_recorded(path: str, stream: bool) -> None:
    found = route_of("post", f"https://bedrock-runtime.us-east-1.amazonaws.com{path}")
    assert found == Route("anthropic-messages", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", stream)
    assert wire("anthropic-messages").path(found).endswith(path.partition("/model/")[2])


def test_the_endpoint_does_not_serve_them() -> None:
    path = "/model/anthropic.claude-3-haiku/invoke-with-response-stream"
    assert recognise("POST", path) is None
    assert route_of("GET", path) is None
    assert route_of("POST", "/model/amazon.nova-lite-v1%3A0/invoke-with-response-stream") is None
    assert (
        route_of("POST", "https://h:1/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict")
        is not None
    )
