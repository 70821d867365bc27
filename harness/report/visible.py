"""Text that anybody may have written, on a terminal."""

from __future__ import annotations

__all__ = ["visible"]


def visible(text: str) -> str:
    """``text`` with control characters and lone surrogates shown as escapes, so that it cannot drive a terminal."""
    return "".join(char if char == "\n" or char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
