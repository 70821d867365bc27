"""Cases of a command beside the bare start of the same command.

The command is a Python program without packages that asks its endpoint once and ends (``programs/trivial.py``). Bare,
it is started as often, as many at a time, and gets no case, so that it ends at once: nothing but a process is started.
What a case costs beyond that is its request and what the harness does for it: environment, endpoint, every rule, the
trace on disk, the end of the process group.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.tracking.figure import Counted, Figure, Goal
from benchmarks.tracking.measure import per, rounds_of
from harness.endpoint import Endpoints
from harness.report.files import RunFolder
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.plan import PlannedCase, plan
from harness.runner.results import CaseResult
from harness.scenario import load
from harness.targets import Declaration, Target
from harness.targets.command.target import CommandTarget

CASES = 200
JOBS = 2
GOAL = Goal("ratio", "at most", 2.0)
COMMAND = (sys.executable, "-IS", str(Path(__file__).parent / "programs" / "trivial.py"))
SCENARIO = """\
scenario: hello-{number}
profile: universal
summary: A short answer.
wires: [openai-chat]
prompt: Say hello.
model:
  - text: Hello.
expect: {{outcome: completed, requests: 1}}
"""


def figures(quick: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        planned = planned_cases(folder)
        works: dict[str, Callable[[], None]] = {
            "bare": _bare,
            "ours": partial(_cases, planned, RunFolder.create(folder / "run")),
        }
        for work in works.values():
            work()
        costs = rounds_of({name: partial(wall_and_cpu, work) for name, work in works.items()}, 2 if quick else 5)
    what = f"a case of a command, {CASES} of them, {JOBS} at a time"
    kinds: tuple[Counted, ...] = ("wall", "CPU")
    for number, counted in enumerate(kinds):
        ours, bare = (per([cost[number] for cost in costs[name]], CASES) for name in ("ours", "bare"))
        yield Figure.of(what, ours, GOAL, beside="its bare start", theirs=bare, counted=counted)


def planned_cases(folder: Path) -> list[PlannedCase]:
    scenarios = folder / "scenarios"
    scenarios.mkdir()
    for number in range(CASES):
        (scenarios / f"{number}.yaml").write_text(SCENARIO.format(number=number), encoding="utf-8")
    return plan(load([scenarios]), target=trivial_target(Endpoints()))


def trivial_target(_endpoints: Endpoints) -> Target:
    return CommandTarget("trivial", COMMAND, Declaration(frozenset({"openai-chat"}), emits=frozenset()))


def _cases(planned: list[PlannedCase], folder: RunFolder) -> None:
    results: list[CaseResult] = []
    InProcess(CaseWork(trivial_target, folder.write_trace), JOBS).run(planned, results.append)
    assert [result.verdict for result in results] == ["pass"] * CASES, results


def _bare() -> None:
    with ThreadPoolExecutor(JOBS) as pool:
        for _ in pool.map(lambda _: subprocess.run(COMMAND, input=b"", check=True, capture_output=True), range(CASES)):
            pass


def wall_and_cpu(work: Callable[[], None]) -> tuple[float, float]:
    """Wall and CPU seconds, these with all that was started."""
    start, before = time.perf_counter(), os.times()
    work()
    after = os.times()
    return time.perf_counter() - start, sum(after[:4]) - sum(before[:4])
