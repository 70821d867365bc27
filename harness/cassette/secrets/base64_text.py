"""Text that stands in base64, standard or URL-safe, with the place where it stands.

Where base64 begins cannot be seen: what stands before it may be letters of its alphabet. So each run of letters is
read from its first four on.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Encoded", "encoded_texts", "runs"]

_RUN = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_STANDARD = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_URL_SAFE = re.compile(r"[A-Za-z0-9_-]{16,}={0,2}")
_TO_STANDARD = str.maketrans("-_", "+/")
_TO_URL_SAFE = str.maketrans("+/", "-_")
_ASCII_TEXT = bytes({*range(0x20, 0x7F), 0x09, 0x0A, 0x0D})
_MOST_ODD = 0.1
"""The share of bytes outside of ASCII's text up to which a run counts as text, its ends cut wrongly perhaps."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """What ``start`` to ``end`` of a text stands for. ``is_text`` is false for an image, a signature and the like."""

    start: int
    end: int
    content: bytes
    is_text: bool
    url_safe: bool
    padded: bool

    @property
    def text(self) -> str:
        """The decoded bytes as text; a byte that is no UTF-8 becomes half a surrogate pair."""
        return self.content.decode("utf-8", "surrogateescape")

    def again(self, text: str) -> str:
        """Another text in the same alphabet."""
        coded = binascii.b2a_base64(text.encode("utf-8", "surrogateescape"), newline=False).decode()
        coded = coded.translate(_TO_URL_SAFE) if self.url_safe else coded
        return coded if self.padded else coded.rstrip("=")


def encoded_texts(run: re.Match[str], *, binary: bool) -> Iterator[Encoded]:
    """What a run may stand for, by where in it base64 begins: text only, or with ``binary`` other bytes, too."""
    letters = run[0].rstrip("=")
    url_safe = "-" in letters or "_" in letters
    standard = letters.translate(_TO_STANDARD) if url_safe else letters
    for skipped in range(4):
        whole = (len(standard) - skipped) % 4 != 1  # a last letter alone stands for nothing
        read = standard[skipped:] if whole else standard[skipped:-1]
        content = binascii.a2b_base64(read + "=" * (-len(read) % 4))
        is_text = _is_text(content)
        if is_text or binary:
            start = run.start() + skipped
            end = run.end() if whole else start + len(read)
            padded = (end - start) % 4 == 0  # without padding no other text would do
            yield Encoded(start, end, content, is_text, url_safe, padded)


def runs(text: str) -> Iterator[re.Match[str]]:
    """Runs of letters of one alphabet; where both are mixed, as in paths, one after the other is tried."""
    for run in _RUN.finditer(text):
        if ("+" in run[0] or "/" in run[0]) and ("-" in run[0] or "_" in run[0]):
            yield from _STANDARD.finditer(text, *run.span())
            yield from _URL_SAFE.finditer(text, *run.span())
        else:
            yield run


def _is_text(content: bytes) -> bool:
    if len(content.translate(None, _ASCII_TEXT)) <= len(content) * _MOST_ODD:
        return True
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return len(content.translate(None, bytes(range(0x20)))) > len(content) * (1 - _MOST_ODD)
