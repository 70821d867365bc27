"""Broken and sound runs: shipped scenarios, played by the reference loop in this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from harness.endpoint import Endpoints
from harness.finding import Finding
from harness.loop.sessions import missing
from harness.runner.execute import Finished, execute
from harness.runner.judging import Judging, judging
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, case_of, in_dialects, is_paced
from harness.scenario import Scenario, load, shipped
from harness.targets import Target
from harness.wire import OWN_NATIVE_WIRES, WireName
from harness_lab.selftest.mutant_run import Found, MutantRun

Part = tuple[str, WireName]
"""A scenario, and a wire to play it on."""


@cache
def _with_info() -> Judging:
    return judging(info=True)


@cache
def scenarios() -> dict[str, Scenario]:
    """The shipped scenarios by their names.

    Scenarios for programs with their own tools, and those about WebSockets, are left out: nothing is served here to
    which a socket could be opened.
    """
    every = (each for each in load([shipped()]) if not each.is_of_agent and each.transport != "websocket")
    return {scenario.name: scenario for scenario in every}


def can_play(part: Part, *, streams: bool = False) -> bool:
    """Whether the reference loop can play this here. What must be read piece by piece (``streams``: anything) needs the
    wire's SDK; without the SDK nothing would be found."""
    name, wire = part
    return not missing(wire) or (wire in OWN_NATIVE_WIRES and not streams and not in_pieces(scenarios()[name]))


async def play(parts: Iterable[Part], dialect: str = "") -> dict[Part, Finished]:
    """The reference loop on these scenarios. It uses an SDK only for the text protocol, and for what must be read piece
    by piece. ``dialect`` is the dialect of the streams, empty for the provider's own form."""
    parts = list(dict.fromkeys(parts))
    plain = [(name, wire) for name, wire in parts if wire in OWN_NATIVE_WIRES and not in_pieces(scenarios()[name])]
    finished: dict[Part, Finished] = {}
    for name, chosen in (("wire-only", plain), ("reference", [part for part in parts if part not in plain])):
        if chosen:
            endpoints = Endpoints()
            finished |= await run(chosen, open_target(name, endpoints), endpoints, dialect)
    return finished


def in_pieces(scenario: Scenario) -> bool:
    """Whether several previews of a call are expected, or a caller acts while the loop works. ``wire-only`` cannot do
    that: it reads a response as a whole, and emits one preview."""
    if scenario.acts:
        return True
    events = scenario.expect.events
    return events is not None and "setCode(preview){" in events.source


async def run(parts: Sequence[Part], target: Target, endpoints: Endpoints, dialect: str = "") -> dict[Part, Finished]:
    """The results of the scenarios on ``target``, which is closed afterwards."""
    usual = [
        PlannedCase(
            case_of(scenarios()[name], wire, "event", target=target.name, paced=is_paced(target)), scenarios()[name]
        )
        for name, wire in parts
    ]
    planned = in_dialects([dialect], usual) if dialect else usual
    try:
        ended = await execute(planned, target, endpoints, "http://harness", jobs=1, judging=_with_info())
    finally:
        await target.close()
    return dict(zip(parts, ended, strict=True))


def clean(finished: Finished) -> MutantRun:
    """A run without a mistake: no rule finds anything, and the run is as the scenario expects."""
    result = finished.result
    return MutantRun(result.target, result.id, found=found_in(finished), crash=result.error or "")


def found_in(finished: Finished) -> tuple[Found, ...]:
    """Return what the rules found in the run."""
    return tuple(map(_found, finished.result.findings))


def _found(evidence: Finding) -> Found:
    at = f"line {evidence.at}" if evidence.at is not None else "the run"
    beside = f" ({evidence.reference})" if evidence.reference else ""
    return Found(evidence.rule, evidence.level, f"{at}{beside}", evidence.expected, evidence.got)
