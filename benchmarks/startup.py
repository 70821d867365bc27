"""Start-up: ``harness --help`` and ``harness list`` against importing the three provider SDKs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import command_cost, rounds_of

COMMANDS = {
    "`python -c pass`": ["-c", "pass"],
    "`harness --help`": ["-m", "harness", "--help"],
    "`harness list`": ["-m", "harness", "list"],
    "SDKs": ["-c", "import openai, anthropic, google.genai"],
}
GOALS = (Goal("ours", "at most", 0.1), Goal("ratio", "at most", 1 / 40))


def figures(quick: bool) -> Iterator[Figure]:
    commands = {name: partial(command_cost, [sys.executable, *words]) for name, words in COMMANDS.items()}
    costs = rounds_of(commands, 1 if quick else 7)
    seconds = {name: [each.cpu for each in rounds] for name, rounds in costs.items()}
    sdks = seconds.pop("SDKs")
    for name, ours in seconds.items():
        goals = GOALS if "harness" in name else ()
        yield Figure.of(name, ours, *goals, beside="importing the three SDKs", theirs=sdks)
