"""Where a run's cases are run: one small interface, and the executor that runs them in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from harness.gateway import Gateway
from harness.runner.execute import DEADLINE, Finished, execute
from harness.runner.judging import EVERYTHING, Judging
from harness.runner.plan import PlannedCase
from harness.runner.results import CaseResult
from harness.runner.sources import SCRIPTED, Sources
from harness.targets import Target

__all__ = ["Executor", "InProcess", "OnFinished", "Work", "endpoint", "run_batches"]

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
    """Runs the cases in this process, at most ``jobs`` at once, begun in the order of the plan."""

    def __init__(self, work: Work, jobs: int = 1) -> None:
        self._work = work
        self._jobs = jobs

    def run(self, planned: Sequence[PlannedCase], on_finished: OnFinished) -> None:
        asyncio.run(run_batches([planned], self._work, on_finished, jobs=self._jobs))


def endpoint(target: Target, gateway: Gateway) -> AbstractAsyncContextManager[str]:
    """Where the target reaches the gateway while the block runs: within the process, or over loopback HTTP."""
    if target.placement == "in-process":
        return nullcontext("http://harness")
    from harness.gateway.server import serving

    return serving(gateway)


async def run_batches(
    batches: Iterable[Sequence[PlannedCase]], work: Work, on_finished: OnFinished, *, jobs: int = 1
) -> None:
    """Run the cases of each batch on one target, whose clients all of them share.

    ``jobs`` cases at a time: more than one pays only where they run in processes of their own. (Measured for those
    whose requests do not leave the process: neither wall nor CPU time is saved by eight at once.)
    """
    gateway = Gateway()
    target = work.open_target(gateway)

    def ended(finished: Finished) -> None:
        work.keep(finished)
        on_finished(finished.result)

    try:
        async with endpoint(target, gateway) as base_url:
            for batch in batches:
                await execute(
                    batch,
                    target,
                    gateway,
                    base_url,
                    jobs=jobs,
                    judging=work.judging,
                    sources=work.sources,
                    deadline=work.deadline,
                    on_finished=ended,
                )
    finally:
        await target.close()
