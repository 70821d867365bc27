"""A case of a command behind a seal beside the same case without one: what the seal adds.

The command is that of ``command_target``: it asks its endpoint once and ends. One case runs at a time, so that the time
of a case is what a user waits for. What is done once for a run is measured by itself: the process that starts commands.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import get_args

from benchmarks import command_target
from benchmarks.tracking.figure import Counted, Figure, Goal, LeftOut, Row
from benchmarks.tracking.measure import per, rounds_of
from harness.report.files import RunFolder
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.plan import PlannedCase
from harness.runner.results import CaseResult
from harness.sealing.allowed import Sealing, refusal

GOAL = Goal("ours", "at most", 0.015)
CASES = 50


def figures(quick: bool) -> Iterator[Row]:
    what = f"a case of a command behind a seal, {CASES} of them, one at a time"
    if why := refusal():
        yield LeftOut(what, why)
        return
    with tempfile.TemporaryDirectory() as made:
        planned = command_target.planned_cases(Path(made))[:CASES]
        works = {
            sealing: partial(_cases, planned, RunFolder.create(Path(made) / sealing), sealing)
            for sealing in get_args(Sealing)
            if sealing != "possible"
        }
        for work in works.values():
            work()
        costs = rounds_of(
            {name: partial(command_target.wall_and_cpu, work) for name, work in works.items()}, 3 if quick else 9
        )
    kinds: tuple[Counted, ...] = ("wall", "CPU")
    for number, counted in enumerate(kinds):
        sealed, open_ = (per([cost[number] for cost in costs[name]], CASES) for name in ("required", "off"))
        yield Figure.of(what, sealed, beside="without a seal", theirs=open_, counted=counted)
        added = [one - other for one, other in zip(sealed, open_, strict=True)]
        yield Figure.of("what the seal adds to a case", added, *([GOAL] if counted == "wall" else []), counted=counted)
    yield Figure.of("the process behind a seal that starts commands, once a run", _spawners(9), counted="wall")


def _spawners(rounds: int) -> list[float]:
    """Seconds from its start to its end."""
    from harness.sealing.commands import Spawner

    def start_and_end() -> None:
        Spawner().close()

    taken = rounds_of({"spawner": partial(command_target.wall_and_cpu, start_and_end)}, rounds)
    return [wall for wall, _ in taken["spawner"]]


def _cases(planned: list[PlannedCase], folder: RunFolder, sealing: Sealing) -> None:
    results: list[CaseResult] = []
    work = CaseWork(command_target.trivial_target, folder.write_trace, sealing=sealing)
    InProcess(work).run(planned, results.append)
    assert [result.verdict for result in results] == ["pass"] * CASES, results
