"""What the endpoint answers, as a plan of byte writes: pure data that a driver carries out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.trace import End
from harness.wire import Conversation, Reply

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: head, the pieces of the body in the order of their writes, and how it ends.

    ``chunks`` are written one by one, never joined; ``waits`` are the seconds before each of them, or empty for none.
    ``end``: ``eof`` completes the response, ``cut`` closes the connection in the middle of it, ``reset`` aborts it
    (TCP RST).
    """

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]
    end: End = "eof"
    conversation: Conversation | None = None
    reply: Reply | None = None
    waits: tuple[float, ...] = ()
