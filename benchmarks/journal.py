"""The journal of a run: what its verdicts cost beside a run without one, on the disk of the folder for temporary files.

Cases of the reference loop in this process, as ``harness run -j 1`` runs them, traces included. With and without a
journal take turns in each round. Wall time counts here: what a journal waits for is the disk.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmarks.cases import SCENARIO
from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import rounds_of
from harness.report.files import RunFolder
from harness.report.journal import Journal, JournalHead
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.opening import open_target, plan_for
from harness.runner.plan import PlannedCase
from harness.runner.results import CaseResult, RunResult
from harness.scenario import load

Timed = TypeVar("Timed")
SCENARIOS = 40
GOAL = Goal("ratio", "at most", 0.02)


def figures(quick: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        planned = _planned(folder / "scenarios")
        measures = {
            "with": partial(_journaled, planned, folder / "with"),
            "without": partial(_run, planned, folder / "without", _nothing),
        }
        rounds_of(measures, 1)  # imports
        taken = rounds_of(measures, 3 if quick else 9)
    wholes, parts = [each[0] for each in taken["with"]], [each[1] for each in taken["with"]]
    without = [each[0] for each in taken["without"]]
    what = f"{len(planned)} cases of three turns"
    yield Figure.of(f"the journal of {what}", parts, GOAL, beside="the run", theirs=wholes, counted="wall")
    yield Figure.of(f"{what}, with a journal", wholes, beside="without", theirs=without, counted="wall")


def _planned(folder: Path) -> list[PlannedCase]:
    folder.mkdir()
    for number in range(SCENARIOS):
        (folder / f"page-{number}.yaml").write_text(SCENARIO.format(number=number), encoding="utf-8")
    return plan_for("reference", load([folder]), wires=["openai-chat"])


def _run(planned: list[PlannedCase], folder: Path, on_result: Callable[[CaseResult], None]) -> tuple[float, float]:
    """Wall seconds of the cases, and none of a journal."""
    work = CaseWork(partial(open_target, "reference"), RunFolder.create(folder).write_trace)
    began = time.perf_counter()
    InProcess(work).run(planned, on_result)
    return time.perf_counter() - began, 0.0


def _journaled(planned: list[PlannedCase], folder: Path) -> tuple[float, float]:
    """Wall seconds of the same with a journal, from its first line to its last; and how many the journal took."""
    head = JournalHead(RunResult("0", "", "reference", 0), tuple(item.case.id for item in planned))
    spent: list[float] = []

    def timed(work: Callable[[], Timed]) -> Timed:
        start = time.perf_counter()
        done = work()
        spent.append(time.perf_counter() - start)
        return done

    path = RunFolder.create(folder).path
    journal = timed(lambda: Journal.begin(path, head))
    seconds, _ = _run(planned, folder, lambda result: timed(lambda: journal.append(result)))
    before = spent[0]
    timed(lambda: journal.end(head.run))
    timed(journal.close)
    return seconds + before + sum(spent[-2:]), sum(spent)


def _nothing(result: CaseResult) -> None:
    """What a run without a journal keeps of a verdict here."""
