"""A command that was started without a seal. Its process group, and what carries its mark, is ended with it.

Behind a seal ``harness.sealing.commands.SealedCommand`` does the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from harness.ground.signals import FROM_A_TERMINAL
from harness.sealing.errors import CannotStart
from harness.targets.command.stragglers import MARK, end_stragglers

if TYPE_CHECKING:
    from harness.sealing.commands import Place


Connect = Callable[[int], socket.socket]
"""Returns a socket that is connected to a port of 127.0.0.1 where commands run. Raises ``OSError`` or ``SealRefused``
if nothing listens there."""


def connect_openly(port: int) -> socket.socket:
    """Connect to a port of this machine. Raises ``OSError`` if nothing listens there."""
    return socket.create_connection(("127.0.0.1", port))


class Running(Protocol):
    """A command that runs, or has run. Whoever has started it must await ``end``."""

    started: asyncio.Future[None]
    """Done when it runs. Raises ``CannotStart`` where it cannot be started."""

    exited: asyncio.Future[int]
    """Its exit code, or minus the number of the signal that ended it. Raises like ``started`` if it never ran."""

    def signal(self, number: int, /) -> None:
        """Send a signal to it, and to its process group if it has one of its own."""

    async def end(self) -> None:
        """End it and all that it has started, and wait until nothing is left."""


class Start(Protocol):
    """Starts a command. ``streams`` are its standard input, output and error, which the caller must close.

    ``writable`` are the only folders that it may write, if a seal can enforce this; None means no such limit.
    """

    def __call__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        directory: Path | None,
        streams: tuple[int, int, int],
        place: Place = "session",
        writable: Sequence[Path] | None = None,
    ) -> Running:
        """Start it. If that fails, this or ``Running.started`` raises ``CannotStart``."""
        ...


def start_openly(
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: Path | None,
    streams: tuple[int, int, int],
    place: Place = "session",
    writable: Sequence[Path] | None = None,  # noqa: ARG001 - only a seal keeps it from other folders
) -> OpenCommand:
    """Start a command that can reach whatever this process can reach. Raises ``CannotStart``."""
    return OpenCommand(words, environment, directory, streams, place)


def _ignored_here() -> bool:
    return any(signal.getsignal(each) == signal.SIG_IGN for each in FROM_A_TERMINAL)


def _heed_all() -> None:
    """Heed Ctrl-C again: a process that a background job starts ignores it by inheritance.

    It runs between fork and exec of a process with threads, so it must not call anything that may wait for a thread.
    """
    for each in FROM_A_TERMINAL:
        signal.signal(each, signal.SIG_DFL)


class OpenCommand:
    """A child of this process (``Running``)."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        directory: Path | None,
        streams: tuple[int, int, int],
        place: Place,
    ) -> None:
        self._mark = secrets.token_hex(8)
        self._grouped = place != "terminal"
        self._loop = asyncio.get_running_loop()
        self.started: asyncio.Future[None] = self._loop.create_future()
        self.exited: asyncio.Future[int] = self._loop.create_future()
        stdin, stdout, stderr = streams
        try:
            self._process = subprocess.Popen(  # noqa: S603 - to run the user's command is what it is for
                words,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env={**environment, MARK: self._mark},
                cwd=directory,
                start_new_session=place == "session",
                process_group=0 if place == "group" else None,
                preexec_fn=_heed_all if self._grouped and _ignored_here() else None,
            )
        except OSError as error:
            raise CannotStart(str(error.filename or words[0]), error.strerror or str(error)) from None
        self.started.set_result(None)
        self._watched: int | None = None
        self._watch()

    def signal(self, number: int) -> None:
        """Send the signal to the whole group, which may have members left when its leader has exited."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._grouped:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    async def end(self) -> None:
        """Kill the group, reap the process, and kill what has left the group."""
        self.signal(signal.SIGKILL)
        self._process.wait()
        self._note_exit()
        await end_stragglers(self._mark, self._process.pid)

    def _watch(self) -> None:
        """Watch for its exit. On Linux this is before it is reaped: until then no other process has its number."""
        try:
            self._watched = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):
            self._loop.run_in_executor(None, self._process.wait).add_done_callback(lambda _: self._heard())
        else:
            self._loop.add_reader(self._watched, self._heard)

    def _heard(self) -> None:
        """It has exited. Its group still exists and can be ended."""
        self.signal(signal.SIGKILL)  # what is left of its group prints no more
        self._process.wait()
        self._note_exit()

    def _note_exit(self) -> None:
        if self._watched is not None:
            self._loop.remove_reader(self._watched)
            os.close(self._watched)
            self._watched = None
        if not self.exited.done():
            self.exited.set_result(self._process.returncode)
