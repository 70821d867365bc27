"""A wire's fold of an answer (``wire/X/fold.py``): it takes events and reports what each event adds to which part.

Everything that reads a stream uses it: ``parse`` asks for the reply at the end, ``arrivals`` notes after how many bytes
each piece of a call had come, and the session of the reference loop emits each piece while the answer arrives. Only the
strict reader accumulates events by itself: it is a second reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal, Protocol

from harness.wire.arrival import Arrival, Piece, at_once, streamed
from harness.wire.base import Reply
from harness.wire.lenient import Json
from harness.wire.sse import SSE

MALFORMED: Final = (AttributeError, LookupError, TypeError, ValueError)
"""What is raised for an event that lacks what its type promises."""


class ArrivingPart:
    """A part of an answer that is arriving. A part without a ``kind`` has no neutral form, and nobody is shown its
    pieces.

    ``number`` counts the calls of an answer from 0. ``id`` and ``name`` are what the server sent for a call.
    ``came_whole``: the start of the call had all of its arguments. ``default`` are the arguments of a call whose stream
    had none; they are known when the part ends. ``make_delta`` belongs to the code that emits pieces: a function that
    makes a delta of a piece, False if it emits none, or None until it has seen the part.
    """

    __slots__ = ("came_whole", "default", "id", "kind", "make_delta", "name", "number")

    def __init__(self, kind: Kind, number: int = -1, id: Any = "", name: str = "") -> None:
        self.kind = kind
        self.number = number
        self.id = id
        self.name = name
        self.came_whole = False
        self.default = ""
        self.make_delta: Callable[[str], Any] | Literal[False] | None = None


Kind = Literal["text", "thinking", "call", ""]
Growth = tuple[ArrivingPart, str | None]
"""A piece that an event adds to a part. It is empty if the part begins without one, and None if the part has ended."""


class Fold(Protocol):
    """The content of the events of one answer so far. A fold takes what it can use and raises nothing.

    ``problem`` says what an event lacked although its type promises it, or what is wrong with a whole answer: official
    SDKs stop there. ``unfinished`` says what is wrong with an answer that ends too soon.
    """

    problem: str
    unfinished: str

    def feed(self, event: Json) -> Sequence[Growth]:
        """Take an event of a stream."""

    def feed_whole(self, document: Json) -> Sequence[Growth]:
        """Take an answer that came as one document."""

    def reply(self) -> Reply:
        """The reply from all events. Nothing can be fed afterwards."""


NewFold = Callable[[], Fold]
Arrivals = Callable[[str, bytes, Sequence[str]], tuple[Arrival, ...] | None]
"""``Wire.arrivals``."""


def arrivals_of(new_fold: NewFold, pattern: re.Pattern[bytes] | None = None) -> Arrivals:
    """``Wire.arrivals`` for a wire that streams server-sent events: from its fold and, for speed, from a pattern."""

    def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
        if not SSE.is_stream(content_type):
            return at_once(body, arguments)
        return streamed(body, arguments, partial(call_pieces, new_fold), pattern)

    return arrivals


def call_pieces(new_fold: NewFold, events: Iterable[tuple[int, Json]]) -> Iterator[Piece]:
    """What a fold says about calls, event by event. ``events`` have the offsets of their ends."""
    fold = new_fold()
    for offset, event in events:
        for part, text in fold.feed(event):
            if part.kind == "call":
                yield Piece(part.number, offset, text or "", part.came_whole or text is None)
