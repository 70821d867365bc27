"""Views: a text with its escapes decoded, and the place of each character in the original.

The escapes are decoded without regard to their context. So nothing need be valid JSON: arguments that a stream cut in
the middle and text with a lone quotation mark are decoded as well.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from html.entities import html5

_JSON_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_ENTITY = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}))|([A-Za-z][A-Za-z0-9]{1,20}));")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff]"
)
"""Characters without a width: nobody sees them between the letters of a key."""

_FORM = re.compile(r"%([0-7][0-9a-fA-F])|\+")
_PERCENT = re.compile(r"%([0-7][0-9a-fA-F])")  # ASCII: no part of a letter that takes several bytes
_MEANT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class View:
    """``text`` with its escapes decoded. Escape ``i`` is ``starts[i]`` to ``ends[i + 1]`` of the original.

    ``at[i + 1]`` is where the text goes on after it; the first of ``ends`` and ``at`` is the start of both texts.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    at: tuple[int, ...]

    def original(self, at: int) -> int:
        """The place in the original of the character at an offset of the view."""
        index = bisect_right(self.at, at) - 1
        return self.ends[index] + at - self.at[index]

    def seen(self, at: int) -> int:
        """The place in the view of an offset of the original that is outside every escape."""
        index = bisect_right(self.ends, at) - 1
        return self.at[index] + at - self.ends[index]

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original, widened to include every escape that it cuts."""
        first, last = bisect_left(self.starts, start) - 1, bisect_left(self.starts, end) - 1
        if first >= 0 and start < self.ends[first + 1]:
            start = self.starts[first]
        return start, max(end, self.ends[last + 1])


def unescaped(text: str) -> View | None:
    """The text with one level of JSON's escapes decoded; None if it has none."""
    return _view(text, _JSON_ESCAPE, _meant) if "\\" in text else None


def percent_decoded(text: str) -> View | None:
    """The text with one level of percent-encoding decoded (RFC 3986, 2.1); None if it has none."""
    return _view(text, _PERCENT, lambda match: chr(int(match[1], 16))) if "%" in text else None


def form_decoded(text: str) -> View | None:
    """The text as a form's value: percent-encoding, and ``+`` for a space; None unless it has both."""
    if "%" not in text or "+" not in text:
        return None
    return _view(text, _FORM, lambda match: chr(int(match[1], 16)) if match[1] else " ")


def entities_decoded(text: str) -> View | None:
    """The text with the entities of HTML decoded, named and numeric; None if it has none."""
    return _view(text, _ENTITY, _entity) if "&" in text and ";" in text else None


def without_invisible(text: str) -> View | None:
    """The text without characters that have no width; None if it has no such character."""
    return None if text.isascii() else _view(text, _INVISIBLE, lambda _: "")


def _entity(match: re.Match[str]) -> str:
    if match[3]:
        return html5.get(f"{match[3]};", match[0])
    number = int(match[1], 16) if match[1] else int(match[2])
    return chr(number) if number < 0x110000 else match[0]


def _meant(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _MEANT.get(escape[2], escape[2])


def _view(text: str, escape: re.Pattern[str], meant: Callable[[re.Match[str]], str]) -> View | None:
    pieces: list[str] = []
    starts: list[int] = []
    ends, at = [0], [0]
    for match in escape.finditer(text):
        start, end = match.span()
        shown = meant(match)
        pieces += (text[ends[-1] : start], shown)
        at.append(at[-1] + start - ends[-1] + len(shown))
        starts.append(start)
        ends.append(end)
    if not starts:
        return None
    pieces.append(text[ends[-1] :])
    return View("".join(pieces), tuple(starts), tuple(ends), tuple(at))
