"""The process of a command, its group, and what it left behind: started, read, written to, and ended for certain."""

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
"""Bytes that a command may print in a case, on standard output and standard error together."""

_MOST_UNREAD: Final = 64 * 1024 * 1024
"""Bytes that may wait for a command to read its standard input."""

_PIECE: Final = 64 * 1024
"""Bytes that are read or written at a time: what a pipe of Linux holds, so that one look empties it."""

_PIPE: Final = 1024 * 1024
"""Bytes that any pipe may hold."""

_PARTING: Final = 0.5
"""Seconds between SIGTERM and SIGKILL."""

Take = Callable[[bytes], None]


class Process:
    """A process in a group of its own. ``output`` and ``errors`` are given what it prints, as it comes.

    What these raise ends the wait for it (``over``). Neither side can block the other: what the process does not read
    is kept here, and what it prints is read at once. Whoever starts one awaits ``end``, whatever happens.
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
        """Have ``start`` start it. Raises ``CannotStart`` where it cannot be started, or ``over`` does."""
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._printed = 0
        self._closed = False
        self._unread = bytearray()
        self._pipes, self._running = _started(words, environment, directory, start)
        self._input: int | None = self._pipes[0]
        self._outputs = self._pipes[1:]
        self._readers: dict[int, Take] = {}
        self.listen(output, errors)
        for pipe in self._outputs:
            self._loop.add_reader(pipe, self._readable, pipe)
        self._running.exited.add_done_callback(self._exited)

    def listen(self, output: Take, errors: Take) -> None:
        """From now on ``output`` and ``errors`` are given what it prints; what it has printed before is not counted."""
        self._readers = dict(zip(self._outputs, (output, errors), strict=True))
        self._printed = 0

    @property
    def is_over(self) -> bool:
        """Whether it has exited, or is listened to no longer."""
        return self._over.done()

    @property
    def code(self) -> int:
        """How it has ended: its exit code, or minus the number of the signal that ended it."""
        return self._running.exited.result()

    def write(self, data: bytes) -> None:
        """Hand it ``data`` when it reads. One that has closed its standard input does not want it."""
        if self._over.done() or self._input is None:
            return
        self._unread += data
        if len(self._unread) > _MOST_UNREAD:
            self._fail(TargetFailed(f"It leaves {_MOST_UNREAD // 1024**2} MiB unread on its standard input."))
        else:
            self._writable(self._input)

    def catch_up(self) -> None:
        """Take in all that it has printed so far. Does nothing once it is listened to no longer."""
        if self._closed or self._over.done():
            return
        try:
            for pipe in self._outputs:
                while self._read(pipe):
                    pass
        except Exception as error:  # noqa: BLE001 - it is raised to whoever waits for the process
            self._fail(error)

    async def over(self, done: asyncio.Future[None] | None = None) -> None:
        """Wait until it has exited, or ``done`` is, and all that it has printed was given on.

        Raises what taking it raised, and ``HarnessError`` where it could not be started.
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
        """End its standard input: there is nothing more to read."""
        self._hang_up()

    async def leave(self) -> None:
        """Let it end by itself, since its standard input has ended; then ``end`` it."""
        try:
            self._hang_up()
            await asyncio.wait([self._running.exited], timeout=_PARTING)
        finally:
            await self.end()

    async def end(self) -> None:
        """End it and whatever it has started, however it went: nothing of it runs, and nothing is open, afterwards."""
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
        """Take what is there: ``b""`` at the end of all, None where nothing has come yet."""
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
        """Listen no longer: it is to be ended."""
        self._deafen()
        if not self._over.done():
            self._over.set_exception(error)

    def _deafen(self) -> None:
        for pipe in self._outputs:
            self._loop.remove_reader(pipe)
        if self._input is not None:
            self._loop.remove_writer(self._input)

    # --- its end -----------------------------------------------------------------------------------------------

    def _exited(self, exited: asyncio.Future[int]) -> None:
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


def _started(
    words: Sequence[str], environment: Mapping[str, str], directory: Path | None, start: Start
) -> tuple[tuple[int, int, int], Running]:
    """The command with this side's ends of its standard input, output and error, which do not block."""
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
