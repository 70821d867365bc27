"""A worker process that seals itself off. The endpoint of its cases is in the process, so it is behind the seal,
too."""

from __future__ import annotations

import os
import resource
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from harness.sealing import kernel, namespaces


def seal(parent: int) -> None:
    """Return in a process behind a seal, as which the caller continues.

    The calling process stays outside and waits, as does the first process of the PID namespace. When the sealed process
    ends, everything that it has started is killed, and the caller ends with the same exit code or signal. The same
    happens when the caller is killed, and when ``parent`` becomes readable, an open file that shows that the caller's
    own parent has ended. Call it while there is one thread. Raises ``OSError`` if the kernel does not allow it; nothing
    has changed then.
    """
    namespaces.enter()
    heard, says = os.pipe()
    first = os.fork()
    if first:
        os.close(says)
        _only(lambda: _outside(first, heard, parent))
    os.close(heard)
    _die_with_caller(says)
    namespaces.enter_mounts()
    sealed = os.fork()
    if sealed:
        _only(lambda: _first(sealed, says))
    os.close(says)
    kernel.drop_capabilities()


def _only(does: Callable[[], NoReturn]) -> NoReturn:
    """Call ``does`` and nothing else in this process, whatever goes wrong."""
    try:
        does()
    finally:
        os._exit(1)


def _outside(first: int, heard: int, parent: int) -> NoReturn:
    """Wait until the first process or the parent ends, and end in the same way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    _close_all_but(parent, heard)
    poll = select.poll()
    poll.register(parent, select.POLLIN)
    poll.register(heard, select.POLLIN)
    if parent in {descriptor for descriptor, _ in poll.poll()}:
        with suppress(ProcessLookupError):
            os.kill(first, signal.SIGKILL)
    status = os.read(heard, 64)
    os.waitpid(first, 0)  # which takes until the kernel has ended everything in its namespace
    _end_as(int(status or signal.SIGKILL))


def _first(sealed: int, says: int) -> NoReturn:
    """Reap what ends in the namespace until the sealed process does, and report how it ended."""
    _close_all_but(says)
    status = None
    while status is None:
        ended, how = os.wait()
        status = how if ended == sealed else None
    os.write(says, str(status).encode())
    os._exit(0)


def _die_with_caller(says: int) -> None:
    """Die with the caller from now on. If it has ended already, nobody reads from this process."""
    kernel.die_with_parent()
    poll = select.poll()
    poll.register(says, 0)
    if poll.poll(0):
        os._exit(1)


def _end_as(status: int) -> NoReturn:
    """End with the exit code or the signal of this status, and without a second core dump."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # SIGKILL has no handler
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


def _close_all_but(*kept: int) -> None:
    """Close every file but these and the standard streams, which lead to nothing from now on.

    Others wait until the sealed process closes its files, so no other process may keep them open.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    below = 2
    for descriptor in sorted(kept):
        os.closerange(below + 1, descriptor)
        below = descriptor
    os.closerange(below + 1, os.sysconf("SC_OPEN_MAX"))
