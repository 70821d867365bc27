"""A response of the endpoint as a plan of byte writes: pure data that a driver carries out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from harness.scenario import Cut, TurnStep
from harness.trace import End
from harness.wire import Conversation, Reply


@dataclass(frozen=True, slots=True)
class Pause:
    """After so many delivered chunks ``reached`` is called, and its result is awaited before the next chunk.

    If the awaited result is true, nobody is left to take the rest: clients close a connection whenever they like, or
    never. A client that has the last chunk need not wait for more, so nothing is awaited after that one.
    """

    after: int
    reached: Callable[[], Awaitable[bool] | None]


@dataclass(frozen=True, slots=True)
class ResponsePlan:
    """One response: its head, the pieces of its body in the order of their writes, and how it ends.

    Each of ``chunks`` is an HTTP chunk; ``waits`` are the seconds before each chunk, or empty for none. ``apart``: each
    chunk is also a separate write to the socket, which a response needs that is split inside its events. ``end``:
    ``eof`` completes the response, ``cut`` closes the connection in the middle of it, ``reset`` aborts it (TCP RST). A
    ``status`` of 0 is no answer at all: not even the head is written. ``pauses`` are in the order of their chunks.
    ``cut`` is how the connection breaks in the middle of an answer on another channel than HTTP. ``step`` is the step
    of the script, which may have more details.
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
