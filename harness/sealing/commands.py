"""Commands behind a seal, as the harness sees them: it starts and signals them, and learns how they end."""

from __future__ import annotations

import array
import asyncio
import contextlib
import marshal
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from harness.errors import BadInput, HarnessError
from harness.sealing.errors import CannotStart, SealBroken, SealRefused
from harness.sealing.init import DIRECTORY, PROGRAM

Place = Literal["session", "group", "terminal"]
"""The process group of a command: a session of its own, a process group of its own, or the group of the terminal, which
lets it read from the terminal."""

ANSWERED: Final = 30.0
"""Seconds in which the spawner must answer. It takes milliseconds."""

_SOURCES: Final = str(Path(__file__).resolve().parents[2])
_MAIN: Final = "import sys; sys.path.insert(0, sys.argv[1]); from harness.sealing.spawner import main; main({})"
_KEPT: Final = ("LD_LIBRARY_PATH", "PATH")
"""Variables of the environment that the interpreter may need."""


class Spawner:
    """A seal with the process that starts commands there. Closing it ends everything behind the seal.

    With ``in_terminal`` commands can belong to the terminal of this process. Raises ``SealRefused`` if the kernel
    allows no seal.
    """

    def __init__(self, *, in_terminal: bool = False) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = os.memfd_create("spawner")
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-I", "-S", "-c", _MAIN.format(theirs.fileno()), _SOURCES],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=[theirs.fileno()],
                env={name: os.environ[name] for name in _KEPT if name in os.environ},
                start_new_session=not in_terminal,
            )
        self._control.settimeout(ANSWERED)
        try:
            self._answer()
        except BaseException:
            self.close()
            raise

    def listener(self, port: int = 0) -> socket.socket:
        """A socket that listens on 127.0.0.1 behind the seal, on a free port for 0. Raises ``BadInput``."""
        self._ask(f"L {port}".encode())
        try:
            return socket.socket(fileno=self._answer()[0])
        except SealRefused as problem:
            raise BadInput(
                f"cannot listen on 127.0.0.1:{port}: {problem}; choose another --port, or 0 for a free one"
            ) from None

    def files_stay_open(self) -> str:
        """Why the kernel cannot keep a command from writing files, in words; empty if it can. It is tried."""
        self._ask(b"F")
        try:
            self._answer()
        except SealRefused as problem:
            return str(problem)
        return ""

    def connection(self, port: int) -> socket.socket:
        """A socket that is connected to a port of 127.0.0.1 behind the seal.

        Raises ``SealRefused`` if nothing listens there.
        """
        self._ask(f"K {port}".encode())
        return socket.socket(fileno=self._answer()[0])

    def start(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        directory: Path | None,
        streams: tuple[int, int, int],
        place: Place = "session",
        writable: Sequence[Path] | None = None,
    ) -> SealedCommand:
        """Start a command in a PID namespace of its own, with ``streams`` as its standard input, output and error.

        ``writable`` are the only folders that it may write, if the kernel can enforce that (``files_stay_open``). The
        caller must close ``streams``. A command that could not be started reports that later. Raises ``SealBroken``.
        """
        where = os.path.abspath(directory or ".")  # noqa: PTH100 - links stay as they are
        request = os.memfd_create("command")
        mine, theirs = socket.socketpair()
        try:
            with os.fdopen(os.dup(request), "wb") as file:
                folders = None if writable is None else [str(each) for each in writable]
                file.write(marshal.dumps((list(words), dict(environment), where, place, folders)))
            os.lseek(request, 0, os.SEEK_SET)
            self._ask(b"C", [*streams, theirs.fileno(), request])
        except BaseException:
            mine.close()
            raise
        finally:
            theirs.close()
            os.close(request)
        return SealedCommand(mine, self, words[0], where)

    def close(self) -> None:
        """End everything behind the seal."""
        self._control.close()
        try:
            self._process.wait(ANSWERED)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(OSError):
            os.close(self._errors)
        self._errors = -1

    def broken(self) -> SealBroken:
        """The error to raise if the process has ended, or does not answer."""
        printed = b"" if self._errors < 0 else os.pread(self._errors, 1 << 16, 0)
        why = "The process that starts commands behind the seal has ended, or does not answer"
        return SealBroken(f"{why} (--no-isolate does without it).\n{printed.decode('utf-8', 'replace')}".strip())

    def _ask(self, message: bytes, files: Sequence[int] = ()) -> None:
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        try:
            self._control.sendmsg([message], ancillary)
        except OSError:
            raise self.broken() from None

    def _answer(self) -> list[int]:
        """The file descriptors of an answer. Raises ``SealRefused``, and ``SealBroken`` if there is no answer."""
        try:
            data, files, _, _ = socket.recv_fds(self._control, 4096, 1)
        except OSError:
            raise self.broken() from None
        if not data:
            raise self.broken()
        if data[:1] == b"E":
            _, number, why = data.decode("utf-8", "replace").split(" ", 2)
            raise SealRefused(why, int(number))
        return list(files)


class SealedCommand:
    """A command behind a seal. ``started`` is done when it runs, ``exited`` with its exit code, or minus the number of
    the signal that ended it. Either raises ``CannotStart``, or ``SealBroken``.

    ``gone`` is done when the command and all processes that it had started have ended. They end with it.
    """

    def __init__(self, status: socket.socket, spawner: Spawner, program: str, directory: str) -> None:
        self._loop = asyncio.get_running_loop()
        self.started: asyncio.Future[None] = self._loop.create_future()
        self.exited: asyncio.Future[int] = self._loop.create_future()
        self.gone: asyncio.Future[None] = self._loop.create_future()
        self._status = status
        self._spawner = spawner
        self._names = {PROGRAM: program, DIRECTORY: directory}
        self._begun = b""
        self._ending = False
        status.setblocking(False)
        self._loop.add_reader(status.fileno(), self._readable)

    def signal(self, number: int) -> None:
        """Send the command a signal, and also its process group if it has one of its own."""
        with contextlib.suppress(OSError):  # it has ended
            self._status.send(bytes([number]))

    async def end(self) -> None:
        """End the command and all that it has started, and wait until nothing is left. Raises ``SealBroken`` if that
        fails."""
        self._ending = True
        with contextlib.suppress(OSError):  # it has ended
            self._status.shutdown(socket.SHUT_WR)
        await asyncio.wait([self.gone], timeout=ANSWERED)
        if not self.gone.done():
            raise self._spawner.broken()

    def _readable(self) -> None:
        try:
            data = self._status.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            self._heard(*line.decode().split())
        if not data:
            self._over()

    def _heard(self, what: str, *words: str) -> None:
        match what, words:
            case "S", () if not self.started.done():
                self.started.set_result(None)
            case "X", (status,) if not self.exited.done():
                self.exited.set_result(os.waitstatus_to_exitcode(int(status)))
            case "E", (number, wrong):
                self._fail(CannotStart(self._names.get(wrong, self._names[PROGRAM]), os.strerror(int(number))))

    def _over(self) -> None:
        self._loop.remove_reader(self._status.fileno())
        self._status.close()
        if self._ending and not self.exited.done():
            self.exited.set_result(-signal.SIGKILL)
        self._fail(self._spawner.broken())
        if not self.gone.done():
            self.gone.set_result(None)

    def _fail(self, error: HarnessError) -> None:
        for future in (self.started, self.exited):
            if not future.done():
                future.set_exception(error)
                future.exception()  # perhaps nobody waits for it
