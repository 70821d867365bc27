"""Text that arrives in pieces, and text that UTF-8 can say.

A server may cut between the halves of a surrogate pair (one written in JavaScript does), so a delta can end in
half a character.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["Told", "sendable", "whole"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """``text`` with surrogate pairs joined and a half without its other replaced by U+FFFD."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def sendable(value: Any) -> Any:
    """A JSON value with every text in it ``whole``."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {whole(key): sendable(member) for key, member in value.items()}
    if isinstance(value, list):
        return [sendable(member) for member in value]
    return value


class Told:
    """One text that is told piece by piece: a high surrogate at the end of a piece waits for its other half."""

    __slots__ = ("_held", "_length", "_pieces")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._held = ""

    def push(self, piece: str) -> str:
        """Take a piece; returns what can be told now, possibly nothing."""
        piece, self._held = self._held + piece, ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._held = piece[:-1], piece[-1]
        return self._tell(whole(piece))

    def settle(self, final: str) -> str:
        """Take the finished text; returns what of it was not told yet, nothing where something else was told."""
        self._held = ""
        text = whole(final)
        return self._tell(text[self._length :]) if text.startswith(str(self)) else ""

    def _tell(self, text: str) -> str:
        self._pieces.append(text)
        self._length += len(text)
        return text

    def __str__(self) -> str:
        return "".join(self._pieces)
