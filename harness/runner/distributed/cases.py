"""Runs cases on the workers of a cluster. Traces come back with the results and are stored where the run started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from harness.runner.cases import CarriedCases, CaseWork
from harness.runner.distributed.cluster import Cluster
from harness.runner.distributed.executor import Distributed
from harness.runner.execute import Finished
from harness.runner.executor import Executor, InProcess
from harness.runner.paths import shown
from harness.runner.plan import PlannedCase
from harness.runner.processes import Processes
from harness.runner.results import CaseResult
from harness.targets import Isolation

__all__ = ["CarriedCases", "DistributedCases", "packed"]


class DistributedCases:
    """Runs cases on the workers of a cluster, as ``Processes`` runs them here.

    Loops that are commands need no separate worker process (``isolation``): they have a process for every case.
    ``on_no_seal`` reports loops that should be sealed off and cannot be (``Distributed``).
    """

    def __init__(
        self,
        work: CaseWork,
        cluster: Cluster,
        isolation: Isolation,
        on_no_seal: Callable[[str], None] | None = None,
    ) -> None:
        self._keep = work.keep
        carried = CarriedCases(replace(work, keep=_nothing))
        within: Executor[PlannedCase, Finished] = (
            InProcess(carried) if isolation == "command" else Processes(carried, 1)
        )
        asks = work.sealing == "possible" and isolation != "in-process"
        self._executor = Distributed(carried, cluster, within, on_no_seal if asks else None)

    def run(self, planned: Sequence[PlannedCase], on_finished: Callable[[CaseResult], None], /) -> None:
        """Run the cases on the cluster, keep their traces here, and pass each result to ``on_finished``.

        Raises ``BadInput`` if the cluster cannot be reached or cannot do such work.
        """

        def ended(finished: Finished) -> None:
            if finished.result.trace is not None:
                self._keep(finished)
            on_finished(finished.result)

        self._executor.run([packed(item) for item in planned], ended)


def packed(item: PlannedCase) -> PlannedCase:
    """The case in a form to be run elsewhere; the command that repeats it fits the user's working directory."""
    return replace(item, scenario=replace(item.scenario, path=Path(shown(item.scenario.path))))


def _nothing(finished: Finished) -> None:
    """Store no trace on the worker: it is stored where the result is collected."""
