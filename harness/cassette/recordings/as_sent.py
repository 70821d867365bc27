"""Restores recorded responses to the form in which their servers sent them.

Some recorders lost a part of the framing that the official SDKs insist on, or kept several responses in one body. The
content is not changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from harness.cassette.forms import Response
from harness.cassette.recordings.recording import RecordedExchange
from harness.wire import NativeWireName
from harness.wire import wire as wire_named
from harness.wire.aws_events import AWS_EVENTS, as_server_events, in_frame

RESTORED = {
    "event names": "the event: lines, which the Anthropic SDK reads",
    "last blank line": "the blank line that ends the last event",
    "several in one body": "responses recorded one behind the other, each now by itself",
    "frames of AWS": "the server-sent events that Bedrock puts into frames of its own",
    "binary frames": "the frames of Bedrock, of which a recorder has kept what they say",
    "JSON array": "a Gemini stream asked for without alt=sse; the SDK always asks for it",
}
"""What was restored, by its name in reports."""

_OPENINGS = {"anthropic-messages": b"message_start", "openai-responses": b"response.created"}
_SERVER_EVENTS = {"content-type": "text/event-stream"}
_AWS_EVENTS = {"content-type": AWS_EVENTS}
_FRAME = re.compile(rb".*?(?:\n\n|\r\n\r\n|\Z)", re.DOTALL)


def as_sent(exchange: RecordedExchange, wire: NativeWireName) -> tuple[list[Response], list[str]]:
    """The responses of one exchange (nearly always one), and what was restored (``RESTORED``)."""
    body, streamed = exchange.response or b"", exchange.streamed
    bodies, restored = [body], []
    if exchange.status >= 400:
        streamed = False  # errors are JSON or HTML, whatever was asked for
    elif wire == "gemini-generate" and body.lstrip().startswith(b"["):
        bodies, restored, streamed = [_array_as_events(body)], ["JSON array"], True
    elif wire_named(wire).transport.content_type == AWS_EVENTS:
        if streamed and (framed := _as_frames(body)) != body:
            return [Response(wire, framed, streamed, exchange.status, _AWS_EVENTS)], ["binary frames"]
    elif AWS_EVENTS in exchange.headers.get("content-type", ""):
        bodies, restored = [_without_frames(body)], ["frames of AWS"]
        return [Response(wire, bodies[0], streamed, exchange.status, _SERVER_EVENTS)], restored
    elif streamed:
        bodies, restored = _streams(body, wire)
    return [Response(wire, each, streamed, exchange.status, exchange.headers) for each in bodies], restored


def _streams(body: bytes, wire: NativeWireName) -> tuple[list[bytes], list[str]]:
    restored = []
    if wire == "anthropic-messages" and not re.search(rb"^event:", body, re.MULTILINE):
        body = _with_event_names(body)
        restored.append("event names")
    if not body.endswith((b"\n\n", b"\r\n\r\n")):
        body = body.rstrip(b"\r\n") + b"\n\n"
        restored.append("last blank line")
    bodies = list(_each_response(body, _OPENINGS[wire])) if wire in _OPENINGS else [body]
    if len(bodies) > 1:
        restored.append("several in one body")
    return bodies, restored


def _as_frames(body: bytes) -> bytes:
    """Each ``data`` line, an object with the name of its event, as the frame that it was. The body is unchanged if one
    of them is none: then the session must refuse it."""
    try:
        events = [json.loads(line[5:]) for line in body.splitlines() if line.startswith(b"data:")]
    except ValueError:
        return body
    if not events or not all(isinstance(event, dict) for event in events):
        return body
    return b"".join(_frame(name, event[name]) for event in events for name in event)


def _frame(name: str, content: object) -> bytes:
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return in_frame(headers, json.dumps(content).encode())


def _without_frames(body: bytes) -> bytes:
    """The body unchanged if these are no frames: then the session must refuse it."""
    try:
        return as_server_events(body)
    except ValueError:
        return body


def _array_as_events(body: bytes) -> bytes:
    """The body unchanged if it is no JSON array: then the session must refuse it."""
    try:
        return b"".join(b"data: " + json.dumps(each).encode() + b"\r\n\r\n" for each in json.loads(body))
    except ValueError:
        return body


def _with_event_names(body: bytes) -> bytes:
    return b"".join(
        (b"event: %s\n" % name if (name := _type_of(line)) else b"") + line + b"\n\n"
        for line in body.split(b"\n")
        if line.startswith(b"data:")
    )


def _each_response(body: bytes, opening: bytes) -> Iterator[bytes]:
    """``body`` cut before each event that opens a response, except the first."""
    if body.count(b'"%s"' % opening) < 2:
        yield body
        return
    response: list[bytes] = []
    opened = False
    for frame in _FRAME.findall(body):
        if any(_type_of(line) == opening for line in frame.split(b"\n")):
            if opened:
                yield b"".join(response)
                response = []
            opened = True
        response.append(frame)
    yield b"".join(response)


def _type_of(line: bytes) -> bytes:
    """The ``type`` of the event in a ``data`` line; empty if there is none."""
    try:
        return str(json.loads(line[5:])["type"]).encode() if line.startswith(b"data:") else b""
    except (ValueError, TypeError, KeyError):
        return b""
