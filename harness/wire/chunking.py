r"""How the bytes of a response are cut on their way to the loop.

    whole        everything in one chunk
    event        one chunk per frame, as most providers flush
    token        small pieces of text, whole characters
    byte         every byte by itself
    adversarial  a cut at every place inside something that a reader may take for indivisible: a UTF-8 sequence, an
                 escape (``\n``, ``\uXXXX``, also one that is itself escaped), a surrogate pair of escapes, CRLF, the
                 blank line, the field names ``data:`` and ``event:``
    random       pieces of 1 to 512 bytes, mostly short, drawn from the seed

A cut does not change the content: the chunks joined are the frames joined, and no chunk is empty.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Literal, get_args

from harness.wire.identity import Identity

Chunking = Literal["whole", "event", "token", "byte", "adversarial", "random"]

CHUNKINGS: tuple[Chunking, ...] = get_args(Chunking)
"""The ways to cut in the order in which reports list them."""

_LINE_END = re.compile(rb"[\r\n]")

_TOKEN = re.compile(rb" ?[A-Za-z]{1,6}|[0-9]{1,3}|[\xc0-\xff][\x80-\xbf]{0,3}|.", re.DOTALL)

# Everything in here that is longer than one byte is delivered byte by byte. It begins with one set of bytes, so that
# the search skips all others: a pattern for each of its four kinds takes ten times as long.
_INDIVISIBLE = re.compile(
    rb"""
    [\xc0-\xff\\\r\n]
    (?: (?<=[\xc0-\xff]) [\x80-\xbf]+                      # a UTF-8 sequence
      | (?<=\\) \\*u[0-9A-Fa-f]{4} (?:\\+u[0-9A-Fa-f]{4})*  # escapes in a row, so also between two halves
      | (?<=\\) \\*[^\\\r\n\x80-\xff]                      # a short escape
                                                          # line ends, the blank line, the field behind them
      | (?<=[\r\n]) [\r\n]* (?:data:|event:|id:|retry:|:)? [ ]?
    )
    """,
    re.VERBOSE,
)

_FIELD_AT_START = re.compile(rb"(?:data:|event:|id:|retry:|:) ?")


def chunks(frames: Sequence[bytes], how: Chunking, seed: int = 0) -> list[bytes]:
    """The bytes of ``frames``, cut into the pieces that are delivered. Only ``random`` uses ``seed``."""
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
            return _bytes_of(body)
        case "adversarial":
            return _cut_inside_the_indivisible(body)
        case "random":
            return _cut(body, _drawn(len(body), seed))


def by_lines(pieces: Sequence[bytes]) -> list[Sequence[bytes]]:
    """The pieces of a body in groups. Each group except the last ends with a piece in which a line ends."""
    body = b"".join(pieces)
    groups = []
    start = 0
    for stop in _with_line_ends(pieces, body):
        if stop > start:
            groups.append(pieces[start:stop])
            start = stop
    return [*groups, pieces[start:]] if start < len(pieces) else groups


def _with_line_ends(pieces: Sequence[bytes], body: bytes) -> Iterable[int]:
    """For each end of a line, the number of pieces up to it."""
    line_ends = _line_ends(body)
    if len(pieces) == len(body) and all(pieces):
        return line_ends
    ends = list(accumulate(map(len, pieces)))
    return (bisect_left(ends, end) + 1 for end in line_ends)


def _line_ends(body: bytes) -> Iterable[int]:
    """The offsets behind the ends of the lines."""
    if b"\r" in body:
        return (end.end() for end in _LINE_END.finditer(body))
    lines = body.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    return accumulate(map(len, lines))


def _bytes_of(body: bytes) -> list[bytes]:
    """Every byte by itself."""
    return list(memoryview(body).cast("c"))


def _cut(body: bytes, places: Iterator[int]) -> list[bytes]:
    pieces = []
    start = 0
    for place in places:
        pieces.append(body[start:place])
        start = place
    return [*pieces, body[start:]]


def _cut_inside_the_indivisible(body: bytes) -> list[bytes]:
    pieces = []
    start = 0
    begun = _FIELD_AT_START.match(body)
    for match in chain([begun] if begun else [], _INDIVISIBLE.finditer(body)):
        first, end = match.span()
        if end - first > 1:
            pieces.append(body[start : first + 1])
            start = end - 1
            if start > first + 1:
                pieces += _bytes_of(body[first + 1 : start])
    return [*pieces, body[start:]]


def _drawn(length: int, seed: int) -> Iterator[int]:
    """Places at which to cut. The first byte of a draw gives the most that a piece may have, the others its length."""
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
