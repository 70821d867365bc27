"""SIGTERM and SIGHUP end a command as Ctrl-C does, and none of them harms what is being written.

Container runtimes, CI systems and ``timeout`` send SIGTERM, a terminal that is closed sends SIGHUP; a shell has
background jobs ignore Ctrl-C, and ``nohup`` has its command ignore SIGHUP.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from harness.ground.signals import ENDING


@dataclass(slots=True)
class Interruption:
    """The signal that has come. ``code`` is the exit code of a command that it has interrupted."""

    number: int = signal.SIGINT

    @property
    def code(self) -> int:
        """128 plus the number of the signal: 143 after SIGTERM, 129 after SIGHUP, else 130."""
        return 128 + self.number


@contextmanager
def handled() -> Iterator[Interruption]:
    """While the block runs, the other signals raise what Ctrl-C raises: ``KeyboardInterrupt``, or asyncio's
    cancellation. A SIGHUP that is ignored stays ignored."""
    seen = Interruption()
    if threading.current_thread() is not threading.main_thread():  # where no signal can be handled
        yield seen
        return

    def end(number: int, frame: FrameType | None) -> None:
        seen.number = number
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # a background job ignores Ctrl-C
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    others = [each for each in ENDING if each != signal.SIGINT]
    heeded = [each for each in others if each == signal.SIGTERM or signal.getsignal(each) != signal.SIG_IGN]
    before = {each: signal.signal(each, end) for each in heeded}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore these signals while results are written: a second Ctrl-C does no harm."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
