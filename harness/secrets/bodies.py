"""A body as text: its encoding of characters, and the lengths of its chunks when it is written anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

_MARKS: Final = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_LOOKED_AT: Final = 400


@dataclass(frozen=True, slots=True)
class Readable:
    """The text of a body. ``codec`` is None for UTF-8. Bytes that are not valid UTF-8 are half surrogate pairs in the
    text."""

    text: str
    codec: str | None

    @property
    def body(self) -> bytes:
        """The text as bytes."""
        return self.text.encode(self.codec or "utf-8", "surrogatepass" if self.codec else "surrogateescape")


def readable(body: bytes, content_type: str) -> Readable:
    """The body as text: in UTF-16 if it begins or looks like that, else in UTF-8."""
    codec = _utf16(body, content_type)
    if codec is not None and len(body) % 2 == 0:
        try:
            return Readable(body.decode(codec, "surrogatepass"), codec)
        except UnicodeDecodeError:
            pass
    return Readable(body.decode("utf-8", "surrogateescape"), None)


def _utf16(body: bytes, content_type: str) -> str | None:
    """The kind of UTF-16, from its mark, the charset, or the zeros in every second byte."""
    if body[:2] in _MARKS:
        return _MARKS[body[:2]]
    head = body[:_LOOKED_AT]
    if "\0" not in head.decode("latin-1"):
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd > len(head) * 0.3 and not even:
        return "utf-16-le"
    if even > len(head) * 0.3 and not odd:
        return "utf-16-be"
    return "utf-16-le" if "utf-16le" in content_type.lower() else None


def scaled(chunks: Sequence[int], length: int) -> tuple[int, ...]:
    """The lengths of as many chunks for a body of another length, in the same proportions."""
    total = sum(chunks)
    ends = [0, *(length * end // total if total else length for end in accumulate(chunks))]
    return tuple(after - before for before, after in pairwise(ends))
