"""What the endpoint answers, as a plan of byte writes: pure data that a driver carries out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from harness.scenario import Cut, TurnStep
from harness.trace import End
from harness.wire import Conversation, Reply


@dataclass(frozen=True, slots=True)
class Pause:
    """When so many chunks have been delivered, ``reached`` is called, and what it returns is awaited before the next.

    True of that says that nobody is left who would take the rest: clients close a connection when they like, or never.
    A client that has the last chunk need not wait for more, so behind that one nothing is awaited.
    """

    after: int
    reached: Callable[[], Awaitable[bool] | None]


@dataclass(frozen=True, slots=True)
class ResponsePlan:
    """One response: head, the pieces of the body in the order of their writes, and how it ends.

    Each of ``chunks`` is a chunk of HTTP; ``waits`` are the seconds before each of them, or empty for none. ``apart``:
    each is also written to the socket by itself, as the pieces of a response must be that is cut inside its events.
    ``end``: ``eof`` completes the response, ``cut`` closes the connection in the middle of it, ``reset`` aborts it
    (TCP RST). A ``status`` of 0 is no answer at all: not even the head is written. ``pauses`` are in the order of
    their chunks. ``cut`` is how a connection breaks in the middle of the answer that is carried on otherwise than over
    HTTP, and ``step`` the one of the script, which may say more of it.
    """

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]
    end: End = "eof"
    conversation: Conversation | None = None
    reply: Reply | None = None
    waits: tuple[float, ...] = ()
    apart: bool = True
    pauses: tuple[Pause, ...] = ()
    cut: Cut | None = None
    step: TurnStep | None = None
