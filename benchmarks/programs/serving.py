"""Servers as processes of their own: started, asked for the time that they have taken, and ended."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs: ``base(N, wire)`` is where connection N finds it."""

    name: str
    process: int
    base: Callable[[int, str], str]

    def cpu(self) -> float:
        """CPU seconds of all its threads so far."""
        tasks = Path(f"/proc/{self.process}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in tasks) / 1e9


@contextmanager
def running(
    command: list[str], ending: signal.Signals = signal.SIGTERM
) -> Iterator[tuple[subprocess.Popen[str], Iterator[str]]]:
    """A server that is ended with the block, and the lines that it prints."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        yield child, iter(child.stdout)
    finally:
        child.send_signal(ending)
        child.communicate()  # what it says at its end has to be read, or it would wait for that
