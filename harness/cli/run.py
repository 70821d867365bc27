"""``harness run``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness import __version__
from harness.gateway import Gateway
from harness.report.files import RunFolder
from harness.report.terminal import Terminal
from harness.rules import select
from harness.runner.execute import Finished, execute
from harness.runner.plan import PlannedCase, plan
from harness.runner.results import CaseResult, RunResult
from harness.scenario import load, shipped
from harness.targets import Target, open_target
from harness.wire import WireName

__all__ = ["RunOptions", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of ``harness run``; ``out`` None means a new folder under ``reports/``."""

    paths: Sequence[Path]
    wires: Sequence[WireName]
    target: str
    rules: Sequence[str]
    expression: str
    jobs: int
    seed: int
    out: Path | None


def run(options: RunOptions) -> int:
    """Plan, run, judge, tell, write. Returns the exit code."""
    select(options.rules)  # an unknown rule is refused before anything runs
    gateway = Gateway()
    target = open_target(options.target, gateway)
    planned = plan(
        load(options.paths or [shipped()]),
        target=target,
        wires=options.wires,
        expression=options.expression,
        seed=options.seed,
    )
    started = datetime.now(UTC)
    folder = RunFolder.create(options.out or Path("reports") / f"run-{started:%Y%m%d-%H%M%S}")
    terminal = Terminal()
    finished: dict[str, CaseResult] = {}

    def on_finished(item: Finished) -> None:
        finished[item.result.id] = item.result
        folder.write_trace(item)
        terminal.finished(item.result)

    complete = True
    try:
        with terminal.progress(target.name, len(planned)):
            asyncio.run(_drive(planned, target, gateway, options, on_finished))
    except KeyboardInterrupt:
        complete = False
    cases = tuple(finished[item.case.id] for item in planned if item.case.id in finished)
    result = RunResult(__version__, started.isoformat(timespec="seconds"), target.name, options.seed, cases, complete)
    folder.write_results(result)
    terminal.summary(result, folder.path)
    return _exit_code(result)


async def _drive(
    planned: Sequence[PlannedCase],
    target: Target,
    gateway: Gateway,
    options: RunOptions,
    on_finished: Callable[[Finished], None],
) -> None:
    try:
        await execute(
            planned,
            target,
            gateway,
            "http://harness",
            jobs=options.jobs,
            rules=options.rules,
            on_finished=on_finished,
        )
    finally:
        await target.close()


def _exit_code(result: RunResult) -> int:
    totals = result.totals
    if not result.complete:
        return 130
    if totals["error"]:
        return 3
    return 1 if totals["fail"] else 0
