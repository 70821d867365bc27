"""Files that are the body of one response: JSON, the events of a stream, or their payloads line by line.

Nothing is known of the request, and nothing is guessed: the body itself must say whose answer it is, at its top.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from harness.cassette.formats.content import Content
from harness.cassette.formats.model import Entry, RecordingFormat
from harness.cassette.interaction import Interaction
from harness.ground.bounded_json import loads
from harness.wire import WireName, wire_of_answer
from harness.wire.sse import parse_events

_LINES: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
_SSE: Final = "text/event-stream"


def _answer(wire: WireName | None, body: bytes, kind: str) -> Interaction:
    return Interaction("", "", {}, None, 200, {"content-type": (kind,)}, body, line=1, wire=wire)


# --- the events of a stream ---------------------------------------------------------------------------------


def _is_events(content: Content) -> bool:
    return content.data.lstrip().startswith(_LINES) and _wire_of_events(content) is not None


def _wire_of_events(content: Content) -> WireName | None:
    return wire_of_answer(_values(content.data))


def _values(body: bytes) -> Iterator[Any]:
    """The JSON values of the events; the first that has none ends them."""
    for event in parse_events(body if body.endswith((b"\n\n", b"\r\n\r\n")) else body + b"\n\n"):
        try:
            yield loads(event.data)
        except ValueError:
            return


def _events(content: Content) -> Iterator[Entry]:
    yield 1, partial(_answer, _wire_of_events(content), content.data, _SSE)


EVENTS: Final = RecordingFormat(
    "events", "lines 'data:' or 'event:' that begin a response of a known API", _is_events, _events
)

# --- one JSON value -----------------------------------------------------------------------------------------


def _is_answer(content: Content) -> bool:
    return _wire_of_value(content) is not None


def _wire_of_value(content: Content) -> WireName | None:
    if (content.text or "").lstrip()[:1] not in ("{", "[") or len(content.documents) != 1:
        return None
    value = content.documents[0].value
    return wire_of_answer(value if isinstance(value, list) else [value])


def _value(content: Content) -> Iterator[Entry]:
    yield 1, partial(_answer, _wire_of_value(content), content.data, "application/json")


ANSWER: Final = RecordingFormat(
    "answer", "JSON that is a response of a known API, or the list of its stream's chunks", _is_answer, _value
)

# --- the payloads of a stream -------------------------------------------------------------------------------


def _is_payloads(content: Content) -> bool:
    return bool(content.json_lines) and wire_of_answer(content.json_lines) is not None


def _payloads(content: Content) -> Iterator[Entry]:
    wire = wire_of_answer(content.json_lines)
    lines = [line for line in content.data.splitlines() if line.strip()]
    yield 1, partial(_answer, wire, b"".join(b"data: " + line.strip() + b"\n\n" for line in lines), _SSE)


PAYLOADS: Final = RecordingFormat(
    "payloads", "the payloads of a known API's events, one on each line (vercel/ai)", _is_payloads, _payloads
)
