"""A worker process: it runs the batches that it is sent, and tells each result when the case has ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import parent_process
from multiprocessing.connection import Connection

from harness.gateway import Gateway
from harness.runner.executor import Work, run_batches
from harness.runner.plan import PlannedCase
from harness.runner.printed import print_to
from harness.runner.results import CaseResult
from harness.targets import Target

__all__ = ["Broken", "main"]


@dataclass(frozen=True, slots=True)
class Broken:
    """The worker cannot go on, for a reason that is no case's own (a trace that cannot be written ...)."""

    traceback: str


def main(connection: Connection, work: Work, printed: Connection | None = None) -> None:
    """Run batches (sequences of ``PlannedCase``) until ``None`` comes.

    Sends ``None`` when it is ready, and then a ``CaseResult`` for each case, in the order of the batch; closes the
    connection when the target is closed. A Ctrl-C is the parent's to answer. What is printed goes to ``printed``.
    """
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # so that what a loop starts can be ended with it
    if printed is not None:
        print_to(printed)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    isolated = replace(work, open_target=partial(_opened, work))

    def on_finished(result: CaseResult) -> None:
        sys.stdout.flush()  # what the case has printed comes before its result
        connection.send(result)

    with connection:
        connection.send(None)
        try:
            asyncio.run(run_batches(_batches(connection), isolated, on_finished))
        except Exception:  # noqa: BLE001 - the parent tells it, whatever it is
            with contextlib.suppress(OSError):
                connection.send(Broken(traceback.format_exc()))


def _opened(work: Work, gateway: Gateway) -> Target:
    """The target. Loops that others have written reach nobody but this machine, unless a model is being recorded."""
    target = work.open_target(gateway)
    if target.placement == "worker" and work.sources.name != "live":
        from harness.targets.isolation import isolate

        isolate()
    return target


def _batches(connection: Connection) -> Iterator[Sequence[PlannedCase]]:
    with contextlib.suppress(EOFError):
        while (batch := connection.recv()) is not None:
            yield batch


def _end_with_parent() -> None:
    """No worker outlives the run, even if the parent was killed and a case would go on for long."""
    parent = parent_process()
    assert parent is not None  # noqa: S101 - a worker is started by a parent
    parent.join()
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
