"""Runs items in worker processes of this machine.

Each worker has its own pipe, and no lock is shared. So a worker may die at any moment: nobody waits for it, and its
reported results are not lost. (The standard pool breaks as a whole and does not report the item.)
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Generic, TypeVar

from harness.ground.signals import ENDING
from harness.runner import worker
from harness.runner.backlog import Backlog
from harness.runner.executor import SealedWork, Work, with_printed
from harness.runner.printed import Printed, errors_to

__all__ = [
    "MOST_DEATHS",
    "PARTING",
    "Processes",
    "cores",
    "end_worker",
    "grace",
    "learn_sent",
    "manner",
    "start_worker",
]

Item = TypeVar("Item")
Result = TypeVar("Result")

GRACE = 15.0
"""Most seconds after its deadline for an item that blocks its process; then both are ended."""

LEAST_GRACE = 2.0
"""Least seconds of grace, for short deadlines."""

PARTING = 5.0
"""Seconds that a worker has at the end to close what it opened."""

LOOK = 1.0
"""Seconds between looks at silent workers. The death of one is silent if its children keep its pipe open."""

MOST_DEATHS = 10
"""After so many deaths without a result in between the items are not the cause, and no more workers are started."""


def grace(deadline: float) -> float:
    """Seconds of grace after a deadline: as many as the deadline has, within the two bounds."""
    return min(GRACE, max(LEAST_GRACE, deadline))


class Processes(Generic[Item, Result]):
    """Runs items in at most ``jobs`` worker processes.

    A worker that dies loses no result. Another worker runs its current item once more; if that one dies, too, the item
    has ``failed``. Every worker has ended when ``run`` returns or raises.
    """

    def __init__(self, work: Work[Item, Result], jobs: int) -> None:
        self._work = work
        self._jobs = jobs

    def run(self, items: Sequence[Item], on_finished: Callable[[Result], None], /) -> None:
        """Run every item in worker processes, like ``Executor.run``.

        If a worker cannot continue, raises ``BadInput`` if the user can correct the cause, else ``RuntimeError``.
        """
        sealed = isinstance(self._work, SealedWork) and self._work.seals_workers()
        run = _LocalRun(self._work, self._jobs, items, on_finished, sealed=sealed)
        try:
            while run.unfinished:
                run.hand_out()
                run.listen()
            run.dismiss()
        finally:
            run.end()


@dataclass(slots=True)
class _Worker:
    """A worker process, seen by its parent. ``batch`` are its unfinished items; it runs the first of them.

    ``ready``: it has finished its imports, so the time of its items is running.
    """

    process: SpawnProcess
    connection: Connection
    printed: Printed
    batch: deque[int] = field(default_factory=deque)
    imported: set[str] = field(default_factory=set)
    heard: float = 0.0
    ready: bool = False


class _LocalRun(Generic[Item, Result]):
    """One run: which worker has which items, and the outcomes."""

    def __init__(
        self,
        work: Work[Item, Result],
        jobs: int,
        items: Sequence[Item],
        on_finished: Callable[[Result], None],
        *,
        sealed: bool,
    ) -> None:
        self._sealed = sealed
        self.unfinished = len(items)
        self._work = work
        self._jobs = jobs
        self._items = items
        self._on_finished = on_finished
        self._backlog = Backlog([work.needs(item) for item in items], work.seconds)
        self._workers: list[_Worker] = []
        self._suspects: set[int] = set()
        self._deaths = 0
        self._broken: worker.Broken | None = None

    def hand_out(self) -> None:
        """Give every idle worker its next items, and start workers as long as there is something for them."""
        for idle in [each for each in self._workers if not each.batch]:
            if numbers := self._backlog.take(idle.imported, self._crews()):
                self._give(idle, numbers)
        while len(self._workers) < self._jobs and (numbers := self._backlog.take((), self._crews())):
            self._give(self._start(), numbers)

    def listen(self) -> None:
        """Wait until a worker sends something, dies, or has been silent for too long."""
        printing = [each.printed for each in self._workers if not each.printed.ended]
        ready = wait(
            [*(each.connection for each in self._workers), *(each.fileno() for each in printing)], timeout=LOOK
        )
        with _delayed_signals():
            for printed in printing:
                printed.read()
            for each in list(self._workers):
                if each.connection in ready:
                    self._hear(each)
                elif each.process.exitcode is not None:
                    self._bury(each)
                elif each.batch and time.monotonic() > each.heard + self._silence_limit(each):
                    self._give_up(each)
        self._check()

    def dismiss(self) -> None:
        """Let the workers close what they opened, when all items are done.

        The parent waits for no more than that: an interpreter that has imported an SDK needs half a second to end.
        """
        for each in self._workers:
            with contextlib.suppress(OSError):
                each.connection.send(None)
        parting = time.monotonic() + PARTING
        for each in self._workers:
            with contextlib.suppress(EOFError, OSError):
                while each.connection.poll(max(0.0, parting - time.monotonic())):
                    self._take_message(each, each.connection.recv())
        self._check()

    def end(self) -> None:
        """End the workers, and report the results that they have sent."""
        with _delayed_signals():
            for each in self._workers:
                end_worker(each.process)
            while self._workers:
                self._remove(self._workers[-1])

    def _check(self) -> None:
        if self._broken is not None:
            raise self._broken.raised()

    # --- a worker's life ---------------------------------------------------------------------------------------

    def _crews(self) -> Counter[str]:
        return Counter(need for each in self._workers for need in each.imported)

    def _silence_limit(self, each: _Worker) -> float:
        """Seconds that a worker may be silent."""
        return self._work.deadline + grace(self._work.deadline) if each.ready else worker.READY

    def _start(self) -> _Worker:
        printed = Printed()
        with _delayed_signals():
            process, here = start_worker(self._work, printed.writer, sealed=self._sealed)
            started = _Worker(process, here, printed)
            self._workers.append(started)
        printed.writer.close()  # the worker alone holds it now: when it dies, this end says so
        return started

    def _give(self, taker: _Worker, numbers: list[int]) -> None:
        taker.batch.extend(numbers)
        taker.imported.add(self._backlog.need(numbers[0]))
        taker.heard = time.monotonic()
        try:
            taker.connection.send([self._items[number] for number in numbers])
        except OSError:
            self._bury(taker)

    def _hear(self, sender: _Worker) -> None:
        try:
            message = sender.connection.recv()
        except (EOFError, OSError):
            self._bury(sender)
        else:
            self._take_message(sender, message)

    def _take_message(self, sender: _Worker, message: worker.Ended | worker.Broken | worker.Sent | None) -> None:
        sender.heard = time.monotonic()
        match message:
            case None:
                sender.ready = True
            case worker.Broken():
                self._broken = message
            case worker.Sent(values):
                learn_sent(values)
            case worker.Ended(result, seconds):
                self._deaths = 0
                self._backlog.ended(sender.batch.popleft(), seconds)
                self._finish_item(self._work.explained(result, sender.printed.take()))

    def _finish_item(self, result: Result) -> None:
        self.unfinished -= 1
        self._on_finished(result)

    def _remove(self, gone: _Worker) -> str:
        """End a worker and what it has started; receive what it had sent before. Returns the end of what it printed."""
        gone.process.join(PARTING)
        end_worker(gone.process)
        with contextlib.suppress(EOFError, OSError):
            while gone.connection.poll():
                self._take_message(gone, gone.connection.recv())
        gone.connection.close()
        words = gone.printed.take()
        gone.printed.close()
        self._workers.remove(gone)
        return words

    # --- items of dead workers ---------------------------------------------------------------------------------

    def _bury(self, dead: _Worker) -> None:
        """Put back the items of a dead worker; its current item is tried once more."""
        dead.process.join(PARTING)  # it may still be on its way out, and how it went is worth telling
        end_worker(dead.process)
        words = self._remove(dead)
        if not dead.batch:
            return
        how = manner(dead.process.exitcode)
        suspect = dead.batch.popleft()
        self._backlog.put_back(dead.batch)
        self._deaths += 1
        if suspect in self._suspects and not dead.ready:
            self._unready(f"A worker process ended twice before its first {self._work.noun}, now with {how}.", words)
        elif suspect in self._suspects:
            why = f"The worker process died twice while it ran this {self._work.noun}, now with {how}."
            self._fail(suspect, with_printed(why, words))
        else:
            self._suspects.add(suspect)
            self._backlog.put_back([suspect])
        if self._deaths >= MOST_DEATHS:
            for number in self._backlog.take_all():
                self._fail(number, f"Not run: {self._deaths} worker processes in a row died, the last with {how}.")

    def _give_up(self, stuck: _Worker) -> None:
        """End a worker whose item blocks it beyond its time. Another try would take as long, so the item has failed."""
        end_worker(stuck.process)
        words = self._remove(stuck)
        if not stuck.ready:
            self._unready(f"A worker process had not imported what it runs within {worker.READY:g} s.", words)
            return
        number, *others = stuck.batch
        self._backlog.put_back(others)
        why = (
            f"The {self._work.noun} did not end within {self._work.deadline:g} s and blocked its process, "
            "which was then killed."
        )
        self._fail(number, with_printed(why, words))

    def _unready(self, why: str, printed: str) -> None:
        """End the run, because the same failure would occur for any item."""
        self._broken = worker.Broken("", (with_printed(why, printed),))

    def _fail(self, number: int, why: str) -> None:
        self._finish_item(self._work.failed(self._items[number], why))


def start_worker(work: object, printed: Connection | None, *, sealed: bool) -> tuple[SpawnProcess, Connection]:
    """Start a process that does ``work`` (``worker.main``). Returns the process and the connection to it.

    ``printed`` takes its output; None: the output goes where this process prints.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=worker.main, args=(there, work, printed, sealed), daemon=True)
    with _delayed_signals(), errors_to(printed):
        process.start()
    there.close()  # the worker alone holds it now: when it dies, this end says so
    return process, here


def learn_sent(values: Mapping[str, str]) -> None:
    """Register secrets that a loop in a worker has sent, so that everything written from now on is redacted."""
    from harness.secrets.sent import learn_sent

    learn_sent(values)


@contextlib.contextmanager
def _delayed_signals() -> Iterator[None]:
    """Delay Ctrl-C, SIGTERM and SIGHUP until the block is done, so that no result is lost and no worker is started
    unnoticed.

    A worker started in the block inherits this and ignores Ctrl-C from its first moment: the terminal sends it to all
    processes, but only the parent handles it. The same is true of a SIGTERM to the whole group.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # multiprocessing's own helper: starting it would let the signal through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_worker(process: SpawnProcess) -> None:
    """Kill a worker and what it has started: a worker leads its own process group."""
    process.kill()
    if hasattr(os, "killpg") and process.pid is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def manner(exitcode: int | None) -> str:
    """How a process ended, as text."""
    if exitcode is not None and exitcode < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-exitcode).name}"
    return f"exit code {exitcode}"


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
