"""The ``content`` argument of a call, finished or cut, and how much of it a piece of the JSON text contains.

The rules read partial arguments on their own: a loop's parser cannot be judged by itself.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.ground.cached import cached_property
from harness.wire.characters import sendable

_TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)("?)|[{}\[\]:,]', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_PIECE = re.compile(r'(?:[^\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))++|\\(u[0-9a-fA-F]{0,3}|.?)', re.DOTALL)
"""Text with the escapes that JSON has, or another escape."""
_HALF_AN_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")


@dataclass(frozen=True)
class ContentArgument:
    """The string at a top-level key. ``raw`` is its JSON text from index ``start`` of the arguments on.

    ``text`` is the decoded string; if the string was cut, its beginning without half an escape. ``again``: the key had
    another value before, which this one voids.
    """

    raw: str
    start: int
    finished: bool
    again: bool = False

    @cached_property
    def text(self) -> str:
        """The decoded string; a cut one is without half an escape at its end."""
        return self.texts[0]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What parsers make of it: some keep the backslash of an escape that JSON does not have, some leave it out."""
        try:
            return (sendable(_text_of(self.raw)),)
        except ValueError:
            pieces = list(_PIECE.finditer(self.raw))
        if not self.finished and _HALF_AN_ESCAPE.fullmatch(pieces[-1].group()):
            pieces.pop()
        written = [_text_of(each.group()) if each[1] is None else each.group() for each in pieces]
        bare = [text if each[1] is None else each[1] for each, text in zip(pieces, written, strict=True)]
        return tuple(dict.fromkeys(sendable("".join(each)) for each in (written, bare)))

    def characters(self, length: int) -> int:
        """How many characters of ``text`` the first ``length`` characters of the arguments say; at most, where it can
        be read in several ways."""
        inside = min(max(0, length - self.start), len(self.raw))
        if len(self.texts) > 1:
            return inside
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

    The last value of a repeated key counts, as in ``json.loads``, if it is a string.
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
                name = _text_or_raw(token.group(1))  # of a value, too: behind it comes a key
        elif mark in "{[":
            depth += 1
            expects_value = False
        elif mark in "}]":
            depth -= 1
        elif depth == 1:
            expects_value = mark == ":"


def _text_or_raw(raw: str) -> str:
    try:
        return _text_of(raw)
    except ValueError:
        return raw


def _text_of(raw: str) -> str:
    text: str = json.loads(f'"{raw}"', strict=False)
    return text
