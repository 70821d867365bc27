"""The process of a command, its group, and what it left behind: started, read, written to, and ended for certain."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from harness.targets.command.output import TargetFailed
from harness.targets.command.stragglers import MARK, end_stragglers

__all__ = ["MOST_OUTPUT", "Process", "Take"]

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
        self, words: Sequence[str], environment: Mapping[str, str], directory: Path | None, output: Take, errors: Take
    ) -> None:
        """Start it. Raises ``TargetFailed`` where it cannot be started."""
        self._mark = secrets.token_hex(8)
        self._process = _started(words, {**environment, MARK: self._mark}, directory)
        self._loop = asyncio.get_running_loop()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._watched: int | None = None
        self._printed = 0
        self._closed = False
        self._unread = bytearray()
        stdin, *self._outputs = [_unblocked(pipe) for pipe in _pipes(self._process)]
        self._input: int | None = stdin
        self._readers: dict[int, Take] = {}
        self.listen(output, errors)
        for pipe in self._outputs:
            self._loop.add_reader(pipe, self._readable, pipe)
        self._watch()

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
        return self._process.returncode

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

        Raises what taking it raised.
        """
        await asyncio.wait([each for each in (self._over, done) if each], return_when=asyncio.FIRST_COMPLETED)
        if self._over.done():
            self._over.result()
            self._signal(signal.SIGKILL)  # what is left of its group shall print no more
        for pipe in self._readers:
            for _ in range(_PIPE // _PIECE):
                if not self._read(pipe):
                    break

    async def leave(self) -> None:
        """Let it end by itself, since its standard input has ended; then ``end`` it."""
        try:
            self._hang_up()
            await asyncio.wait([self._gone], timeout=_PARTING)
        finally:
            await self.end()

    async def end(self) -> None:
        """End it and whatever it has started, however it went: nothing of it runs, and nothing is open, afterwards."""
        try:
            if not self._gone.done():
                self._signal(signal.SIGTERM)
                await asyncio.wait([self._gone], timeout=_PARTING)
        finally:
            self._signal(signal.SIGKILL)
            self._close()
            self._process.wait()
            self._exited()
        await end_stragglers(self._mark, self._process.pid)

    # --- what it prints, and what it is told -------------------------------------------------------------------

    def _readable(self, pipe: int) -> None:
        try:
            if self._read(pipe) == b"":
                self._loop.remove_reader(pipe)
        except Exception as error:  # noqa: BLE001 - whoever waits for the process is told
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

    def _watch(self) -> None:
        """Hear of its exit. On Linux before it is reaped: until then nobody else has its number."""
        try:
            self._watched = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):
            self._loop.run_in_executor(None, self._process.wait).add_done_callback(lambda _: self._exited())
        else:
            self._loop.add_reader(self._watched, self._exited)

    def _exited(self) -> None:
        if self._watched is not None:
            self._loop.remove_reader(self._watched)
            os.close(self._watched)
            self._watched = None
        for future in (self._gone, self._over):
            if not future.done():
                future.set_result(None)

    def _signal(self, number: signal.Signals) -> None:
        """To the whole group, in which some may be left when its leader has exited."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _hang_up(self) -> None:
        """Close its standard input."""
        if self._input is not None:
            self._loop.remove_writer(self._input)
            _pipes(self._process)[0].close()
            self._input = None  # its number may soon be that of another file

    def _close(self) -> None:
        self._closed = True
        self._deafen()
        for pipe in _pipes(self._process):
            pipe.close()
        if self._over.done() and not self._over.cancelled():
            self._over.exception()  # perhaps nobody waits for it any longer


def _started(words: Sequence[str], environment: Mapping[str, str], directory: Path | None) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(  # noqa: S603 - to run the user's command is what it is for
            words,
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=environment,
            cwd=directory,
            start_new_session=True,
        )
    except OSError as error:
        raise TargetFailed(f"Cannot start {error.filename or words[0]}: {error.strerror}.") from None


def _pipes(process: subprocess.Popen[bytes]) -> list[IO[bytes]]:
    """Standard input, output and error."""
    return [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None]


def _unblocked(pipe: IO[bytes]) -> int:
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()
