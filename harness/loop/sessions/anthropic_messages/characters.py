"""Whole characters from pieces that may end between the halves of a surrogate pair."""

from __future__ import annotations

import re

__all__ = ["Halves", "sendable"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(text: str) -> str:
    """``text`` as UTF-8 can say it: halves of a surrogate pair joined, a half alone replaced by U+FFFD.

    Returns ``text`` itself when it has no surrogates.
    """
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Halves:
    """Text that arrives in pieces; a high surrogate at the end of a piece waits for its other half."""

    __slots__ = ("_held", "_pieces", "_text")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = ""
        self._text: str | None = ""

    @property
    def text(self) -> str:
        """All that has been told."""
        if self._text is None:
            self._text = "".join(self._pieces)
        return self._text

    def push(self, piece: str) -> str:
        """What can be told now that ``piece`` has arrived."""
        if self._held:
            piece, self._held = self._held + piece, ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._held = piece[:-1], piece[-1]
        return self._told(sendable(piece))

    def end(self) -> str:
        """What was still held back: half a pair whose other half never came."""
        rest, self._held = self._held, ""
        return self._told(sendable(rest))

    def _told(self, piece: str) -> str:
        self._pieces.append(piece)
        self._text = None
        return piece
