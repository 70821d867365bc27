"""The process behind a seal that starts commands. Each process of the harness has one; it imports little.

It is two processes. The outer one makes the namespaces and waits for the inner one, which is the first of a PID
namespace: when that ends, everything behind the seal does. It ends when the harness closes its end of the control
socket, also by being killed.

The harness sends messages of one piece. ``L PORT`` asks for a socket that listens on the loopback address of the seal;
the answer is ``L`` with the socket, or ``E NUMBER``. ``K PORT`` asks for a socket that is connected to that port there,
with the same answers. ``C`` with open files (``init.Handed``) starts a command. ``F`` asks whether a command can be
kept from writing files; the answer is ``F``, or ``E NUMBER``.
"""

from __future__ import annotations

import _socket
import array
import os
import select
import signal
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

from harness.ground.signals import FROM_A_TERMINAL
from harness.sealing import kernel, namespaces
from harness.sealing.files import keep_from_writing
from harness.sealing.init import Handed, run

if TYPE_CHECKING:
    from collections.abc import Callable

_BACKLOG: Final = 128
_FILES: Final = len(Handed._fields)


def main(descriptor: int) -> NoReturn:
    """Seal this process, report that on the control socket, and start commands until the socket is closed.

    It ignores signals that a terminal sends to all processes: the harness handles them, and ends this process.
    """
    heeded = frozenset(number for number in FROM_A_TERMINAL if signal.getsignal(number) != signal.SIG_IGN)
    for number in FROM_A_TERMINAL:
        signal.signal(number, signal.SIG_IGN)
    control = _socket.socket(fileno=descriptor)
    try:
        namespaces.enter()
        inner = os.fork()
    except OSError as error:
        control.send(f"E {error.errno} {error.strerror}".encode())
        os._exit(1)
    if inner:
        control.close()
        os._exit(os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1]) & 0xFF)
    kernel.die_with_parent()
    control.send(b"S")
    _Spawner(control, heeded).serve()
    os._exit(0)


class _Spawner:
    """The inner process. ``running`` maps the files that report the ends of commands to the commands' first
    processes."""

    def __init__(self, control: _socket.socket, heeded: frozenset[int]) -> None:
        self._control = control
        self._heeded = heeded
        self._running: dict[int, int] = {}
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self._heard, self._ended = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()

    def serve(self) -> None:
        signal.set_wakeup_fd(self._ended, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._poll.register(self._control.fileno(), select.POLLIN)
        self._poll.register(self._heard, select.POLLIN)
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._heard:
                    os.read(self._heard, 4096)
                    self._reap()
                elif descriptor in self._running:
                    self._end(descriptor)
                elif descriptor == self._control.fileno() and not self._serve_request():
                    return

    def _serve_request(self) -> bool:
        """Do what the harness asks for. Returns False if the harness has gone."""
        data, ancillary, _, _ = self._control.recvmsg(64, _socket.CMSG_SPACE(_FILES * 4), _socket.MSG_CMSG_CLOEXEC)
        if not data:
            return False
        if data[:1] == b"L":
            self._pass_out(int(data[1:]), self._listening)
        elif data[:1] == b"K":
            self._pass_out(int(data[1:]), self._connect)
        elif data[:1] == b"F":
            self._try_files()
        else:
            files = array.array("i")
            for _, _, received in ancillary:
                files.frombytes(received)
            self._start(Handed(*files))
        return True

    def _pass_out(self, port: int, prepare: Callable[[_socket.socket, int], None]) -> None:
        """Give the harness a socket from inside the seal."""
        made = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            prepare(made, port)
            file = struct.pack("i", made.fileno())
            self._control.sendmsg([b"L"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, file)])
        except (OSError, OverflowError) as error:
            self._control.send(f"E {getattr(error, 'errno', 0)} {getattr(error, 'strerror', error)}".encode())
        finally:
            made.close()

    @staticmethod
    def _listening(made: _socket.socket, port: int) -> None:
        made.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        made.listen(_BACKLOG)

    @staticmethod
    def _connect(made: _socket.socket, port: int) -> None:
        made.connect(("127.0.0.1", port))

    def _try_files(self) -> None:
        """Try in another process to keep it from writing files, and answer with the result."""
        kernel.enter_namespace(self._own, kernel.CLONE_NEWPID)  # perhaps it was that of a command
        trying = os.fork()
        if trying == 0:
            os._exit(_kept_from_writing())
        number = os.waitstatus_to_exitcode(os.waitpid(trying, 0)[1])
        self._control.send(f"E {number} {os.strerror(number)}".encode() if number else b"F")

    def _start(self, handed: Handed) -> None:
        try:
            kernel.enter_namespace(self._own, kernel.CLONE_NEWPID)  # only from one's own a new one can be made
            kernel.unshare(kernel.CLONE_NEWPID)
            first = os.fork()
        except OSError as error:
            os.write(handed.status, f"E {error.errno} seal\n".encode())
            first = -1
        if first == 0:
            self._leave()
            run(handed, self._heeded)
        kept = handed.status if first > 0 else -1
        for descriptor in handed:
            if descriptor != kept:
                os.close(descriptor)
        if first > 0:
            self._running[kept] = first
            self._poll.register(kept, select.POLLRDHUP)

    def _leave(self) -> None:
        """In the first process of a command: close the files of this process."""
        signal.set_wakeup_fd(-1)
        for descriptor in (self._control.detach(), self._own, self._heard, self._ended, *self._running):
            os.close(descriptor)

    def _end(self, status: int) -> None:
        """The harness needs this command no longer: end everything in its namespace."""
        self._poll.unregister(status)
        with suppress(ProcessLookupError):
            os.kill(self._running[status], signal.SIGKILL)

    def _reap(self) -> None:
        """Report that a command and all its processes have ended, by closing its file."""
        by_process = {process: status for status, process in self._running.items()}
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                status = by_process.pop(ended, None)
                if status is None:
                    continue
                with suppress(KeyError):  # its end was asked for
                    self._poll.unregister(status)
                del self._running[status]
                os.close(status)


def _kept_from_writing() -> int:
    """Returns 0 if the kernel can do it, else the number of its error."""
    try:
        keep_from_writing([])
    except OSError as error:
        return error.errno or 1
    return 0
