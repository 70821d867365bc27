"""The ``content`` argument of a call, finished or cut, and how much of it a piece of the JSON text says.

The rules read partial arguments on their own: a loop's parser cannot be judged by itself.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.cached import cached_property
from harness.wire.characters import sendable

__all__ = ["ContentArgument", "content_of", "contents_of"]

_TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)("?)|[{}\[\]:,]', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_WHOLE_ESCAPES = re.compile(r"[^\\]*(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^\\]*)*")
_JSON_ESCAPES = re.compile(r"[^\\]*+(?:\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})[^\\]*+)*+")
_HALF_AN_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")


@dataclass(frozen=True)
class ContentArgument:
    """The string at a top-level key. ``raw`` is its JSON text from index ``start`` of the arguments on.

    ``text`` is what it says; of a string that was cut, what it says so far without half an escape, and from an escape
    on that JSON does not have, as it is written. ``again`` says that the key had another value before, which is void
    with this one.
    """

    raw: str
    start: int
    finished: bool
    again: bool = False

    @cached_property
    def text(self) -> str:
        """The decoded string; of one that was cut, without half an escape at its end."""
        if self.finished:
            return sendable(_decoded(self.raw))
        whole = _WHOLE_ESCAPES.match(self.raw)
        assert whole is not None  # noqa: S101 - it matches the empty text, too
        return sendable(_decoded(whole.group()))

    @cached_property
    def sure(self) -> int | None:
        """How many characters stand in front of the first escape that JSON does not have (``\\q``); None without one.

        What follows it readers take differently: as it is written, without the backslash, or not at all.
        """
        end = _end_of_json(self.raw)
        if end == len(self.raw) or (not self.finished and _HALF_AN_ESCAPE.fullmatch(self.raw, end)):
            return None
        return len(sendable(_decoded(self.raw[:end])))

    def characters(self, length: int) -> int:
        """How many characters of ``text`` the first ``length`` characters of the arguments say."""
        inside = min(max(0, length - self.start), len(self.raw))
        raw_ends, character_ends = self._escapes
        at = bisect_right(raw_ends, inside) - 1
        following = raw_ends[at + 1] - self._width(at + 1) if at + 1 < len(raw_ends) else len(self.raw)
        return character_ends[at] + min(inside, following) - raw_ends[at]

    @cached_property
    def _marks(self) -> list[tuple[int, int, int]]:
        """(end, width in ``raw``, width in characters) of each escape."""
        marks: list[tuple[int, int, int]] = []
        pending: int | None = None
        for escape in _ESCAPE.finditer(self.raw):
            width = 1
            if escape.end() - escape.start() == 6:
                code = int(escape.group()[2:], 16)
                if 0xDC00 <= code < 0xE000 and pending == escape.start():
                    width = 0  # the second half: the character was counted with the first
                pending = escape.end() if 0xD800 <= code < 0xDC00 else None
            marks.append((escape.end(), escape.end() - escape.start(), width))
        return marks

    def _width(self, at: int) -> int:
        return self._marks[at - 1][1]

    @cached_property
    def _escapes(self) -> tuple[list[int], list[int]]:
        """After each escape: the place in ``raw`` and the number of characters up to it; (0, 0) first."""
        raw_ends, character_ends = [0], [0]
        for end, raw_width, width in self._marks:
            character_ends.append(character_ends[-1] + (end - raw_width - raw_ends[-1]) + width)
            raw_ends.append(end)
        return raw_ends, character_ends


def content_of(arguments: str, key: str = "content") -> ContentArgument | None:
    """The string at the top-level ``key`` of a JSON object, which may be cut anywhere; None when there is none yet.

    Of a key that comes again the last value counts, as in ``json.loads``, if it is a string.
    """
    last: ContentArgument | None = None
    for found in contents_of(arguments, key):
        last = replace(found, again=last is not None)
    return last


def contents_of(arguments: str, key: str) -> Iterator[ContentArgument]:
    """Every string at the top-level ``key``, in order."""
    depth, name, expects_value = 0, "", False
    for token in _TOKEN.finditer(arguments):
        mark = token.group()
        if mark[0] == '"':
            if depth == 1:
                if expects_value and name == key:
                    yield ContentArgument(token.group(1), token.start(1), bool(token.group(2)))
                name = _decoded(token.group(1))  # of a value, too: behind it comes a key
        elif mark in "{[":
            depth += 1
            expects_value = False
        elif mark in "}]":
            depth -= 1
        elif depth == 1:
            expects_value = mark == ":"


def _decoded(raw: str) -> str:
    try:
        return _loaded(raw)
    except ValueError:
        end = _end_of_json(raw)
        return _loaded(raw[:end]) + raw[end:]


def _loaded(raw: str) -> str:
    text: str = json.loads(f'"{raw}"', strict=False)
    return text


def _end_of_json(raw: str) -> int:
    """Where the first escape begins that JSON does not have, or that is not whole."""
    good = _JSON_ESCAPES.match(raw)
    assert good is not None  # noqa: S101 - it matches the empty text, too
    return good.end()
