"""When the arguments of each call arrived: after how many bytes of a response, how much of them was there.

A stream brings arguments piece by piece. Each wire says in which members they come, in two ways:

    pieces     a generator that reads the events in order and gives every ``Piece`` with its call
    pattern    the member as a regular expression over the bytes, where the wire has one

The pattern is several times faster and knows nothing of calls: what it finds is believed only if it joins to exactly
what the calls say, one after the other, and something follows. Else the events are read, and what they say must be a
beginning of the arguments, too. Where neither fits nothing is known.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.bounded_json import loads
from harness.wire.characters import joined
from harness.wire.sse import SSE

__all__ = ["STRING", "Arrival", "Piece", "Pieces", "arrived", "at_once", "events", "lengths", "streamed"]

_END = b"\n\n"

STRING = rb'"([^"\\]*(?:\\.[^"\\]*)*)"'
"""A JSON string, its inside as the group of a ``pattern``."""


@dataclass(slots=True)
class Arrival:
    """How one call arrived: after ``offsets[i]`` bytes ``lengths[i]`` characters of its arguments were there.

    ``complete`` is the offset at which all of them were, None if the response broke off before. Arguments that come
    whole have no other offset.
    """

    offsets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    complete: int | None = None

    def length(self, offset: int) -> int | None:
        """Characters of the arguments in the first ``offset`` bytes; None when all of them are."""
        if self.complete is not None and self.complete <= offset:
            return None
        at = bisect_right(self.offsets, offset)
        return self.lengths[at - 1] if at else 0

    def add(self, length: int, offset: int) -> None:
        """After ``offset`` bytes ``length`` characters had come."""
        self.lengths.append(length)
        self.offsets.append(offset)


@dataclass(frozen=True, slots=True)
class Piece:
    """What one event says of a call: more of its arguments, or (``done``) that all have come.

    ``call`` counts the calls of the reply from 0; ``offset`` is the end of the event in the response, in bytes.
    """

    call: int
    offset: int
    text: str = ""
    done: bool = False


Pieces = Callable[[Iterable[tuple[int, dict[str, Any]]]], Iterator[Piece]]
"""Reads ``events``, each with the offset of its end."""


def at_once(body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...]:
    """The arrivals in a response that is no stream."""
    return (Arrival(complete=len(body)),) * len(arguments)


def streamed(
    body: bytes, arguments: Sequence[str], pieces: Pieces, pattern: re.Pattern[bytes] | None = None
) -> tuple[Arrival, ...] | None:
    """The arrivals in a stream whose calls have these ``arguments``, in order; None when they cannot be determined."""
    quick = _by_pattern(body, arguments, pattern) if pattern is not None else None
    return quick if quick is not None else _by_events(body, arguments, pieces)


# --- by the pattern -----------------------------------------------------------------------------------------


def _by_pattern(body: bytes, arguments: Sequence[str], pattern: re.Pattern[bytes]) -> tuple[Arrival, ...] | None:
    if not all(arguments) or b"\r" in body:
        return None
    last = body.rfind(_END)
    matches = [match for match in pattern.finditer(body, 0, last + len(_END)) if match[1]]
    raws = [match[1] for match in matches]
    counts = [_count(raw) for raw in raws]
    whole = "".join(arguments)
    # Halves of a surrogate pair that come apart are one character of the whole, but two of the pieces.
    if _text(b"".join(raws)) != whole or sum(counts) != len(whole):
        return None
    found: list[Arrival] = []
    pieces = zip(matches, counts, strict=True)
    for text in arguments:
        arrival, came, offset = Arrival(), 0, 0
        while came < len(text):
            match, count = next(pieces)
            came, offset = came + count, body.find(_END, match.end()) + len(_END)
            arrival.add(came, offset)
        if came > len(text) or offset > last:
            return None  # a piece of two calls: they came interleaved; nothing behind them: they may have broken off
        arrival.complete = offset
        found.append(arrival)
    return tuple(found)


def _count(raw: bytes) -> int:
    """How many characters the inside of a JSON string says."""
    return len(raw) if raw.isascii() and b"\\" not in raw else len(_text(raw) or "")


def _text(raw: bytes) -> str | None:
    """What the inside of a JSON string says; None if it says nothing."""
    try:
        text: str = json.loads(b'"%s"' % raw, strict=False)
    except ValueError:
        return None
    return text


# --- event by event -----------------------------------------------------------------------------------------

_BLANK_LINES = (b"\r\n\r\n", _END, b"\r\r")


def events(body: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON object of every event that has ended, with the offset of its end."""
    start = 0
    for end in SSE.ends(body):
        frame = body[start:end]
        start = end
        try:
            data = loads(_data(frame))
        except ValueError:
            continue
        if isinstance(data, dict):
            yield start, data


def _data(frame: bytes) -> bytes:
    data = b"\n".join([line[5:] for line in frame.splitlines() if line.startswith(b"data:")])
    return data[1:] if data.startswith(b" {") else data  # JSON with nothing around it is read faster


def lengths(pieces: Iterable[str]) -> Iterator[int]:
    """How long the text is after each of its pieces: halves of a surrogate pair that meet are one character."""
    length, last = 0, ""
    for piece in pieces:
        halves_meet = "\ud800" <= last <= "\udbff" and "\udc00" <= piece[:1] <= "\udfff"
        length += len(piece) - halves_meet
        last = piece[-1:] or last
        yield length


def _by_events(body: bytes, arguments: Sequence[str], pieces: Pieces) -> tuple[Arrival, ...] | None:
    return arrived(pieces(events(body)), arguments, last=max(map(body.rfind, _BLANK_LINES)))


def arrived(pieces: Iterable[Piece], arguments: Sequence[str], *, last: int) -> tuple[Arrival, ...] | None:
    """The arrivals of calls with these ``arguments``, whatever frames the ``pieces`` came in.

    The last event of the body ends behind the offset ``last``. None where the pieces say something else.
    """
    calls: dict[int, list[Piece]] = {}
    for piece in pieces:
        calls.setdefault(piece.call, []).append(piece)
    if len(calls) != len(arguments):
        return None
    found: list[Arrival] = []
    for number, text in enumerate(arguments):
        arrival = _arrival(calls[number], text, last)
        if arrival is None:
            return None
        found.append(arrival)
    return tuple(found)


def _arrival(pieces: Sequence[Piece], arguments: str, last: int) -> Arrival | None:
    """How a call with these arguments arrived; None if the pieces say something else.

    The last event of the body ends behind ``last``: arguments that it brings may have broken off.
    """
    texts = [piece.text for piece in pieces]
    if not arguments.startswith(joined("".join(texts))):
        return None
    arrival = Arrival()
    for piece, length in zip(pieces, lengths(texts), strict=True):
        if piece.text:
            arrival.add(length, piece.offset)
        all_there = piece.done or (piece.offset <= last and 0 < length == len(arguments))
        if arrival.complete is None and all_there:
            arrival.complete = piece.offset
    return arrival
