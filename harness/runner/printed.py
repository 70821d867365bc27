"""What a worker process prints, and whatever it starts: it is kept apart from the harness's own words."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Final

from harness.targets.tail import Tail

_PIPE: Final = 1024 * 1024
_PIECE: Final = 64 * 1024
_BEGUN: Final = b"\0begun\0"
"""The worker's first words."""


class Printed:
    """The parent's side. ``writer`` goes to the worker, and is to be closed here when that has it.

    ``ended`` says that nobody prints there any more. On Windows nobody does: a worker prints where the harness does.
    """

    def __init__(self) -> None:
        self._reader, self.writer = Pipe(duplex=False)
        self._tail = Tail()
        self.ended = os.name != "posix"

    def fileno(self) -> int:
        """For ``multiprocessing.connection.wait``: there is something to read."""
        return self._reader.fileno()

    def read(self) -> None:
        """Read what is there, so that nobody is blocked; its end is kept."""
        os.set_blocking(self.fileno(), False)
        for _ in range(_PIPE // _PIECE):
            try:
                data = os.read(self.fileno(), _PIECE)
            except BlockingIOError:
                return
            begun = _BEGUN in data
            if begun:  # what Python had to say before is of interest only where nothing else came
                self._tail, data = Tail(), data.rpartition(_BEGUN)[2]
            self._tail.feed(data)
            if not data and not begun:
                self.ended = True
                return

    def take(self) -> str:
        """The last words since this was asked before."""
        if not self.ended:
            self.read()
        words, self._tail = str(self._tail), Tail()
        return words

    def close(self) -> None:
        """Close the reading end."""
        self._reader.close()


@contextmanager
def errors_to(writer: Connection | None) -> Iterator[None]:
    """A process that is started in the block prints its errors there from its first moment.

    Before it can do so itself, Python prints a traceback in a worker whose parent has died.
    """
    if writer is None or os.name != "posix":
        yield
        return
    try:
        own = os.dup(2)
    except OSError:  # it was started without a place for errors
        yield
        return
    os.dup2(writer.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)


def print_to(writer: Connection) -> None:
    """The worker's side: what this process prints from now on goes there, from whatever language."""
    if os.name != "posix":
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    os.write(writer.fileno(), _BEGUN)
    for number in (1, 2):
        os.dup2(writer.fileno(), number)
    writer.close()
