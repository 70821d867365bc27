"""The first process of a command's PID namespace: it starts the command, passes signals on, and reports how it ended.

When it ends, the kernel kills everything that the command has started, wherever that has hidden.

It reports in lines: ``S`` when the command has been started, ``E NUMBER WHAT`` with the number of the error if it could
not be started, ``X STATUS`` when it has ended, with the status from ``waitpid``. Each byte that it reads is the number
of a signal for the command.
"""

from __future__ import annotations

import marshal
import os
import select
import signal
import sys
from contextlib import suppress
from typing import Final, NamedTuple, NoReturn

from harness.ground.signals import FROM_A_TERMINAL
from harness.sealing.kernel import die_with_parent, drop_capabilities
from harness.sealing.namespaces import enter_mounts

PROGRAM: Final = "program"
DIRECTORY: Final = "directory"
"""The ``WHAT`` of an ``E`` line if the directory could not be used."""

_CHANGED_BY_PYTHON: Final = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
_NEVER: Final = 127


class Handed(NamedTuple):
    """The file descriptors that come with a command: its standard streams, the pipe for reports, and its description.

    The description is marshalled: its words, its environment, its directory, its place among processes
    (``commands.Place``), and the folders that it may write (None: whatever its user may).
    """

    stdin: int
    stdout: int
    stderr: int
    status: int
    request: int


def run(handed: Handed, heeded: frozenset[int]) -> NoReturn:
    """Run the command, in the first process of a PID namespace.

    ``heeded`` are the signals that a command in the group of the terminal need not ignore. Any other command heeds all
    signals: those that it gets are meant for it, even if the harness is a job in the background, which ignores Ctrl-C.
    """
    try:
        die_with_parent()
        _report(handed, _ran(handed, heeded))
    except BaseException:  # noqa: BLE001 - a fork that goes wrong must not go on as what it was forked from
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def _ran(handed: Handed, heeded: frozenset[int]) -> str:
    words, environment, directory, place, writable = marshal.loads(_all_of(handed.request))  # noqa: S302 - of the harness
    enter_mounts(writable)
    heard, ended = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(ended, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    wrong, says_wrong = os.pipe2(os.O_CLOEXEC)
    command = os.fork()
    if command == 0:
        _become(handed, says_wrong, words, environment, directory, place, heeded)
    for descriptor in (says_wrong, *handed[:3]):
        os.close(descriptor)
    if problem := _all_of(wrong):
        return f"E {problem.decode()}"
    _report(handed, "S")
    status = _wait_for_end(command, handed.status, heard, alone=place == "terminal")
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # whatever it has left prints no more
    return f"X {status}"


def _become(
    handed: Handed,
    says_wrong: int,
    words: list[str],
    environment: dict[str, str],
    directory: str,
    place: str,
    heeded: frozenset[int],
) -> NoReturn:
    """In the process of the command: set up what it inherits, and execute it."""
    wrong = PROGRAM
    try:
        for number, descriptor in enumerate(handed[:3]):
            os.dup2(descriptor, number)
        if place == "session":
            os.setsid()
        elif place == "group":
            os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for each in (*(heeded if place == "terminal" else FROM_A_TERMINAL), *_CHANGED_BY_PYTHON):
            signal.signal(each, signal.SIG_DFL)
        drop_capabilities()
        wrong = DIRECTORY
        os.chdir(directory)
        wrong = PROGRAM
        os.execvpe(words[0], words, environment)  # noqa: S606 - to run the user's command is what it is for
    except OSError as error:
        os.write(says_wrong, f"{error.errno} {wrong}".encode())
    finally:
        os._exit(_NEVER)


def _wait_for_end(command: int, requests: int, heard: int, *, alone: bool) -> int:
    """The status of the command, when it has ended. Also reaps orphaned processes."""
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    poll.register(heard, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == requests:
                if not (numbers := os.read(requests, 64)):
                    poll.unregister(requests)  # the spawner sees that, too, and kills this process
                for number in numbers:
                    with suppress(ProcessLookupError):
                        os.kill(command if alone else -command, number)
                continue
            os.read(heard, 4096)
            if (status := _reap(command)) is not None:
                return status


def _reap(command: int) -> int | None:
    """The status of the command if it is among the ended processes."""
    found = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found = ended[1] if ended[0] == command else found
    return found


def _all_of(descriptor: int) -> bytes:
    read = []
    while data := os.read(descriptor, 1 << 16):
        read.append(data)
    return b"".join(read)


def _report(handed: Handed, line: str) -> None:
    with suppress(OSError):  # nobody waits for it
        os.write(handed.status, f"{line}\n".encode())
