"""A thousand cases as people run them: ``harness run`` in two processes and in one, beside the SDKs alone.

250 generated scenarios on four wires, three turns and about 30 stream events each. Every row is a command of its own,
start-up included. The bare SDKs send the same requests and read the same bytes in one process (``programs/bare.py``).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.loop import events_of
from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import Cost, command_cost, rounds_of
from harness.trace import Trace, load
from harness.wire import NATIVE_WIRES

SCENARIOS = 250
GOAL = Goal("ours", "at most", 20.0)
BARE = Path(__file__).parent / "programs" / "bare.py"
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


def figures(quick: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        generate(folder / "scenarios")
        command_cost(running(folder / "scenarios", folder / "first"))
        events = _written([load(path) for path in (folder / "first" / "traces").glob("*.jsonl")], folder / "bare.json")
        commands = {
            "bare": [sys.executable, str(BARE), str(folder / "bare.json")],
            "-j 1": running(folder / "scenarios", folder / "one"),
            "-j 2": running(folder / "scenarios", folder / "two", "-j", "2"),
        }
        costs = rounds_of(
            {name: partial(command_cost, command) for name, command in commands.items()}, 1 if quick else 3
        )
    for jobs in ("-j 1", "-j 2"):
        yield from _figures(f"1,000 cases of {events:.0f} events, `harness run {jobs}`", costs[jobs], costs["bare"])


def generate(folder: Path) -> None:
    folder.mkdir()
    for number in range(SCENARIOS):
        (folder / f"page-{number}.yaml").write_text(SCENARIO.format(number=number), encoding="utf-8")


def running(scenarios: Path, out: Path, *options: str) -> list[str]:
    """The command that runs a thousand cases, in one process if no ``options`` say otherwise."""
    wires = [word for wire in NATIVE_WIRES for word in ("--wire", wire)]
    return [
        sys.executable,
        "-m",
        "harness",
        "run",
        str(scenarios),
        *wires,
        "--out",
        str(out),
        *(options or ("-j", "1")),
    ]


def _written(traces: list[Trace], bare: Path) -> float:
    """Write the exchanges of all cases for the bare SDKs. Returns how many stream events a case has."""
    conversations = {
        wire: [
            [
                (each.request.body.decode(), each.response.headers["content-type"], each.response.body.decode())
                for each in trace.exchanges
                if each.response
            ]
            for trace in traces
            if trace.case.wire == wire
        ]
        for wire in NATIVE_WIRES
    }
    bare.write_text(json.dumps(conversations), encoding="utf-8")
    return sum(map(events_of, traces)) / len(traces)


def _figures(what: str, ours: list[Cost], bare: list[Cost]) -> Iterator[Figure]:
    beside = "the SDKs alone, in one process"
    goals = [GOAL] if what.endswith("-j 2`") else []
    yield Figure.of(
        what, [each.wall for each in ours], *goals, beside=beside, theirs=[each.wall for each in bare], counted="wall"
    )
    yield Figure.of(what, [each.cpu for each in ours], beside=beside, theirs=[each.cpu for each in bare])
    yield Figure.of(
        f"{what}, the largest process",
        [each.memory for each in ours],
        beside=beside,
        theirs=[each.memory for each in bare],
        unit="B",
        counted="memory",
    )
