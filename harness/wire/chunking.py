r"""How the bytes of a response are cut on their way to the loop.

    whole        everything in one chunk
    event        one chunk per frame, as most providers flush
    token        small pieces of text, whole characters
    byte         every byte by itself
    adversarial  a cut at every place inside something that a reader may take for indivisible: a UTF-8 sequence, an
                 escape (``\n``, ``\uXXXX``, also one that is itself escaped), a surrogate pair of escapes, CRLF, the
                 blank line, the field names ``data:`` and ``event:``
    random       pieces of 1 to 512 bytes, mostly short, drawn from the seed

A cut changes nothing of what is said: the chunks joined are the frames joined, and no chunk is empty.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal, get_args

from harness.wire.identity import Identity

__all__ = ["CHUNKINGS", "Chunking", "by_lines", "chunks"]

Chunking = Literal["whole", "event", "token", "byte", "adversarial", "random"]

CHUNKINGS: tuple[Chunking, ...] = get_args(Chunking)
"""The ways to cut in the order in which reports list them."""

_LINE_END = re.compile(rb"[\r\n]")

_TOKEN = re.compile(rb" ?[A-Za-z]{1,6}|[0-9]{1,3}|[\xc0-\xff][\x80-\xbf]{0,3}|.", re.DOTALL)

# Everything in here that is longer than one byte is delivered byte by byte.
_INDIVISIBLE = re.compile(
    rb"""
      [\xc0-\xff][\x80-\xbf]+                                   # a UTF-8 sequence
    | (?:\\+u[0-9A-Fa-f]{4})+                                   # escapes in a row, so also between two halves
    | \\+[^\\\r\n\x80-\xff]                                              # a short escape
    | (?:\r\n|\n|\r)+ (?:data:|event:|id:|retry:|:)? [ ]?       # line ends, the blank line, the field behind them
    | \A(?:data:|event:|id:|retry:|:) [ ]?
    """,
    re.VERBOSE,
)


def chunks(frames: Sequence[bytes], how: Chunking, seed: int = 0) -> list[bytes]:
    """The bytes of ``frames`` in the pieces in which they are delivered. Only ``random`` looks at ``seed``."""
    if how == "event":
        return [frame for frame in frames if frame]
    body = b"".join(frames)
    if not body:
        return []
    match how:
        case "whole":
            return [body]
        case "token":
            return _TOKEN.findall(body)
        case "byte":
            return [body[at : at + 1] for at in range(len(body))]
        case "adversarial":
            return _cut(body, _inside_the_indivisible(body))
        case "random":
            return _cut(body, _drawn(len(body), seed))


def by_lines(pieces: Sequence[bytes]) -> list[Sequence[bytes]]:
    """The pieces of a body in groups, each of which ends with a piece in which a line ends, or is the last."""
    ends = list(accumulate(map(len, pieces)))
    groups = []
    start = 0
    for line in _LINE_END.finditer(b"".join(pieces)):
        if start == 0 or line.end() > ends[start - 1]:
            stop = bisect_left(ends, line.end(), start) + 1
            groups.append(pieces[start:stop])
            start = stop
    return [*groups, pieces[start:]] if start < len(pieces) else groups


def _cut(body: bytes, places: Iterator[int]) -> list[bytes]:
    pieces = []
    start = 0
    for place in places:
        pieces.append(body[start:place])
        start = place
    return [*pieces, body[start:]]


def _inside_the_indivisible(body: bytes) -> Iterator[int]:
    for match in _INDIVISIBLE.finditer(body):
        yield from range(match.start() + 1, match.end())


def _drawn(length: int, seed: int) -> Iterator[int]:
    """Places at which to cut; the first byte of a draw says how long the piece may be, the others how long it is."""
    source = Identity(f"chunking-{seed}")
    place = 0
    while True:
        block = source.bytes(192)
        for at in range(0, len(block), 3):
            longest = 1 << block[at] % 10
            place += 1 + int.from_bytes(block[at + 1 : at + 3]) % longest
            if place >= length:
                return
            yield place
