"""Views: a text as a reader of its escapes sees it, with the way back to where each character stands.

The escapes are read without regard to what they stand in. So nothing need be valid JSON: arguments that a stream cut
in the middle and text with a lone quotation mark are seen as well.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["View", "percent_decoded", "unescaped"]

_JSON_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_PERCENT = re.compile(r"%([0-7][0-9a-fA-F])")  # ASCII: no part of a letter that takes several bytes
_MEANT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class View:
    """``text`` with its escapes read. Escape ``i`` stood at ``starts[i]`` to ``ends[i + 1]`` of the original.

    ``at[i + 1]`` is where the text goes on after it; the first of ``ends`` and ``at`` is the start of both texts.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    at: tuple[int, ...]

    def original(self, at: int) -> int:
        """Where the character at an offset of the view stands in the original."""
        index = bisect_right(self.at, at) - 1
        return self.ends[index] + at - self.at[index]

    def seen(self, at: int) -> int:
        """Where an offset of the original, outside every escape, stands in the view."""
        index = bisect_right(self.ends, at) - 1
        return self.at[index] + at - self.ends[index]

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original with every escape that it cuts."""
        first, last = bisect_left(self.starts, start) - 1, bisect_left(self.starts, end) - 1
        if first >= 0 and start < self.ends[first + 1]:
            start = self.starts[first]
        return start, max(end, self.ends[last + 1])


def unescaped(text: str) -> View | None:
    """The text with one level of JSON's escapes read; None where it has none."""
    return _view(text, _JSON_ESCAPE, _meant) if "\\" in text else None


def percent_decoded(text: str) -> View | None:
    """The text with one level of percent-encoding read (RFC 3986, 2.1); None where it has none."""
    return _view(text, _PERCENT, lambda match: chr(int(match[1], 16))) if "%" in text else None


def _meant(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _MEANT.get(escape[2], escape[2])


def _view(text: str, escape: re.Pattern[str], meant: Callable[[re.Match[str]], str]) -> View | None:
    pieces: list[str] = []
    starts: list[int] = []
    ends, at = [0], [0]
    for match in escape.finditer(text):
        start, end = match.span()
        pieces += (text[ends[-1] : start], meant(match))
        at.append(at[-1] + start - ends[-1] + 1)
        starts.append(start)
        ends.append(end)
    if not starts:
        return None
    pieces.append(text[ends[-1] :])
    return View("".join(pieces), tuple(starts), tuple(ends), tuple(at))
