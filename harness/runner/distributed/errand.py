"""A batch, as a worker of the cluster has it done: in a process of its own, whose results it brings back.

Not in the worker's own process, because that talks to its scheduler: it must reach other machines, which a loop must
not, and outlive whatever a loop does to its process.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from harness import __version__
from harness.runner.processes import manner
from harness.runner.worker import Broken
from harness.sealing import allowed

DONE: Final = "done"
"""What a host says behind the results, when there is no more to come."""

PARTING: Final = 5.0
"""Seconds that a host has to end what it has started, before it is killed."""

_HOST: Final = "harness.runner.distributed.host"


@dataclass(frozen=True, slots=True)
class Returned:
    """What came of an errand: ``results``, each of them pickled, and why there are no more of them.

    ``end`` is ``DONE``, why the host could not go on, or how it died.
    """

    results: tuple[bytes, ...]
    end: Broken | str


_hosts: dict[str, set[subprocess.Popen[bytes]]] = {}
_ended: set[str] = set()
_lock = threading.Lock()


def ready() -> None:
    """Whoever can import this can do errands."""


def no_seal() -> str:
    """Why loops cannot be sealed off on the machine of a worker; empty where they can."""
    return allowed.refusal()


def do(run: str, batch: bytes, version: str) -> Returned:
    """Have a batch done, in one of the threads that a worker has for its tasks.

    ``batch`` is an executor and the items that it is to run, pickled, ``run`` the name of the run that they are of,
    ``version`` that of the harness in which the run was started.
    """
    if version != __version__:
        problem = f"a worker of the cluster has agent-loop-harness {__version__}, this is {version}: install one"
        return Returned((), Broken("", (problem,)))
    with _host(run) as host:
        return Returned((), "not begun: the run has ended") if host is None else _done(batch, host)


def end(run: str) -> None:
    """End what is being done of a run, and begin nothing more of it; what has been done of it is brought back."""
    with _lock:
        _ended.add(run)
        hosts = tuple(_hosts.get(run, ()))
    for host in hosts:
        _close(host)


@contextlib.contextmanager
def _host(run: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """A process for a batch, which has ended with all that it has started when the block is left."""
    with _lock:
        if run in _ended:
            host = None
        else:
            # A session of its own: a Ctrl-C in the worker's terminal is the worker's to answer.
            host = subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-m", _HOST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
            _hosts.setdefault(run, set()).add(host)
    if host is None:
        yield None
        return
    try:
        yield host
    finally:
        _over(host)
        with host, _lock:  # its pipes are closed
            _hosts[run].discard(host)


def _done(batch: bytes, host: subprocess.Popen[bytes]) -> Returned:
    assert host.stdin is not None  # noqa: S101 - it is a pipe
    assert host.stdout is not None  # noqa: S101 - it is a pipe, too
    with contextlib.suppress(OSError, ValueError):  # it has died, or been ended
        host.stdin.write(pickle.dumps(sys.path) + batch)
        host.stdin.flush()
    results: list[bytes] = []
    with contextlib.suppress(EOFError, pickle.UnpicklingError):
        while isinstance(message := pickle.load(host.stdout), bytes):  # noqa: S301 - our own process
            results.append(message)
        return Returned(tuple(results), message)
    return Returned(tuple(results), manner(_over(host)))


def _close(host: subprocess.Popen[bytes]) -> None:
    """Nobody wants more of it: it learns that by the end of its input, as it would if this process died."""
    assert host.stdin is not None  # noqa: S101 - it is a pipe
    with contextlib.suppress(OSError):
        host.stdin.close()


def _over(host: subprocess.Popen[bytes]) -> int:
    """Its exit code, when it has ended, or been killed with what it has started."""
    _close(host)
    try:
        return host.wait(PARTING)
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):
            os.killpg(host.pid, signal.SIGKILL)
        else:
            host.kill()
        return host.wait()
