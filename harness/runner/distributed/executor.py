"""Runs items on the workers of a cluster.

The scheduler handles dead workers: it gives the batch of one to another worker, and gives up a batch only if several
workers died that had it. These workers had other batches, too, so the batch need not be the cause. Its items are then
tried once more, one by one, with nothing else on the worker.
"""

from __future__ import annotations

import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from uuid import uuid4

from harness import __version__
from harness.errors import BadInput
from harness.runner.distributed import errand
from harness.runner.distributed.cluster import Cluster
from harness.runner.executor import Executor, Work
from harness.runner.processes import MOST_DEATHS, Processes
from harness.runner.worker import Broken

if TYPE_CHECKING:
    from distributed import Client, Future

Item = TypeVar("Item")
Result = TypeVar("Result")

BATCH_SECONDS: Final = 4.0
"""Most seconds for a batch, approximately. Each batch costs a process and its imports (two seconds). But its results
come all at once, and all of it is repeated if its worker dies."""

LOOK: Final = 1.0
"""Seconds between looks at a silent cluster."""

PATIENCE: Final = 60.0
"""Seconds without any worker after which the remaining items are abandoned."""

_LOST: Final = "the connection to the scheduler was lost"

_MOST_NAMED: Final = 3
"""Most workers whose addresses are reported."""

PARTING: Final = 10.0
"""Seconds that the workers have to return finished results when the run is interrupted."""


class Distributed(Generic[Item, Result]):
    """Runs items on the workers of ``cluster``. Executor ``within`` runs each batch in a process started for it.

    ``within`` is by default one worker process, so an item may do the same as in ``Processes``. A worker of the cluster
    that dies loses no reported result, and its unfinished items are run again. An item that ends the process of its
    batch twice has ``failed``, and so have the remaining items when no worker is left.

    ``on_no_seal`` gets each reason why loops cannot be sealed off on the workers that are there at the beginning, with
    the addresses of these workers.
    """

    def __init__(
        self,
        work: Work[Item, Result],
        cluster: Cluster,
        within: Executor[Item, Result] | None = None,
        on_no_seal: Callable[[str], None] | None = None,
    ) -> None:
        self._on_no_seal = on_no_seal
        self._work = work
        self._cluster = cluster
        self._within = within or Processes(work, 1)

    def run(self, items: Sequence[Item], on_finished: Callable[[Result], None], /) -> None:
        """See ``Executor.run``. Raises ``BadInput`` if the cluster cannot be reached or cannot do such work."""
        if not items:
            return
        with self._cluster.opened() as client:
            _check(client)
            if self._on_no_seal is not None:
                for why in _refusals(client):
                    self._on_no_seal(why)
            run = _ClusterRun(client, self._work, self._within, items, on_finished)
            try:
                run.hand_out()
                while run.unfinished:
                    run.listen()
            finally:
                run.end()


