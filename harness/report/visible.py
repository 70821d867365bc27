"""Text of others, made fit to show: none of it controls a terminal, and none is too long."""

from __future__ import annotations

import re

_LONGEST_NAME = 100

_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that turn the direction of the text after them, so that a reader sees other words than there are."""


def visible(text: str) -> str:
    """``text`` with control characters and lone surrogates shown as escapes, so that it cannot drive a terminal."""
    return text.translate(_SHOWN)


def unturned(text: str) -> str:
    """``text`` with direction characters shown as escapes; for formats that take any other character."""
    return _TURNING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_line(text: str) -> str:
    """``visible`` in one line, for names: line feeds are shown as escapes, too."""
    return visible(text).replace("\n", "\\n")


def cut(text: str, most: int) -> str:
    """The first ``most`` characters of a text, about, made visible, and the number of all."""
    shown = visible(text[: most + 1])
    return shown if len(shown) <= most else f"{shown[:most]}… ({len(text):,} characters)"


def named(text: str) -> str:
    """A name inside a line; a long one is cut."""
    return in_line(cut(text, _LONGEST_NAME))


def beneath(text: str, indent: int) -> str:
    """``visible``, with all lines after the first below its beginning, which is at column ``indent``.

    These lines begin with a bar: in the log of a CI job, a line that begins with the text of others could be a command
    (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
    """
    return visible(text).replace("\n", f"\n{'| ':>{indent}}")


class _Shown(dict[int, str]):
    """The text for each character, by its code; computed once."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        shown = char if char == "\n" or char.isprintable() else char.encode("unicode_escape").decode("ascii")
        self[code] = shown
        return shown


_SHOWN = _Shown()
