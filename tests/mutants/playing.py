"""The runs whose traces are broken on purpose, played once."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import cast

from harness.mutants.traces import TRACE_VARIANTS, TRACES
from harness.selftest.stage import Part, play
from harness.trace import Trace

CASES = [(mutant.name, (mutant.scenario, wire)) for mutant in TRACES.values() for wire in mutant.wires]
HARMLESS = [(variant.name, (variant.scenario, wire)) for variant in TRACE_VARIANTS.values() for wire in variant.wires]


def played(part: tuple[str, str]) -> Trace:
    """The trace of a scenario on a wire."""
    return _played()[cast(Part, part)]


def named(value: object) -> str:
    """The id of a parameter."""
    return ".".join(value) if isinstance(value, tuple) else str(value)


@cache
def _played() -> dict[Part, Trace]:
    finished = asyncio.run(play(part for _, part in (*CASES, *HARMLESS)))
    return {part: each.trace for part, each in finished.items()}
