"""Standard output and standard error: they take any text, and a reader may leave."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["forgiving", "write_no_more"]


@contextmanager
def forgiving() -> Iterator[None]:
    """While the block runs both streams take any text, and a reader that has left (``| head -1``) stops no work.

    What the encoding of the terminal does not have is written as an escape: ``LC_ALL=C``, code pages of Windows.
    """
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _lasting(sys.stdout), _lasting(sys.stderr)
    try:
        yield
    finally:
        for stream in filter(None, (sys.stdout, sys.stderr)):  # None: it was closed before we were started
            stream.flush()
        sys.stdout, sys.stderr = streams


def _lasting(stream: TextIO) -> TextIO:
    """The same stream, but that it forgets what nobody reads any more. What is no file stays as it is."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.reconfigure(errors="backslashreplace")
    buffered = isinstance(stream.buffer, io.BufferedWriter)
    if not isinstance(stream.buffer.raw if buffered else stream.buffer, io.FileIO):
        return stream
    stream.flush()
    file = _Lasting(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(file) if buffered else file,  # PYTHONUNBUFFERED
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class _Lasting(io.FileIO):
    """A file that is written to even where it is a pipe that nobody reads."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            write_no_more(self.fileno())
            return memoryview(data).nbytes


def write_no_more(number: int) -> None:
    """What is written to this file descriptor from now on is dropped."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
