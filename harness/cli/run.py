"""``harness run``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from harness import __version__
from harness.gateway import Gateway
from harness.report.files import RunFolder
from harness.report.terminal import Terminal
from harness.rules import select
from harness.runner.execute import Finished, execute
from harness.runner.plan import PlannedCase, plan
from harness.runner.results import RunResult
from harness.scenario import load, shipped
from harness.targets import open_target
from harness.wire import WireName

__all__ = ["run"]


def run(
    paths: Sequence[Path],
    wires: Sequence[WireName],
    target: str,
    rules: Sequence[str],
    expression: str,
    jobs: int,
    seed: int,
    out: Path | None,
) -> int:
    """Plan, run, judge, tell, write. Returns the exit code."""
    select(rules)  # an unknown rule is refused before anything runs
    gateway = Gateway()
    system = open_target(target, gateway)
    planned = plan(
        load(paths or [shipped()]),
        target=system.name,
        target_wires=frozenset(get_args(WireName)) & system.wires,
        wires=wires,
        expression=expression,
        seed=seed,
    )
    started = datetime.now(UTC)
    folder = RunFolder.create(out or Path("reports") / f"run-{started:%Y%m%d-%H%M%S}")
    terminal = Terminal()
    finished: list[Finished] = []

    def on_finished(item: Finished) -> None:
        finished.append(item)
        folder.write_trace(item)
        terminal.finished(item.result)

    async def drive() -> None:
        try:
            await execute(planned, system, gateway, "http://harness", jobs=jobs, rules=rules, on_finished=on_finished)
        finally:
            await system.close()

    complete = True
    try:
        with terminal.progress(system.name, len(planned)):
            asyncio.run(drive())
    except KeyboardInterrupt:
        complete = False
    result = _result(planned, finished, system.name, seed, started, complete=complete)
    folder.write_results(result)
    terminal.summary(result, folder.path)
    return _exit_code(result)


def _result(
    planned: Sequence[PlannedCase],
    finished: Sequence[Finished],
    target: str,
    seed: int,
    started: datetime,
    *,
    complete: bool,
) -> RunResult:
    by_id = {item.result.id: item.result for item in finished}
    cases = tuple(by_id[item.case.id] for item in planned if item.case.id in by_id)
    return RunResult(__version__, started.isoformat(timespec="seconds"), target, seed, cases, complete)


def _exit_code(result: RunResult) -> int:
    totals = result.totals
    if not result.complete:
        return 130
    if totals["error"]:
        return 3
    return 1 if totals["fail"] else 0
