"""The decoded content of a part of a text, and how other content is written in the same encoding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ASCII_TEXT = bytes({*range(0x20, 0x7F), 0x09, 0x0A, 0x0D})
_MOST_ODD = 0.1
"""The most non-ASCII-text bytes, as a share, of a run that counts as text. Its ends may be cut wrongly."""


@dataclass(frozen=True, slots=True)
class DecodedRun:
    """The content of ``start`` to ``end`` of a text. ``is_text`` is false for an image, a signature and the like.

    ``write`` encodes other bytes in the same way.
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
        """Another text, encoded in the same way."""
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
