"""Runs one case that somebody watches: every event is passed on as it comes, and finally the finished case.

A Python loop runs in a separate worker process, which ends when nobody watches any more: only there can it be sealed
off, and only a process can always be ended. This process drives any other loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Final

from harness.runner import worker
from harness.runner.cases import CaseWork
from harness.runner.execute import Finished
from harness.runner.plan import PlannedCase
from harness.runner.processes import PARTING, end_worker, grace, learn_sent, manner, start_worker
from harness.runner.results import CaseResult
from harness.targets import Isolation
from harness.trace import Event, Trace

_GONE: Final = object()


async def performed(
    work: CaseWork, item: PlannedCase, isolation: Isolation, on_event: Callable[[Event], None]
) -> Finished:
    """Run the case once, and call ``on_event`` in this thread. On cancellation it ends what the loop has started.

    ``isolation`` is the target's. Raises ``BadInput`` if the loop must be sealed off and cannot.
    """
    if isolation == "worker":
        return await _WatchedLoop(work, item).run(on_event)
    finished: list[Finished] = []
    await replace(work, on_event=on_event).drive([[item]], finished.append)
    return finished[0]


@dataclass(frozen=True, slots=True)
class _EventsToo:
    """Work for a worker process. Its results are the events of each case, and then the finished case."""

    work: CaseWork

    def run(
        self,
        batches: Iterable[Sequence[PlannedCase]],
        on_finished: Callable[[Event | Finished], None],
        /,
        *,
        jobs: int = 1,
        in_worker: bool = False,
    ) -> None:
        """Run the cases like ``CaseWork``."""
        work = replace(self.work, on_event=on_finished, keep=on_finished)
        work.run(batches, _reported_already, jobs=jobs, in_worker=in_worker)


def _reported_already(result: CaseResult) -> None:
    """Does nothing: the result was passed on with its trace."""


class _WatchedLoop:
    """The loop of one case, in a worker process."""

    def __init__(self, work: CaseWork, item: PlannedCase) -> None:
        self._work = work
        self._item = item
        self._messages: asyncio.Queue[Any] = asyncio.Queue()
        self._patience = worker.READY

    async def run(self, on_event: Callable[[Event], None]) -> Finished:
        process, connection = start_worker(_EventsToo(self._work), None, sealed=self._work.seals_workers())
        listening = threading.Thread(target=self._listen, args=(connection, asyncio.get_running_loop()), daemon=True)
        listening.start()
        try:
            with suppress(OSError):  # it has died, which the thread learns
                connection.send([self._item])
            finished = await self._heard(process, on_event)
            with suppress(OSError):
                connection.send(None)
            with suppress(TimeoutError):
                async with asyncio.timeout(PARTING):
                    while await self._messages.get() is not _GONE:  # it closes what it has opened
                        pass
            return finished
        finally:
            end_worker(process)
            await asyncio.to_thread(listening.join, PARTING)
            connection.close()

    async def _heard(self, process: SpawnProcess, on_event: Callable[[Event], None]) -> Finished:
        while True:
            try:
                message = await asyncio.wait_for(self._messages.get(), self._patience)
            except TimeoutError:
                return self._failure(f"The loop has blocked its process, and said nothing for {self._patience:g} s.")
            match message:
                case worker.Ended(result=Finished() as finished):
                    return finished
                case worker.Ended(result=event):
                    on_event(event)
                case worker.Broken():
                    raise message.raised()
                case worker.Sent(values):
                    learn_sent(values)
                case None:
                    self._patience = self._work.deadline + grace(self._work.deadline)
                case _:
                    await asyncio.to_thread(process.join, PARTING)
                    return self._failure(f"The process of the loop ended with {manner(process.exitcode)}.")

    def _failure(self, why: str) -> Finished:
        return Finished(self._work.failed(self._item, why), Trace(self._item.case))

    def _listen(self, connection: Connection, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(EOFError, OSError):
            while True:
                loop.call_soon_threadsafe(self._messages.put_nowait, connection.recv())
        loop.call_soon_threadsafe(self._messages.put_nowait, _GONE)
