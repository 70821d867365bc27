"""Standard output and standard error that take any text, and that survive a reader that leaves."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Output:
    """The errors of a command's two streams."""

    def __init__(self) -> None:
        self._errors: list[OSError] = []

    def note(self, error: OSError) -> None:
        """Keep the error of a failed write. Everything that follows is dropped."""
        self._errors.append(error)

    def failed(self) -> OSError | None:
        """Write what is still buffered. Returns the first error of all writes."""
        for stream in filter(None, (sys.stdout, sys.stderr)):  # None: it was closed before we were started
            stream.flush()
        return self._errors[0] if self._errors else None


@contextmanager
def forgiving() -> Iterator[Output]:
    """While the block runs, both streams take any text, and their errors stop no work.

    That a reader has left (``| head -1``) is ignored. Any other error, such as a full disk, is noted. A character that
    the terminal's encoding lacks is written as an escape (``LC_ALL=C``, code pages of Windows).
    """
    output = Output()
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _lasting(sys.stdout, output), _lasting(sys.stderr, output)
    try:
        yield output
    finally:
        output.failed()
        sys.stdout, sys.stderr = streams


def _lasting(stream: TextIO, output: Output) -> TextIO:
    """The same stream, which drops text that nobody reads any more. A stream that is no file is returned unchanged."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.reconfigure(errors="backslashreplace")
    buffered = isinstance(stream.buffer, io.BufferedWriter)
    if not isinstance(stream.buffer.raw if buffered else stream.buffer, io.FileIO):
        return stream
    stream.flush()
    file = _Lasting(stream, output)
    return io.TextIOWrapper(
        io.BufferedWriter(file) if buffered else file,  # PYTHONUNBUFFERED
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class _Lasting(io.FileIO):
    """A file that can be written to even if nobody reads it, or nothing can be written."""

    def __init__(self, stream: TextIO, output: Output) -> None:
        super().__init__(stream.fileno(), "wb", closefd=False)
        self._name = {1: "standard output", 2: "standard error"}.get(stream.fileno(), "the output")
        self._output = output

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            pass
        except OSError as error:
            self._output.note(OSError(error.errno, error.strerror, f"{self._name} cannot be written"))
        _write_no_more(self.fileno())
        return memoryview(data).nbytes


def _write_no_more(number: int) -> None:
    """Drop everything that is written to this file descriptor from now on."""
    with suppress(OSError):  # no more files can be opened: each write fails from now on, and is dropped, too
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
