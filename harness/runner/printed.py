"""Keeps the output of a worker process, and of everything that it starts, apart from the harness's own output."""

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
"""The first bytes that a worker prints."""


class Printed:
    """The parent's side. ``writer`` goes to the worker, and must be closed here when the worker has it.

    ``ended``: nobody prints there any more. On Windows this is always so: a worker prints where the harness does.
    """

    def __init__(self) -> None:
        self._reader, self.writer = Pipe(duplex=False)
        self._tail = Tail()
        self.ended = os.name != "posix"

    def fileno(self) -> int:
        """The file descriptor, for ``multiprocessing.connection.wait``."""
        return self._reader.fileno()

    def read(self) -> None:
        """Read the available output, so that no writer blocks. Only its end is kept."""
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
        """The last output since the previous call."""
        if not self.ended:
            self.read()
        words, self._tail = str(self._tail), Tail()
        return words

    def close(self) -> None:
        """Close the reading end."""
        self._reader.close()


@contextmanager
def errors_to(writer: Connection | None) -> Iterator[None]:
    """Let processes started in the block print their errors to ``writer`` from the first moment.

    Without this Python could print a traceback elsewhere, in a new worker whose parent has died.
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
    """The worker's side: redirect all output of this process, from any language, to ``writer``."""
    if os.name != "posix":
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    os.write(writer.fileno(), _BEGUN)
    for number in (1, 2):
        os.dup2(writer.fileno(), number)
    writer.close()
