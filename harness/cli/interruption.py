"""SIGTERM ends a command as Ctrl-C does, and neither of them harms what is being written.

Container runtimes, CI systems and ``timeout`` send SIGTERM; a shell has background jobs ignore Ctrl-C.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["Interruption", "handled", "undisturbed"]

_BOTH = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class Interruption:
    """Which signal has come. ``code`` is the exit code of a command that it has interrupted."""

    terminated: bool = False

    @property
    def code(self) -> int:
        """128 plus the number of the signal: 143 after SIGTERM, else 130."""
        return 128 + (signal.SIGTERM if self.terminated else signal.SIGINT)


@contextmanager
def handled() -> Iterator[Interruption]:
    """While the block runs SIGTERM does what Ctrl-C does, by whatever means: ``KeyboardInterrupt``, or asyncio's."""
    seen = Interruption()
    if threading.current_thread() is not threading.main_thread():  # where no signal can be handled
        yield seen
        return

    def terminate(_: int, frame: FrameType | None) -> None:
        seen.terminated = True
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # a background job ignores Ctrl-C
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore both signals while results are written: a second Ctrl-C does no harm."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _BOTH}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
