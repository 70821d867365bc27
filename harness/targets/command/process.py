"""Starts, reads, writes and reliably ends the process of a command, with its group and what it left behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from harness.targets.command.output import TargetFailed
from harness.targets.command.running import Running, Start, start_openly

MOST_OUTPUT: Final = 64 * 1024 * 1024
"""The most bytes that a command may print in a case, on standard output and standard error together."""

_MOST_UNREAD: Final = 64 * 1024 * 1024
"""The most bytes that may wait until a command reads its standard input."""

_PIECE: Final = 64 * 1024
"""Bytes that are read or written at a time: the size of a pipe on Linux, so that one read empties it."""

_PIPE: Final = 1024 * 1024
"""The largest size of any pipe, in bytes."""

_PARTING: Final = 0.5
"""Seconds between SIGTERM and SIGKILL."""

Take = Callable[[bytes], None]


class Process:
    """A process in a group of its own. ``output`` and ``errors`` are called with what it prints, as it arrives.

    An exception of either ends the wait for the process (``over``). Neither side can block the other: this side keeps
    what the process does not read, and reads at once what it prints. Whoever starts a ``Process`` must await ``end``.
    """

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        directory: Path | None,
        output: Take,
        errors: Take,
        start: Start = start_openly,
    ) -> None:
        """Start the process with ``start``. If that fails, this or ``over`` raises ``CannotStart``."""
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._printed = 0
        self._closed = False
        self._unread = bytearray()
        self._pipes, self._running = _start_with_pipes(words, environment, directory, start)
        self._input: int | None = self._pipes[0]
        self._outputs = self._pipes[1:]
        self._readers: dict[int, Take] = {}
        self.listen(output, errors)
        for pipe in self._outputs:
            self._loop.add_reader(pipe, self._readable, pipe)
        self._running.exited.add_done_callback(self._note_exit)

    def listen(self, output: Take, errors: Take) -> None:
        """Call ``output`` and ``errors`` from now on. Earlier output is no longer counted towards the limit."""
        self._readers = dict(zip(self._outputs, (output, errors), strict=True))
        self._printed = 0

    @property
    def is_over(self) -> bool:
        """Whether it has exited, or nobody listens to it any longer."""
        return self._over.done()

    @property
    def code(self) -> int:
        """How it has ended: its exit code, or minus the number of the signal that ended it."""
        return self._running.exited.result()

    def write(self, data: bytes) -> None:
        """Send it ``data`` when it reads. Does nothing if it has closed its standard input."""
        if self._over.done() or self._input is None:
            return
        self._unread += data
        if len(self._unread) > _MOST_UNREAD:
            self._fail(TargetFailed(f"It leaves {_MOST_UNREAD // 1024**2} MiB unread on its standard input."))
        else:
            self._writable(self._input)

    def catch_up(self) -> None:
        """Read all that it has printed so far. Does nothing if nobody listens to it any longer."""
        if self._closed or self._over.done():
            return
        try:
            for pipe in self._outputs:
                while self._read(pipe):
                    pass
        except Exception as error:  # noqa: BLE001 - it is raised to whoever waits for the process
            self._fail(error)

    async def over(self, done: asyncio.Future[None] | None = None) -> None:
        """Wait until it has exited, or ``done`` is done, and all that it has printed was passed on.

        Raises what ``output`` or ``errors`` raised, and ``HarnessError`` if the process could not be started.
        """
        await asyncio.wait([each for each in (self._over, done) if each], return_when=asyncio.FIRST_COMPLETED)
        if self._over.done():
            self._over.result()
        for pipe in self._readers:
            for _ in range(_PIPE // _PIECE):
                if not self._read(pipe):
                    break

    def interrupt(self, number: int) -> None:
        """Send it a signal, with its process group."""
        if not self._running.exited.done():
            self._running.signal(number)

    def finish_input(self) -> None:
        """End its standard input."""
        self._hang_up()

    async def leave(self) -> None:
        """Let it end by itself because its standard input has ended; then ``end`` it."""
        try:
            self._hang_up()
            await asyncio.wait([self._running.exited], timeout=_PARTING)
        finally:
            await self.end()

    async def end(self) -> None:
        """End it and whatever it has started. Afterwards nothing of it runs, and no pipe is open."""
        try:
            if not self._running.exited.done():
                self._running.signal(signal.SIGTERM)
                await asyncio.wait([self._running.exited], timeout=_PARTING)
        finally:
            self._close()
            await self._running.end()

    # --- what it prints, and what it is sent -------------------------------------------------------------------

    def _readable(self, pipe: int) -> None:
        try:
            if self._read(pipe) == b"":
                self._loop.remove_reader(pipe)
        except Exception as error:  # noqa: BLE001 - whoever waits for the process gets it
            self._fail(error)

    def _read(self, pipe: int) -> bytes | None:
        """Read what has arrived: ``b""`` at the end of the output, None if nothing has arrived yet."""
        try:
            data = os.read(pipe, _PIECE)
        except BlockingIOError:
            return None
        self._printed += len(data)
        if self._printed > MOST_OUTPUT:
            raise TargetFailed(f"It has printed more than {MOST_OUTPUT // 1024**2} MiB in this case.")
        self._readers[pipe](data)
        return data

    def _writable(self, pipe: int) -> None:
        try:
            while self._unread:
                del self._unread[: os.write(pipe, self._unread[:_PIECE])]
        except BlockingIOError:
            self._loop.add_writer(pipe, self._writable, pipe)
            return
        except OSError:  # nobody reads any more
            self._unread.clear()
        self._loop.remove_writer(pipe)

    def _fail(self, error: Exception) -> None:
        """Stop listening: the process will be ended."""
        self._deafen()
        if not self._over.done():
            self._over.set_exception(error)

    def _deafen(self) -> None:
        for pipe in self._outputs:
            self._loop.remove_reader(pipe)
        if self._input is not None:
            self._loop.remove_writer(self._input)

    # --- its end -----------------------------------------------------------------------------------------------

    def _note_exit(self, exited: asyncio.Future[int]) -> None:
        if self._over.done():
            return
        problem = exited.exception()
        if problem is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(problem)

    def _hang_up(self) -> None:
        """Close its standard input."""
        if self._input is not None:
            self._loop.remove_writer(self._input)
            os.close(self._input)
            self._input = None  # its number may soon be that of another file

    def _close(self) -> None:
        if not self._closed:
            self._closed = True
            self._deafen()
            self._hang_up()
            for pipe in self._outputs:
                os.close(pipe)
        if self._over.done() and not self._over.cancelled():
            self._over.exception()  # perhaps nobody waits for it any longer


def _start_with_pipes(
    words: Sequence[str], environment: Mapping[str, str], directory: Path | None, start: Start
) -> tuple[tuple[int, int, int], Running]:
    """This side's ends of the standard input, output and error, which do not block, and the running command."""
    (stdin, write), (read, stdout), (read_errors, stderr) = pipes = [os.pipe() for _ in range(3)]
    mine = (write, read, read_errors)
    try:
        running = start(words, environment, directory, (stdin, stdout, stderr))
    except BaseException:
        for pipe in mine:
            os.close(pipe)
        raise
    finally:
        for pipe in {end for pair in pipes for end in pair} - {*mine}:
            os.close(pipe)
    for pipe in mine:
        os.set_blocking(pipe, False)
    return mine, running
