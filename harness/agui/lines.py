"""A stream of AG-UI, cut into the JSON texts of its events: server-sent events, or one JSON text a line.

Both may come in pieces. Each text comes with the number of the line on which it begins, so that a file can be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_FIELDS: Final = ("event", "id", "retry")
_SHOWN: Final = 60


class NoStream(ValueError):
    """A line that is not allowed in a stream of AG-UI. ``line`` is its number."""

    def __init__(self, line: int, text: str) -> None:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        super().__init__(f"expected 'data: {{...}}' of server-sent events, or a JSON object, got {shown!r}")
        self.line = line


class DataLines:
    """Bytes in, (line, text) pairs out. A text is the content of an event's ``data`` lines, or a line of JSON."""

    def __init__(self) -> None:
        self._tail = b""
        self._line = 0
        self._data: list[str] = []
        self._begun = 0

    def feed(self, data: bytes) -> list[tuple[int, str]]:
        """The texts that ``data`` completes. Raises ``NoStream``."""
        data = self._tail + data
        # a CR at the end may be half of a line end
        held = data[-1:] if data.endswith(b"\r") else b""
        *whole, rest = _LINE_END.split(data.removesuffix(held))
        self._tail = rest + held
        return [found for line in whole for found in self._take(line)]

    def close(self) -> list[tuple[int, str]]:
        """The text that the end of the stream completes: the blank line behind the last event may be missing."""
        last, self._tail = self._tail.removesuffix(b"\r"), b""
        return [*self._take(last), *self._take(b"")]

    def _take(self, raw: bytes) -> Iterator[tuple[int, str]]:
        self._line += 1
        if self._line == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        text = raw.decode("utf-8", "replace")
        name, colon, value = text.partition(":")
        if not text.strip():
            yield from self._dispatch()
        elif name == "data":
            self._begun = self._begun or self._line
            self._data.append(value.removeprefix(" "))
        elif text.startswith("{"):
            yield from self._dispatch()
            yield self._line, text
        elif not (colon and (not name or name in _FIELDS)):
            raise NoStream(self._line, text)

    def _dispatch(self) -> Iterator[tuple[int, str]]:
        if self._data:
            yield self._begun, "\n".join(self._data)
            self._data, self._begun = [], 0
