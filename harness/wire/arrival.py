"""When the arguments of each call arrived: after how many bytes of a response, how much of them was there.

A stream brings arguments piece by piece. Two ways find the places:

    pieces     what the fold of the wire says about each event, with its call
    pattern    a regular expression for the arguments over the bytes, if the wire has one

The pattern is several times faster but knows nothing about calls. Its result counts only if its texts joined are
exactly the arguments of the calls, in order, and something follows them. Otherwise the events are read, and their
pieces must be a beginning of the arguments, too. If neither way fits, the result is None.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

from harness.ground.bounded_json import loads
from harness.wire.characters import joined

_END = b"\n\n"

STRING = rb'"([^"\\]*(?:\\.[^"\\]*)*)"'
"""A JSON string, its inside as the group of a ``pattern``."""


@dataclass(slots=True)
class Arrival:
    """How one call arrived: after ``offsets[i]`` bytes, ``lengths[i]`` characters of its arguments had come.

    ``complete`` is the offset at which all of them had come, or None if the response broke off earlier. Arguments that
    come whole have no other offset.
    """

    offsets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    complete: int | None = None

    def length(self, offset: int) -> int | None:
        """The number of characters of the arguments in the first ``offset`` bytes; None if these are all."""
        if self.complete is not None and self.complete <= offset:
            return None
        at = bisect_right(self.offsets, offset)
        return self.lengths[at - 1] if at else 0

    def add(self, length: int, offset: int) -> None:
        """After ``offset`` bytes ``length`` characters had come."""
        self.lengths.append(length)
        self.offsets.append(offset)


class Piece(NamedTuple):
    """What one event says about a call: more of its arguments, or (``done``) that all have come.

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
    """The arrivals in a stream whose calls have these ``arguments``, in order; None if they cannot be determined."""
    quick = _by_pattern(body, arguments, pattern) if pattern is not None else None
    return quick if quick is not None else _by_events(body, arguments, pieces)


# --- by the pattern -----------------------------------------------------------------------------------------


def _by_pattern(body: bytes, arguments: Sequence[str], pattern: re.Pattern[bytes]) -> tuple[Arrival, ...] | None:
    if not all(arguments) or b"\r" in body:
        return None
    last = body.rfind(_END)
    matches = [match for match in pattern.finditer(body, 0, last + len(_END)) if match[1]]
    raws = [match[1] for match in matches]
    whole = "".join(arguments)
    text_of_all = b"".join(raws)
    counts = _counts(raws, text_of_all)
    # Halves of a surrogate pair that come apart are one character of the whole, but two of the pieces.
    if sum(counts) != len(whole) or _text(text_of_all) != whole:
        return None
    came = list(accumulate(counts))
    offsets = [body.find(_END, match.end()) + len(_END) for match in matches]
    found: list[Arrival] = []
    begun = first = 0  # what had come of the calls before, and the first piece of this one
    for text in arguments:
        behind = bisect_left(came, begun + len(text), first) + 1
        if came[behind - 1] > begun + len(text) or offsets[behind - 1] > last:
            return None  # a piece of two calls: they came interleaved; nothing behind them: they may have broken off
        lengths_so_far = [length - begun for length in came[first:behind]]
        found.append(Arrival(offsets[first:behind], lengths_so_far, complete=offsets[behind - 1]))
        begun, first = came[behind - 1], behind
    return tuple(found)


def _counts(raws: Sequence[bytes], text_of_all: bytes) -> list[int]:
    """The number of characters in each of these JSON strings (without quotes); ``text_of_all`` joins them."""
    if not text_of_all.isascii() or b"\\u" in text_of_all:
        return [len(raw) if raw.isascii() and b"\\" not in raw else len(_text(raw) or "") for raw in raws]
    # Every escape is a backslash and the character behind it, which may be a backslash, too.
    return [len(raw) - raw.count(b"\\") + raw.count(b"\\\\") for raw in raws]


def _text(raw: bytes) -> str | None:
    """The value of a JSON string (without quotes); None if it is no valid one."""
    try:
        text: str = json.loads(b'"%s"' % raw, strict=False)
    except ValueError:
        return None
    return text


# --- event by event -----------------------------------------------------------------------------------------

_BLANK_LINES = (b"\r\n\r\n", _END, b"\r\r")
_BLANK_LINE = re.compile(b"|".join(_BLANK_LINES))


def events(body: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON object of every event that has ended, with the offset of its end."""
    if b"\r" in body:
        yield from _any_events(body)
        return
    *frames, _ = body.split(_END)
    end = 0
    for frame in frames:
        end += len(frame) + len(_END)
        data = _read_at_once(frame)
        if data is None:
            data = _read(frame)
        if isinstance(data, dict):
            yield end, data


def _any_events(body: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Like ``events``, for any line ends."""
    start = 0
    for blank in _BLANK_LINE.finditer(body):
        data = _read(body[start : blank.start()])
        start = blank.end()
        if isinstance(data, dict):
            yield start, data


def _read(frame: bytes) -> Any:
    """The JSON value of an event; None if it has none."""
    try:
        return loads(b"\n".join([line[5:] for line in frame.splitlines() if line.startswith(b"data:")]))
    except ValueError:
        return None


_DATA = b"data: {"


def _read_at_once(frame: bytes) -> Any:
    """The object of an event whose data is one line, alone or after its name, as in nearly all events; else None."""
    at = 0 if frame.startswith(b"data:") else frame.find(b"\n") + 1
    if not frame.startswith(_DATA, at):
        return None
    try:
        return loads(frame[at + len(_DATA) - 1 :])
    except ValueError:
        return None


def lengths(pieces: Sequence[str]) -> Iterable[int]:
    """How long the text is after each of its pieces: halves of a surrogate pair that meet are one character."""
    return accumulate(map(len, pieces)) if "".join(pieces).isascii() else _lengths_of_halves(pieces)


def _lengths_of_halves(pieces: Iterable[str]) -> Iterator[int]:
    length, last = 0, ""
    for piece in pieces:
        halves_meet = "\ud800" <= last <= "\udbff" and "\udc00" <= piece[:1] <= "\udfff"
        length += len(piece) - halves_meet
        last = piece[-1:] or last
        yield length


def _by_events(body: bytes, arguments: Sequence[str], pieces: Pieces) -> tuple[Arrival, ...] | None:
    return arrived(pieces(events(body)), arguments, last=max(map(body.rfind, _BLANK_LINES)))


def arrived(pieces: Iterable[Piece], arguments: Sequence[str], *, last: int) -> tuple[Arrival, ...] | None:
    """The arrivals of calls with these ``arguments``. The ``pieces`` may come from frames of any kind.

    The last event of the body ends at the offset ``last``. None if the pieces do not fit the arguments.
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
    """How a call with these arguments arrived; None if the pieces do not fit the arguments.

    The last event of the body ends at ``last``: arguments in this event may be cut off.
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
