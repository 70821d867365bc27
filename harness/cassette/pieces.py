"""The pieces in which a response arrives, and the time before each."""

from __future__ import annotations

from collections.abc import Callable

from harness.cassette import Delivery, OverSocket
from harness.trace import End


class ReceivedPieces:
    """The received pieces of a response that was requested at ``asked``, in seconds of ``clock``."""

    def __init__(self, clock: Callable[[], float], asked: float) -> None:
        self._clock = clock
        self._last = asked
        self._pieces: list[bytes] = []
        self._waits: list[float] = []

    @property
    def body(self) -> bytes:
        """All of them joined."""
        return b"".join(self._pieces)

    def add(self, piece: bytes) -> bytes:
        """Add a piece that has just arrived. Returns it."""
        now = self._clock()
        self._pieces.append(piece)
        self._waits.append(round((now - self._last) * 1000, 1))
        self._last = now
        return piece

    def delivery(self, end: End, socket: OverSocket | None = None) -> Delivery:
        """How the response has arrived."""
        return Delivery(tuple(map(len, self._pieces)), tuple(self._waits), end, socket)
