"""The elements of a JSON file of any size, one after the other: the spans, the log records, the rows.

A file may be one object with a million spans, or have a line for each. Only the current element is in memory: the
lists around the spans are read piece by piece, and Python's JSON parser reads each element.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from harness.errors import BadInput
from harness.ground.bounded_json import MOST_LEVELS, is_deeper
from harness.spans.model import SpanPlace

MOST_BYTES: Final = 64 * 1024 * 1024
"""Most bytes of one element."""

_PIECE: Final = 1 << 18
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()

_LISTS: Final[Mapping[str, str]] = {
    "resourceSpans": "resourceSpans",
    "resource_spans": "resourceSpans",
    "scopeSpans": "scopeSpans",
    "scope_spans": "scopeSpans",
    "instrumentationLibrarySpans": "scopeSpans",
    "spans": "spans",
    "resourceLogs": "resourceLogs",
    "resource_logs": "resourceLogs",
    "scopeLogs": "scopeLogs",
    "scope_logs": "scopeLogs",
    "logRecords": "logRecords",
    "log_records": "logRecords",
    "observations": "observations",
    "data": "data",
}
"""The members whose lists are iterated, by their names in files."""

_WITHIN: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("resourceSpans", "resourceLogs", "observations", "data", "spans"),
    "resourceSpans": ("scopeSpans",),
    "scopeSpans": ("spans",),
    "resourceLogs": ("scopeLogs",),
    "scopeLogs": ("logRecords",),
    "data": ("observations",),
}
"""The lists that are searched for in the elements of each list. An element of any other list is yielded."""

_SCOPES: Final = ("scope", "instrumentationLibrary", "instrumentation_library")


@dataclass(frozen=True, slots=True)
class Element:
    """A value from the file. ``kind`` is the list that contains it, ``""`` at the top. ``scope`` is that list's
    information on who wrote it."""

    kind: str
    value: Any
    scope: Mapping[str, Any]
    place: SpanPlace


def elements(name: str, stream: BinaryIO) -> Iterator[Element]:
    """The elements of a file, in its order; ``name`` is for messages.

    Raises ``BadInput``, with the line, if the content is no JSON.
    """
    source = _Source(name, stream)
    while source.more():
        yield from _walk(source, "", {})


def one(stream: BinaryIO, place: SpanPlace) -> Any:
    """The value of an element, read again from its place."""
    stream.seek(place.offset)
    return json.loads(stream.read(place.length))


def _walk(source: _Source, kind: str, scope: Mapping[str, Any]) -> Iterator[Element]:
    """The elements inside the next value, or that value itself."""
    if source.next_is("["):
        for _ in source.items("]"):
            yield from _item(source, kind, scope)
    else:
        yield from _item(source, kind, scope)


def _item(source: _Source, kind: str, scope: Mapping[str, Any]) -> Iterator[Element]:
    if source.next_is("{") and kind in _WITHIN:
        yield from _object(source, kind)
    else:
        value, place = source.value()
        yield Element(kind, value, scope, place)


def _object(source: _Source, kind: str) -> Iterator[Element]:
    """The elements in an object; without a list of elements the object itself is one."""
    start = source.here()
    rest: dict[str, Any] = {}
    scope: dict[str, Any] = {}
    found = False
    for _ in source.items("}"):
        name = source.name()
        inside = _LISTS.get(name)
        if inside in _WITHIN[kind] and source.next_is("["):
            found = True
            yield from _walk(source, inside, scope)
            continue
        value, _place = source.value()
        if name in _SCOPES and isinstance(value, dict):
            scope.update(value)  # it may stand behind its spans, which have this mapping, too
        else:
            rest[name] = value
    if not found and kind in ("", "data"):
        yield Element(kind, rest, {}, source.since(start))


class _Source:
    """The text of the file from the current place on."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self._name = name
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._ended = False
        self._counted = 0  # up to here the bytes and the lines are counted
        self._offset = 0
        self._line = 1
        self._fill()
        if self._text.startswith("\ufeff"):
            self._at = 1

    # --- places -----------------------------------------------------------------------------------------

    def here(self) -> SpanPlace:
        """The current place, without a length."""
        passed = self._text[self._counted : self._at]
        self._offset += len(passed) if passed.isascii() else len(passed.encode())
        self._line += passed.count("\n")
        self._counted = self._at
        return SpanPlace(self._line, self._offset, 0)

    def since(self, start: SpanPlace) -> SpanPlace:
        """The range from ``start`` to the current place."""
        return SpanPlace(start.line, start.offset, self.here().offset - start.offset)

    # --- reading ----------------------------------------------------------------------------------------

    def more(self) -> bool:
        """Whether anything but space is left."""
        return bool(self._peek())

    def next_is(self, mark: str) -> bool:
        """Whether the next value begins with ``mark``."""
        return self._peek() == mark

    def items(self, closing: str) -> Iterator[None]:
        """Yield once for each item of the current list or object. The caller reads the item in between."""
        self._at += 1
        if self._peek() == closing:
            self._at += 1
            return
        while True:
            yield
            mark = self._peek()
            if mark not in (",", closing):
                raise self._wrong(f"expected ',' or '{closing}'")
            self._at += 1
            if mark == closing:
                return

    def name(self) -> str:
        """The name of the current member; its value is next."""
        if self._peek() != '"':
            raise self._wrong("expected the name of a member")
        name, _ = self.value()
        if self._peek() != ":":
            raise self._wrong("expected ':'")
        self._at += 1
        return str(name)

    def value(self) -> tuple[Any, SpanPlace]:
        """The next value as a whole."""
        if not self._peek():
            raise self._wrong("expected a value")
        start = self.here()
        self._drop()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise BadInput(f"{self._name}:{start.line}: is nested too deeply for a span") from None
            except json.JSONDecodeError as error:
                if not self._fill():
                    raise self._wrong(f"expected JSON: {error.msg}", error.pos) from None
            else:
                if end < len(self._text) or not self._fill():
                    break
            if len(self._text) - self._at > MOST_BYTES:
                raise BadInput(f"{self._name}:{start.line}: a value is longer than {MOST_BYTES >> 20} MB")
        brackets = self._text.count("{", self._at, end) + self._text.count("[", self._at, end)
        if brackets > MOST_LEVELS and is_deeper(value, MOST_LEVELS):
            raise BadInput(f"{self._name}:{start.line}: is nested too deeply for a span")
        self._at = end
        return value, self.since(start)

    def _peek(self) -> str:
        """The next character that is no space; ``""`` at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def _drop(self) -> None:
        """Forget what has been read, now and then."""
        if self._at > _PIECE:
            self.here()
            self._text = self._text[self._at :]
            self._at = self._counted = 0

    def _fill(self) -> bool:
        """Read more: as much as is in memory already, so that a long value is not parsed again many times."""
        if self._ended:
            return False
        self._drop()
        read = self._stream.read(max(_PIECE, len(self._text)))
        self._ended = not read
        try:
            self._text += self._decoder.decode(read, final=self._ended)
        except UnicodeDecodeError as error:
            raise BadInput(
                f"{self._name}: expected JSON in UTF-8, got the byte 0x{error.object[error.start]:02x}"
            ) from None
        return not self._ended

    def _wrong(self, expected: str, at: int | None = None) -> BadInput:
        if at is not None:
            self._at = min(at, len(self._text))
        line = self.here().line
        found = "something else" if self._at < len(self._text) else "the end of the file"  # the content is private
        return BadInput(f"{self._name}:{line}: {expected}, got {found}")
