"""The runs whose traces are broken on purpose, played once."""

from __future__ import annotations

import asyncio
from functools import cache

from harness.trace import Trace
from harness_lab.mutants.traces import TRACES
from harness_lab.selftest.stage import Part, play


def played(part: Part) -> Trace:
    """The trace of a scenario on a wire."""
    return _played()[part]


@cache
def _played() -> dict[Part, Trace]:
    wanted = [(mutant.scenario, wire) for mutant in TRACES.values() for wire in mutant.wires]
    finished = asyncio.run(play(wanted))
    return {part: each.trace for part, each in finished.items()}
