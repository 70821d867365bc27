"""Where a run's cases are run: one small interface, and the executor that runs them in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.gateway import Gateway
from harness.runner.execute import DEADLINE, Finished, execute
from harness.runner.judging import EVERYTHING, Judging
from harness.runner.plan import PlannedCase
from harness.runner.results import CaseResult
from harness.runner.sources import SCRIPTED, Sources
from harness.targets import Target

__all__ = ["Executor", "InProcess", "OnFinished", "Work", "run_batches"]

OnFinished = Callable[[CaseResult], None]


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with every case, wherever it runs. All of it must survive pickling, to reach another process.

    ``open_target`` makes the system under test with its requests led to a gateway. ``keep`` is given each case with
    its trace where it ran, before its result is told: traces are written there and not carried about. ``deadline``
    is in seconds.
    """

    open_target: Callable[[Gateway], Target]
    keep: Callable[[Finished], None]
    judging: Judging = EVERYTHING
    deadline: float = DEADLINE
    sources: Sources = SCRIPTED


class Executor(Protocol):
    """Runs planned cases. What it finds does not depend on how or where it runs them."""

    def run(self, planned: Sequence[PlannedCase], on_finished: OnFinished) -> None:
        """Run every case and return when all have ended; ``on_finished`` is told each result as it comes.

        Interrupted by ``KeyboardInterrupt`` it ends what it started, tells every result that is there, and raises.
        """
        ...


class InProcess:
    """Runs the cases in this process, one after another, in the order of the plan."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def run(self, planned: Sequence[PlannedCase], on_finished: OnFinished) -> None:
        asyncio.run(run_batches(([item] for item in planned), self._work, on_finished))


async def run_batches(batches: Iterable[Sequence[PlannedCase]], work: Work, on_finished: OnFinished) -> None:
    """Run the cases of each batch on one target, whose clients all of them share.

    One case at a time: its requests do not leave the process, so a second one beside it has no wait to fill (measured:
    neither wall nor CPU time is saved by eight at once).
    """
    gateway = Gateway()
    target = work.open_target(gateway)

    def ended(finished: Finished) -> None:
        work.keep(finished)
        on_finished(finished.result)

    try:
        for batch in batches:
            await execute(
                batch,
                target,
                gateway,
                "http://harness",
                jobs=1,
                judging=work.judging,
                sources=work.sources,
                deadline=work.deadline,
                on_finished=ended,
            )
    finally:
        await target.close()
