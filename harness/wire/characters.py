"""Whole characters. A server may send the halves of a surrogate pair apart: one written in JavaScript cuts its texts
between UTF-16 units, and JSON may escape half a pair that UTF-8 cannot say.

    joined          halves that meet become their character, a half alone stays
    sendable        the same, and a half alone becomes U+FFFD; ``sendable_value`` for all texts of a JSON value
    Pieces          a text that is emitted while its pieces arrive, never half a character

Text that has no half is returned as it is.
"""

from __future__ import annotations

from typing import Any


def is_sendable(text: str) -> bool:
    """Whether UTF-8 can say ``text``: no half of a surrogate pair is in it, alone or beside its other half."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def joined(text: str) -> str:
    """``text`` with every high surrogate joined to the low one that follows it; a half without its other stays."""
    return text if text.isascii() or is_sendable(text) else _joined_halves(text, "surrogatepass")


def sendable(text: str) -> str:
    """``text`` as UTF-8 can say it: halves that meet joined, a half without its other replaced by U+FFFD."""
    return text if text.isascii() or is_sendable(text) else _joined_halves(text, "replace")


def _joined_halves(text: str, lone: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", lone)


def sendable_value(value: Any) -> Any:
    """A JSON value with every text in it ``sendable``, the names of members too."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, dict):
        return {sendable(name): sendable_value(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [sendable_value(member) for member in value]
    return value


class Pieces:
    """One text that is emitted piece by piece: a high surrogate at the end of a piece waits for its other half."""

    __slots__ = ("_emitted", "_half")

    def __init__(self) -> None:
        self._emitted: list[str] = []
        self._half = ""

    @property
    def text(self) -> str:
        """All that has been emitted. Joined on demand, so ask at the end and not after every piece."""
        if len(self._emitted) > 1:
            self._emitted = ["".join(self._emitted)]
        return self._emitted[0] if self._emitted else ""

    def push(self, piece: str) -> str:
        """What can be emitted now that ``piece`` has come; possibly nothing."""
        if self._half or not piece.isascii():
            piece, self._half = self._half + piece, ""
            if piece and "\ud800" <= piece[-1] <= "\udbff":
                piece, self._half = piece[:-1], piece[-1]
            piece = sendable(piece)
        self._emitted.append(piece)
        return piece

    def end(self) -> str:
        """What was still held back: U+FFFD for half a pair whose other half never came."""
        rest, self._half = sendable(self._half), ""
        self._emitted.append(rest)
        return rest
