"""Cases of a command beside the bare start of the same command.

    python benchmarks/command_target.py [ROUNDS]

The command is a Python program without packages that asks its endpoint once and ends (``trivial.py``). Bare, it is
started as often, as many at a time, and gets no case, so that it ends at once: nothing but a process is started. Both
take turns within a round; a ratio is the median over rounds. What a case costs beyond the bare start is its request and
what the harness does for it: environment, endpoint, every rule, the trace on disk, the end of the process group. Goal:
at most 2.0 times the bare start, in wall time and in CPU time (of the harness and all commands together).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

from _measure import ratio

from harness.gateway import Gateway
from harness.report.files import RunFolder
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.plan import PlannedCase, plan
from harness.runner.results import CaseResult
from harness.scenario import load
from harness.targets import Declaration, Target
from harness.targets.command import CommandTarget

CASES = 200
JOBS = 2
MOST = 2.0
COMMAND = (sys.executable, "-IS", str(Path(__file__).with_name("trivial.py")))
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


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        planned = _planned(folder)
        works: dict[str, Callable[[], None]] = {
            "bare start": _bare,
            "cases": partial(_cases, planned, RunFolder.create(folder / "run")),
        }
        for work in works.values():
            work()
        wall: dict[str, list[float]] = {name: [] for name in works}
        cpu: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(rounds):
            for name, work in works.items():
                seconds = _timed(work)
                wall[name].append(seconds[0])
                cpu[name].append(seconds[1])
    print(f"{CASES} cases, {JOBS} at a time   wall ms each   CPU ms each")
    for name in works:
        print(f"{name:26} {median(wall[name]) / CASES * 1e3:13.1f} {median(cpu[name]) / CASES * 1e3:13.1f}")
    ratios = [ratio(times["cases"], times["bare start"]) for times in (wall, cpu)]
    print(f"{'ratio':26} {ratios[0]:13.2f} {ratios[1]:13.2f}")
    good = max(ratios) <= MOST
    print(f"goal: at most {MOST} times the bare start: {'met' if good else 'NOT met'}")
    return 0 if good else 1


def _planned(folder: Path) -> list[PlannedCase]:
    scenarios = folder / "scenarios"
    scenarios.mkdir()
    for number in range(CASES):
        (scenarios / f"{number}.yaml").write_text(SCENARIO.format(number=number), encoding="utf-8")
    return plan(load([scenarios]), target=_target(Gateway()))


def _target(_gateway: Gateway) -> Target:
    return CommandTarget("trivial", COMMAND, Declaration(frozenset({"openai-chat"}), tells=frozenset()))


def _cases(planned: list[PlannedCase], folder: RunFolder) -> None:
    results: list[CaseResult] = []
    InProcess(CaseWork(_target, folder.write_trace), JOBS).run(planned, results.append)
    assert [result.verdict for result in results] == ["pass"] * CASES, results


def _bare() -> None:
    with ThreadPoolExecutor(JOBS) as pool:
        for _ in pool.map(lambda _: subprocess.run(COMMAND, input=b"", check=True, capture_output=True), range(CASES)):
            pass


def _timed(work: Callable[[], None]) -> tuple[float, float]:
    """Wall and CPU seconds, these with all that was started."""
    start, before = time.perf_counter(), os.times()
    work()
    after = os.times()
    return time.perf_counter() - start, sum(after[:4]) - sum(before[:4])


if __name__ == "__main__":
    sys.exit(main())
