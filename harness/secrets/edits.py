"""Edits: which parts of a text are replaced by what, and where the ends of its chunks go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``replacement``."""

    start: int
    end: int
    replacement: str


def merged(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in order. Overlapping edits become one, with the replacement of the one that comes first."""
    result: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):  # stable: the more specific kind is first
        if result and edit.start < result[-1].end:
            before = result[-1]
            result[-1] = before._replace(end=max(before.end, edit.end))
        else:
            result.append(edit)
    return result


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text with its edits, which are in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for start, end, replacement in edits:
        pieces += (text[at:start], replacement)
        at = end
    return "".join((*pieces, text[at:]))


def moved(chunks: Sequence[int], text: str, edits: Sequence[Edit]) -> tuple[int, ...]:
    """The lengths of as many chunks, in bytes, of the edited text.

    A chunk end outside of every edit keeps its place in the text. An end inside of an edit stays as many bytes after
    its start, or moves to its end if the text there has become shorter: a chunk may become empty.
    """
    ends: list[int] = []
    old = new = 0  # bytes of the text before and after its edits, up to the end of the last edit
    waiting, chunk_end = list(reversed(chunks)), 0

    def take(until: int | None, start: int, length: int) -> None:
        """Place the ends before the byte ``until``; behind ``start`` there are at most ``length`` new bytes."""
        nonlocal chunk_end
        while waiting and (until is None or chunk_end + waiting[-1] < until):
            chunk_end += waiting.pop()
            ends.append(new + min(chunk_end - old, start - old + length))

    at = 0
    for edit in edits:
        start, length = old + _bytes(text[at : edit.start]), _bytes(edit.replacement)
        end = start + _bytes(text[edit.start : edit.end])
        take(end, start, length)
        old, new, at = end, new + start - old + length, edit.end
    rest = _bytes(text[at:])
    take(None, old, rest)
    return tuple(after - before for before, after in zip((0, *ends), ends, strict=False))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
