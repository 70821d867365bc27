"""A worker process: it receives batches, runs them, and sends each result when its item has ended."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

from harness.errors import BadInput, Breakdown, HarnessError, unwrapped
from harness.ground.collecting import collect_seldom
from harness.ground.disk import problem
from harness.ground.signals import ENDING
from harness.runner.executor import Work
from harness.runner.printed import print_to

READY = 300.0
"""Seconds that a worker has to start and to import what it runs, apart from the time of items."""


@dataclass(frozen=True, slots=True)
class Ended:
    """An item has ended, ``seconds`` after the previous one."""

    result: Any
    seconds: float


@dataclass(frozen=True, slots=True)
class Sent:
    """Secrets that a loop in the worker has sent. The parent prints the worker's output, so it must know them."""

    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Broken:
    """The worker cannot continue, for a reason outside of items (such as a trace that cannot be written).

    ``problems`` describe the reason, if a description exists; ``correctable``: the user can correct it.
    """

    traceback: str
    problems: tuple[str, ...] = ()
    correctable: bool = True

    @classmethod
    def by(cls, error: Exception) -> Broken:
        """The message for an exception that is being handled."""
        match unwrapped(error):
            case BadInput(problems=problems):
                return cls("", problems)
            case Breakdown(problems=problems):
                return cls("", problems, correctable=False)
            case OSError() as refused:
                return cls("", problem(refused, str(refused.filename or "a worker")).problems, correctable=False)
        return cls(traceback.format_exc())

    def raised(self) -> HarnessError | RuntimeError:
        """The exception to raise in the parent."""
        if self.problems:
            return BadInput(*self.problems) if self.correctable else Breakdown(*self.problems)
        return RuntimeError(f"A worker process cannot go on.\n{self.traceback}")


def main(connection: Connection, work: Work[Any, Any], printed: Connection | None = None, sealed: bool = False) -> None:
    """Run batches (sequences of items) until ``None`` comes.

    Sends ``None`` when the work asks for its first batch (so its imports are done). After that it sends ``Ended`` for
    each item, in the order of the batch, with ``Sent`` in between, and closes the connection when the work has ended.
    Only the parent handles a Ctrl-C. Output goes to ``printed``, also the place of an import that takes too long. With
    ``sealed`` the process seals itself off first.
    """
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # so that what a loop starts can be ended with it
    if printed is not None:
        print_to(printed)
    if sealed and not _seal(connection):
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    faulthandler.dump_traceback_later(READY * 0.9, exit=False)
    collect_seldom()
    talk = _Talk(connection)
    _emit_sent(talk)
    with connection:
        try:
            work.run(talk.batches(), talk.report, in_worker=True)
        except Exception as error:  # noqa: BLE001 - the parent reports it, whatever it is
            with contextlib.suppress(OSError):
                connection.send(Broken.by(error))


def _emit_sent(talk: _Talk) -> None:
    from harness.secrets.sent import on_sent

    on_sent(talk.sent)


def _seal(connection: Connection) -> bool:
    """Continue in a sealed process; False if that is impossible, which is reported to the parent."""
    from harness.sealing.worker import seal

    parent = parent_process()
    assert parent is not None  # noqa: S101 - a worker is started by a parent
    try:
        seal(parent.sentinel)
    except OSError as error:
        threads = threading.active_count() - 1
        why = f"{error.strerror} (it runs {threads} threads already)" if threads else error.strerror
        problem = f"a worker process cannot be sealed: {why}; --no-isolate runs the loop without a seal"
        connection.send(Broken("", (problem,)))
        return False
    return True


class _Talk:
    """The messages between a worker and its parent."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._since = 0.0
        self._sending = threading.Lock()  # events and keys come from several threads

    def batches(self) -> Iterator[Sequence[Any]]:
        faulthandler.cancel_dump_traceback_later()
        gc.freeze()  # what has been imported stays, and need not be looked through again and again
        self._connection.send(None)
        with contextlib.suppress(EOFError):
            while (batch := self._connection.recv()) is not None:
                self._since = time.perf_counter()
                yield batch

    def sent(self, values: Mapping[str, str]) -> None:
        self._send(Sent(values))

    def report(self, result: object) -> None:
        sys.stdout.flush()  # what the item has printed comes before its result
        now = time.perf_counter()
        self._send(Ended(result, now - self._since))
        self._since = now

    def _send(self, message: object) -> None:
        with self._sending:
            self._connection.send(message)


def _end_with_parent() -> None:
    """End this worker with its parent, even if the parent was killed and an item would run for long."""
    parent = parent_process()
    assert parent is not None  # noqa: S101 - a worker is started by a parent
    parent.join()
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
