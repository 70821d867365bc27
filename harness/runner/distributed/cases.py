"""Cases on the workers of a cluster: a trace comes back with its result, and is kept where the run was started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.runner.cases import CaseWork
from harness.runner.distributed.cluster import Cluster
from harness.runner.distributed.executor import Distributed
from harness.runner.execute import Finished, failed, shown
from harness.runner.executor import Executor, InProcess
from harness.runner.plan import PlannedCase
from harness.runner.processes import Processes
from harness.runner.results import CaseResult
from harness.targets import Placement
from harness.trace import Trace

__all__ = ["CarriedCases", "DistributedCases", "packed"]


class DistributedCases:
    """Runs cases on the workers of a cluster, as ``Processes`` runs them here.

    Loops that are commands need no worker process to themselves (``placement``): they have a process for every case.
    """

    def __init__(self, work: CaseWork, cluster: Cluster, placement: Placement) -> None:
        self._keep = work.keep
        carried = CarriedCases(replace(work, keep=_nothing))
        within: Executor[PlannedCase, Finished] = (
            InProcess(carried) if placement == "command" else Processes(carried, 1)
        )
        self._executor = Distributed(carried, cluster, within)

    def run(self, planned: Sequence[PlannedCase], on_finished: Callable[[CaseResult], None], /) -> None:
        def ended(finished: Finished) -> None:
            if finished.result.trace is not None:
                self._keep(finished)
            on_finished(finished.result)

        self._executor.run([packed(item) for item in planned], ended)


@dataclass(frozen=True, slots=True)
class CarriedCases:
    """What is done with cases, where what comes of one is told with its trace; ``work.keep`` keeps nothing there."""

    work: CaseWork

    @property
    def noun(self) -> str:
        return self.work.noun

    @property
    def deadline(self) -> float:
        return self.work.deadline

    @property
    def seconds(self) -> float:
        return self.work.seconds

    def needs(self, item: PlannedCase, /) -> str:
        return self.work.needs(item)

    def run(
        self,
        batches: Iterable[Sequence[PlannedCase]],
        on_finished: Callable[[Finished], None],
        /,
        *,
        jobs: int = 1,
        in_worker: bool = False,
    ) -> None:
        replace(self.work, keep=on_finished).run(batches, _told, jobs=jobs, in_worker=in_worker)

    def failed(self, item: PlannedCase, why: str, /) -> Finished:
        return Finished(failed(item, why), Trace(item.case))

    def explained(self, result: Finished, printed: str, /) -> Finished:
        return replace(result, result=self.work.explained(result.result, printed))


def packed(item: PlannedCase) -> PlannedCase:
    """The case, to be run elsewhere: what repeats it is typed where the user stands."""
    return replace(item, scenario=replace(item.scenario, path=Path(shown(item.scenario.path))))


def _told(result: CaseResult) -> None:
    """It has been told with its trace."""


def _nothing(finished: Finished) -> None:
    """Where a case runs, nobody looks for its trace."""
