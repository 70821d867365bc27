"""A thousand cases as people run them: ``harness run`` in two processes and in one, beside the SDKs alone.

    python benchmarks/cases.py [ROUNDS]

250 generated scenarios on four wires, three turns and about 30 stream events each. Every row is a command of its own,
start-up included: wall time, and the CPU time of all its processes as the operating system counts it. The bare SDKs
send the same requests and read the same bytes in one process (``bare.py``). Goal: at most 20 s wall in 2 processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from _measure import ratio

from harness.trace import Trace, load
from harness.wire import NATIVE_WIRES

SCENARIOS = 250
GOAL = 20.0
BARE = Path(__file__).with_name("bare.py")
SCENARIO = """\
scenario: page-{number}
profile: screenshot-to-code
summary: A page for shop {number} is made, edited and described.
prompt:
  - system: You build web pages.
  - user: A page for shop {number}, which is open every day.
tools: [create_file, edit_file]
model:
  - deltas: whole
    calls:
      - create_file: {{path: index.html, content: "<h1>Shop {number}</h1>\\n<p>Open from 7 to 12.</p>"}}
  - deltas: whole
    calls:
      - edit_file: {{path: index.html, edits: [{{old_text: 7 to 12, new_text: 8 to 13}}]}}
  - text: Page {number} is ready. It says when the shop is open.
expect:
  outcome: completed
  turns: 3
  events: |
    toolStart(create_file) setCode(preview)* setCode(result) toolResult(create_file, ok)
    toolStart(edit_file) setCode* toolResult(edit_file, ok) assistant final(completed)
  final: {{contains: 8 to 13}}
"""


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        generate(folder / "scenarios")
        wires = [word for wire in NATIVE_WIRES for word in ("--wire", wire)]
        run = [sys.executable, "-m", "harness", "run", str(folder / "scenarios"), *wires]
        measured([*run, "-j", "1", "--out", str(folder / "first")])
        _tell_cases([load(path) for path in (folder / "first" / "traces").glob("*.jsonl")], folder / "bare.json")
        commands = {
            "bare SDKs": [sys.executable, str(BARE), str(folder / "bare.json")],
            "harness run -j 1": [*run, "-j", "1", "--out", str(folder / "one")],
            "harness run -j 2": [*run, "-j", "2", "--out", str(folder / "two")],
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                times[name].append(measured(command))
    return _tell_times(times)


def generate(folder: Path) -> None:
    folder.mkdir()
    for number in range(SCENARIOS):
        (folder / f"page-{number}.yaml").write_text(SCENARIO.format(number=number), encoding="utf-8")


def measured(command: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of a command with all its processes. Its failure is ours."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"{command} ended with {child.returncode}"
    return wall, usage.ru_utime + usage.ru_stime


def _tell_cases(traces: list[Trace], bare: Path) -> None:
    """Say what the cases are like, and write their exchanges for the bare SDKs."""
    print(f"{'wire':20} {'cases':>6} {'turns':>6} {'events':>7}")
    conversations = {}
    for wire in NATIVE_WIRES:
        mine = [trace.exchanges for trace in traces if trace.case.wire == wire]
        bodies = [exchange.response.body for each in mine for exchange in each if exchange.response]
        turns, events = len(bodies) / len(mine), sum(body.count(b"data:") for body in bodies) / len(mine)
        print(f"{wire:20} {len(mine):6} {turns:6.1f} {events:7.1f}")
        conversations[wire] = [
            [
                (each.request.body.decode(), each.response.headers["content-type"], each.response.body.decode())
                for each in exchanges
                if each.response
            ]
            for exchanges in mine
        ]
    bare.write_text(json.dumps(conversations), encoding="utf-8")


def _tell_times(times: dict[str, list[tuple[float, float]]]) -> int:
    walls = {name: [wall for wall, _ in rounds] for name, rounds in times.items()}
    cpus = {name: [cpu for _, cpu in rounds] for name, rounds in times.items()}
    print(
        f"\n{'command':18} {'wall s':>7} {'least':>6} {'most':>6} {'CPU s':>7} {'of bare wall':>13} {'of bare CPU':>12}"
    )
    for name, wall in walls.items():
        own, bare = ratio(wall, walls["bare SDKs"]), ratio(cpus[name], cpus["bare SDKs"])
        print(
            f"{name:18} {median(wall):7.1f} {min(wall):6.1f} {max(wall):6.1f} {median(cpus[name]):7.1f} "
            f"{own:14.2f} {bare:5.2f}"
        )
    good = median(walls["harness run -j 2"]) <= GOAL
    print(f"\ngoal for -j 2: at most {GOAL:g} s wall: {'ok' if good else 'MISSED'} (load now {os.getloadavg()[0]:.1f})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
