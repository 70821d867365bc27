"""The pieces in which a response comes in, and the time before each."""

from __future__ import annotations

from collections.abc import Callable

from harness.cassette import Delivery, OverSocket
from harness.trace import End


class ReceivedPieces:
    """What has come of a response that was asked for at ``asked``, by the seconds of ``clock``."""

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
        """A piece has come in now. Returns it."""
        now = self._clock()
        self._pieces.append(piece)
        self._waits.append(round((now - self._last) * 1000, 1))
        self._last = now
        return piece

    def delivery(self, end: End, socket: OverSocket | None = None) -> Delivery:
        """How the response has arrived."""
        return Delivery(tuple(map(len, self._pieces)), tuple(self._waits), end, socket)