class _ClusterRun(Generic[Item, Result]):
    """One run: the batches that are being done, and their outcomes."""

    def __init__(
        self,
        client: Client,
        work: Work[Item, Result],
        within: Executor[Item, Result],
        items: Sequence[Item],
        on_finished: Callable[[Result], None],
    ) -> None:
        self.unfinished = len(items)
        self._client = client
        self._work = work
        self._within = within
        self._items = items
        self._on_finished = on_finished
        self._name = f"harness-{uuid4().hex}"
        self._out: dict[Future[errand.Returned], list[int]] = {}
        self._suspects: set[int] = set()
        self._apart: deque[int] = deque()
        self._alone = False
        self._deaths = 0
        self._attended = time.monotonic()

    def hand_out(self) -> None:
        """Give everything to the scheduler, in batches of items with the same need."""
        needs: dict[str, list[int]] = {}
        for number, item in enumerate(self._items):
            needs.setdefault(self._work.needs(item), []).append(number)
        threads = sum(self._client.nthreads().values())
        for numbers in needs.values():
            share = -(-len(numbers) // max(1, threads))
            size = max(1, min(share, int(BATCH_SECONDS / self._work.seconds)))
            for first in range(0, len(numbers), size):
                self._give(numbers[first : first + size])

    def listen(self) -> None:
        """Wait until some batch is back or no worker is left."""
        from distributed import wait

        if not self._out:
            self._alone = True
            self._give([self._apart.popleft()])
        try:
            wait(list(self._out), timeout=LOOK, return_when="FIRST_COMPLETED")
        except TimeoutError:
            self._look()
        except CancelledError:
            self._give_up(_LOST)
        with _delayed_interrupt():
            while back := next((each for each in self._out if each.done()), None):
                self._hear(back, self._out.pop(back))

    def end(self) -> None:
        """Stop unfinished batches, report finished results, and make the scheduler forget the rest."""
        from distributed import wait

        if not self._out:
            return
        with _delayed_interrupt():
            self._client.run(errand.end, self._name, on_error="ignore")
            with suppress(TimeoutError, CancelledError):
                wait(list(self._out), timeout=PARTING)
            for future in self._out:
                if future.status == "finished":
                    self._report(future.result())
            self._client.cancel(list(self._out))

    # --- sending batches, and their results --------------------------------------------------------------------

    def _give(self, numbers: list[int]) -> None:
        batch = pickle.dumps((self._within, [self._items[number] for number in numbers]))
        future = self._client.submit(errand.do, self._name, batch, __version__, pure=False)
        self._out[future] = numbers

    def _hear(self, back: Future[errand.Returned], numbers: list[int]) -> None:
        from distributed import KilledWorker

        try:
            returned = back.result()
        except KilledWorker as killed:
            self._blame(numbers, killed.allowed_failures + 1)
            return
        except CancelledError:  # the scheduler was lost while batches were out, which are cancelled then
            self._out[back] = numbers
            self._give_up(_LOST)
            return
        match returned.end:
            case errand.DONE:
                self._deaths = 0
                self._report(returned)
            case Broken() as broken:
                raise broken.raised()
            case how:
                self._retry_or_fail(numbers, how)

    def _report(self, returned: errand.Returned) -> None:
        for result in returned.results:
            self._finish_item(pickle.loads(result))  # noqa: S301 - of our own workers

    def _finish_item(self, result: Result) -> None:
        self.unfinished -= 1
        self._on_finished(result)

    # --- items of dead workers ---------------------------------------------------------------------------------

    def _retry_or_fail(self, numbers: list[int], how: str) -> None:
        """The process of this batch died: its items are tried once more, one by one. An item tried twice has failed."""
        for number in numbers:
            if number in self._suspects:
                self._fail(number, f"The process died twice while it ran this {self._work.noun}, now with {how}.")
            else:
                self._suspects.add(number)
                self._give([number])
        self._count_death()

    def _blame(self, numbers: list[int], workers: int) -> None:
        """``workers`` workers with this batch died. The batch is to blame if they had nothing else."""
        if not self._alone:
            self._apart.extend(numbers)
        else:
            died = "one worker of the cluster" if workers == 1 else f"{workers} workers of the cluster, each in turn,"
            for number in numbers:
                self._fail(number, f"Nothing else was running when {died} died with this {self._work.noun}.")
        self._count_death()

    def _count_death(self) -> None:
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            self._give_up(f"{self._deaths} batches in a row ended those that did them")

    def _look(self) -> None:
        """Check, after a silent while, whether any worker is there."""
        if self._client.scheduler_info()["workers"]:
            self._attended = time.monotonic()
        elif time.monotonic() > self._attended + PATIENCE:
            self._give_up(f"the cluster had no worker for {PATIENCE:g} s")

    def _give_up(self, why: str) -> None:
        """Run no more items."""
        self._client.cancel(list(self._out))
        for number in (*chain.from_iterable(self._out.values()), *self._apart):
            self._fail(number, f"Not run: {why}.")
        self._out.clear()
        self._apart.clear()

    def _fail(self, number: int, why: str) -> None:
        self._finish_item(self._work.failed(self._items[number], why))


def _check(client: Client) -> None:
    """Raises ``BadInput`` if a worker lacks the harness: it would die of a task that it cannot read.

    Workers that join later are not checked.
    """
    answers = client.run(errand.ready, on_error="return")
    try:
        client.run_on_scheduler(errand.ready)
    except Exception as error:  # noqa: BLE001 - what it is depends on where it could not be read
        answers["the scheduler"] = error
    expected = f"expected agent-loop-harness {__version__} there; install it where the scheduler and the workers run"
    problems = [f"{who} of the cluster: {error}: {expected}" for who, error in answers.items() if error is not None]
    if problems:
        raise BadInput(*problems)


def _refusals(client: Client) -> Iterator[str]:
    """Why loops cannot be sealed off, and on which workers. Workers that join later are not asked."""
    workers: dict[str, list[str]] = {}
    for address, why in client.run(errand.no_seal, on_error="ignore").items():
        workers.setdefault(why, []).append(address)
    for why, addresses in workers.items():
        if why:
            more = f" and {len(addresses) - _MOST_NAMED} others" if len(addresses) > _MOST_NAMED else ""
            yield f"{why} (on {', '.join(sorted(addresses)[:_MOST_NAMED])}{more})"


@contextmanager
def _delayed_interrupt() -> Iterator[None]:
    """Delay a Ctrl-C until the block is done, so that no result is lost in transit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *signalled: caught.append(signalled))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if caught:
        raise KeyboardInterrupt
