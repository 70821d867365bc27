"""``harness run``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from harness import __version__
from harness.report.files import RunFolder
from harness.report.terminal import Terminal
from harness.runner.executor import Executor, InProcess, Work
from harness.runner.judging import Judging
from harness.runner.opening import open_target, placement_of, plan_for
from harness.runner.processes import Processes
from harness.runner.results import CaseResult, RunResult
from harness.runner.sources import SCRIPTED, Sources
from harness.scenario import load, shipped
from harness.targets import Placement
from harness.wire import WireName

__all__ = ["RunOptions", "run"]

_CASES_PER_PROCESS = 100
"""A worker has imported its SDK in the time of about so many short cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of ``harness run``, and of ``harness record``, which is a run whose answers are kept.

    ``jobs`` None means as many processes as pay, ``out`` None a new folder under ``reports/``.
    """

    paths: Sequence[Path]
    wires: Sequence[WireName]
    target: str
    judging: Judging
    expression: str
    jobs: int | None
    seed: int
    out: Path | None
    sources: Sources = SCRIPTED


def run(options: RunOptions) -> int:
    """Plan, run, judge, tell, write. Returns the exit code."""
    planned = plan_for(
        options.target,
        load(options.paths or [shipped()]),
        wires=options.wires,
        expression=options.expression,
        seed=options.seed,
        sources=options.sources,
    )
    started = datetime.now(UTC)
    folder = RunFolder.create(options.out or Path("reports") / f"run-{started:%Y%m%d-%H%M%S}")
    work = Work(partial(open_target, options.target), folder.write_trace, options.judging, sources=options.sources)
    executor = _executor(work, placement_of(options.target), options.jobs, len(planned))
    terminal = Terminal()
    finished: dict[str, CaseResult] = {}

    def on_finished(result: CaseResult) -> None:
        finished[result.id] = result
        terminal.finished(result)

    complete = True
    try:
        with terminal.progress(options.target, len(planned)):
            executor.run(planned, on_finished)
    except KeyboardInterrupt:
        complete = False
    cases = tuple(finished[item.case.id] for item in planned if item.case.id in finished)
    result = RunResult(
        __version__, started.isoformat(timespec="seconds"), options.target, options.seed, cases, complete
    )
    folder.write_results(result)
    terminal.summary(result, folder.path)
    return _exit_code(result)


def _executor(work: Work, placement: Placement, jobs: int | None, cases: int) -> Executor:
    """By default one process per core, as far as there are cases to pay for their start.

    One is this process, but for loops that others have written, which must not run in it.
    """
    if placement == "command":
        return InProcess(work, jobs or _cores())
    if jobs is None:
        jobs = min(_cores(), 1 + cases // _CASES_PER_PROCESS)
    return InProcess(work) if jobs == 1 and placement == "in-process" else Processes(work, jobs)


def _cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _exit_code(result: RunResult) -> int:
    totals = result.totals
    if not result.complete:
        return 130
    if totals["error"]:
        return 3
    return 1 if totals["fail"] else 0
