"""The shipped scenarios as people run them on the reference loop: every suite in one process, and ``core`` in two.

Start-up and the reports are included. The command of the README is ``core`` on the four native wires.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import command_cost, rounds_of
from harness.wire import NATIVE_WIRES

WIRES = tuple(word for wire in NATIVE_WIRES for word in ("--wire", wire))
COMMANDS = {
    "--suite all -j 1": ("--suite", "all", "-j", "1"),
    "--suite core -j 2": ("--suite", "core", *WIRES, "-j", "2"),
}
README = Goal("ours", "at most", 30.0)


def figures(quick: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as made:
        commands = {name: _command(options, Path(made) / "out") for name, options in COMMANDS.items()}
        costs = rounds_of(
            {name: partial(command_cost, command) for name, command in commands.items()}, 1 if quick else 3
        )
    for name, taken in costs.items():
        goals = [README] if "core" in name else []
        yield Figure.of(f"`harness run {name}`", [each.wall for each in taken], *goals, counted="wall")
        yield Figure.of(f"`harness run {name}`", [each.cpu for each in taken])


def _command(options: tuple[str, ...], out: Path) -> list[str]:
    return [sys.executable, "-m", "harness", "run", *options, "--out", str(out)]
