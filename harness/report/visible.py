"""Text that anybody may have written, as it is shown: none of it drives a terminal, and none is too long."""

from __future__ import annotations

import re

_LONGEST_NAME = 100

_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What turns the direction of the text behind it, so that a reader sees other words than there are."""


def visible(text: str) -> str:
    """``text`` with control characters and lone surrogates shown as escapes, so that it cannot drive a terminal."""
    return text.translate(_SHOWN)


def unturned(text: str) -> str:
    """``text`` with what turns its direction shown as escapes; for formats that take any other character."""
    return _TURNING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_line(text: str) -> str:
    """The same in one line, for names: line feeds, too, are shown as escapes."""
    return visible(text).replace("\n", "\\n")


def cut(text: str, most: int) -> str:
    """At most about ``most`` characters of a text, made visible, and how many there are."""
    shown = visible(text[: most + 1])
    return shown if len(shown) <= most else f"{shown[:most]}… ({len(text):,} characters)"


def named(text: str) -> str:
    """A name among others in a line: of a long one the beginning."""
    return in_line(cut(text, _LONGEST_NAME))


def beneath(text: str, indent: int) -> str:
    """``visible``, with the lines behind the first below its beginning, which is at column ``indent``.

    They have a bar before them: in the log of a CI job a line that begins with what somebody has written could be a
    command (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
    """
    return visible(text).replace("\n", f"\n{'| ':>{indent}}")


class _Shown(dict[int, str]):
    """How each character is shown, by its code; found out once."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        shown = char if char == "\n" or char.isprintable() else char.encode("unicode_escape").decode("ascii")
        self[code] = shown
        return shown


_SHOWN = _Shown()
