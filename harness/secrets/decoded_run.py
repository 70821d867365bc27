"""What a part of a text stands for, and how another text is written in the same way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ASCII_TEXT = bytes({*range(0x20, 0x7F), 0x09, 0x0A, 0x0D})
_MOST_ODD = 0.1
"""The share of bytes outside of ASCII's text up to which a run counts as text, its ends cut wrongly perhaps."""


@dataclass(frozen=True, slots=True)
class DecodedRun:
    """What ``start`` to ``end`` of a text stands for. ``is_text`` is false for an image, a signature and the like.

    ``write`` writes other bytes in the same way.
    """

    start: int
    end: int
    content: bytes
    is_text: bool
    write: Callable[[bytes], str]

    @property
    def text(self) -> str:
        """The decoded bytes as text; a byte that is no UTF-8 becomes half a surrogate pair."""
        return self.content.decode("utf-8", "surrogateescape")

    def again(self, text: str) -> str:
        """Another text, written in the same way."""
        return self.write(text.encode("utf-8", "surrogateescape"))


def is_text(content: bytes) -> bool:
    """Whether bytes are text, and no image, signature or hash."""
    if len(content.translate(None, ASCII_TEXT)) <= len(content) * _MOST_ODD:
        return True
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return len(content.translate(None, bytes(range(0x20)))) > len(content) * (1 - _MOST_ODD)
