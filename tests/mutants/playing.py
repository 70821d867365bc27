"""The runs whose traces are broken on purpose, played once."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import cast

from harness.rules import TraceView
from harness.trace import ResponseRecord, Trace
from harness.wire import Reply
from harness_lab.mutants.traces import EQUIVALENT_TRACES, TRACES
from harness_lab.selftest.stage import Part, play

CASES = [(mutant.name, (mutant.scenario, wire)) for mutant in TRACES.values() for wire in mutant.wires]
HARMLESS = [
    (variant.name, (variant.scenario, wire)) for variant in EQUIVALENT_TRACES.values() for wire in variant.wires
]


def played(part: tuple[str, str]) -> Trace:
    """The trace of a scenario on a wire."""
    return _played()[cast(Part, part)]


def read(trace: Trace, part: tuple[str, str]) -> TraceView:
    """A trace that is made of the run of ``part``, read. No mutant changes what the model says, so responses are read
    once, and known by their bytes."""
    answers = [record for record in trace.records if isinstance(record, ResponseRecord)]
    known = _replies(part)
    return TraceView(trace, {each.exchange: known[each.body] for each in answers if each.body in known})


@cache
def _replies(part: tuple[str, str]) -> dict[bytes, Reply]:
    return {
        response.body: ask.reply
        for ask in TraceView(played(part)).asks
        if (response := ask.exchange.response) is not None and ask.reply is not None and response.end == "eof"
    }


def named(value: object) -> str:
    """The id of a parameter."""
    return ".".join(value) if isinstance(value, tuple) else str(value)


@cache
def _played() -> dict[Part, Trace]:
    finished = asyncio.run(play(part for _, part in (*CASES, *HARMLESS)))
    return {part: each.trace for part, each in finished.items()}
