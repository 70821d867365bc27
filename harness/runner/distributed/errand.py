"""How a worker of the cluster has a batch done: in a separate process, whose results it brings back.

The worker's own process talks to its scheduler: it must reach other machines, which a loop must not do, and it must
survive whatever a loop does to its process.
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
"""The last word of a host, after all results."""

PARTING: Final = 5.0
"""Seconds that a host has to end what it started, before it is killed."""

_HOST: Final = "harness.runner.distributed.host"


@dataclass(frozen=True, slots=True)
class Returned:
    """The outcome of an errand: ``results``, each of them pickled, and why there are no more of them.

    ``end`` is ``DONE``, why the host could not go on, or how it died.
    """

    results: tuple[bytes, ...]
    end: Broken | str


_hosts: dict[str, set[subprocess.Popen[bytes]]] = {}
_ended: set[str] = set()
_lock = threading.Lock()


def ready() -> None:
    """Do nothing: a worker that can import this can do errands."""


def no_seal() -> str:
    """Why loops cannot be sealed off on the machine of a worker; empty if they can."""
    return allowed.refusal()


def do(run: str, batch: bytes, version: str) -> Returned:
    """Have a batch done, in one of the threads that a worker has for its tasks.

    ``batch`` is a pickled executor with its items, ``run`` the name of their run, ``version`` the version of the
    harness that started the run.
    """
    if version != __version__:
        problem = f"a worker of the cluster has agent-loop-harness {__version__}, this is {version}: install one"
        return Returned((), Broken("", (problem,)))
    with _host(run) as host:
        return Returned((), "not begun: the run has ended") if host is None else _done(batch, host)


def end(run: str) -> None:
    """Stop all work for a run and begin no more. Finished results are still brought back."""
    with _lock:
        _ended.add(run)
        hosts = tuple(_hosts.get(run, ()))
    for host in hosts:
        _close(host)


@contextlib.contextmanager
def _host(run: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """A process for a batch. When the block is left, it and everything that it started have ended."""
    with _lock:
        if run in _ended:
            host = None
        else:
            # A separate session: only the worker handles a Ctrl-C in its terminal.
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
    """Ask the host to stop by closing its input, which would also happen if this process died."""
    assert host.stdin is not None  # noqa: S101 - it is a pipe
    with contextlib.suppress(OSError):
        host.stdin.close()


def _over(host: subprocess.Popen[bytes]) -> int:
    """Wait for the host, or kill it with everything that it started. Returns its exit code."""
    _close(host)
    try:
        return host.wait(PARTING)
    except subprocess.TimeoutExpired:
        if hasattr(os, "killpg"):
            os.killpg(host.pid, signal.SIGKILL)
        else:
            host.kill()
        return host.wait()
