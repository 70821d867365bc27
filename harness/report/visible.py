"""Text that anybody may have written, on a terminal."""

from __future__ import annotations

__all__ = ["in_line", "visible"]


def visible(text: str) -> str:
    """``text`` with control characters and lone surrogates shown as escapes, so that it cannot drive a terminal."""
    return "".join(char if char == "\n" or char.isprintable() else _escaped(char) for char in text)


def in_line(text: str) -> str:
    """The same in one line, for names: line feeds, too, are shown as escapes."""
    return visible(text).replace("\n", "\\n")


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
