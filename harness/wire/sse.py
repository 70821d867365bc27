"""Server-sent events without I/O: a parser that is fed bytes as they come, and a writer.

The parser follows the WHATWG text (https://html.spec.whatwg.org/multipage/server-sent-events.html): lines end
in LF, CR or CRLF, a BOM at the start is ignored, ``data`` lines join with LF, a colon-first line is a comment,
and an event that the blank line did not end is dropped. The official SDKs each read it a little differently
(``tests/wire/test_sse.py`` says where); where a reader must follow its SDK instead, it adds the missing blank line
itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from harness.wire.json_text import compact, encoded
from harness.wire.transport import StreamEvent, Transport

_LINE_END = re.compile(r"\r\n|\n|\r")
_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_PLAIN = re.compile(r"(?:event: ?([^\n]*)\n)?data: ?([^\n]*)\n\n")
"""An event as nearly all servers write it."""


@dataclass(frozen=True, slots=True)
class SseEvent(StreamEvent):
    """One dispatched event."""

    id: str = ""


class SseParser:
    """Bytes in, events out; each byte is looked at once."""

    def __init__(self) -> None:
        self._tail: list[bytes] = []
        self._at_start = True
        self._after_cr = False
        self._data: list[str] = []
        self._event = ""
        self._id = ""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that ``chunk`` completes. Bytes that are not UTF-8 become U+FFFD, as the WHATWG text says."""
        if self._at_start and not self._tail and (plain := _plain_events(chunk)):
            self._at_start = False
            return plain
        if self._after_cr and chunk:
            # The LF of a CRLF that was cut in two ends no second line.
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in chunk:
            if chunk:
                self._tail.append(chunk)
            return []
        first, *rest = chunk.split(b"\n")
        lines = [b"".join([*self._tail, first]), *rest]
        last = lines.pop()
        self._tail = [last] if last else []
        return [event for line in lines if (event := self._line(line)) is not None]

    def _line(self, raw: bytes) -> SseEvent | None:
        if self._at_start:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
            self._at_start = False
        if not raw:
            return self._dispatch()
        if raw.startswith(b":"):
            return None
        name, _, value = raw.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None

    def _dispatch(self) -> SseEvent | None:
        data, event = self._data, self._event
        self._data, self._event = [], ""
        if not data:
            return None
        return SseEvent("\n".join(data), event or "message", self._id)


def _plain_events(body: bytes) -> list[SseEvent]:
    """The events of a body that has only plain events, in half the time; else none."""
    if not body.endswith(b"\n\n") or b"\r" in body:
        return []
    text, at = body.decode("utf-8", "replace"), 0
    events: list[SseEvent] = []
    for match in _PLAIN.finditer(text):
        if match.start() != at:
            return []
        at = match.end()
        event, data = match.groups()
        events.append(SseEvent(data, event or "message"))
    return events if at == len(text) else []


def _ends(body: bytes) -> Iterable[int]:
    if b"\r" in body:
        return [match.end() for match in _BLANK_LINE.finditer(body)]
    *frames, _ = body.split(b"\n\n")
    return accumulate([len(frame) + 2 for frame in frames])


SSE: Final = Transport("sse", "text/event-stream", SseParser, _ends)
"""Server-sent events over HTTP."""


def parse_events(body: bytes) -> Iterator[SseEvent]:
    """All events of a whole body."""
    yield from SseParser().feed(body)


def frame(data: Any, event: str | None = None, *, end: str = "\n") -> bytes:
    """One frame with its blank line. ``data`` is a JSON value, or text that is sent unchanged.

    Text with line breaks becomes one ``data`` line each. Lone surrogates become ``\\udXXX`` escapes, which is how
    a server written in JavaScript sends them.
    """
    text = data if isinstance(data, str) else compact(data)
    lines = [f"event: {event}"] if event else []
    broken = "\n" in text or "\r" in text  # JSON never is
    lines += [f"data: {line}" for line in (_LINE_END.split(text) if broken else (text,))]
    return encoded(end.join([*lines, "", ""]))
