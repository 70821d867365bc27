"""The rules against loops that are broken on purpose."""

from __future__ import annotations

from harness.gateway import Gateway
from harness.gateway.transport import GatewayTransport
from harness.runner.execute import Finished
from harness.wire import NATIVE_WIRES
from harness_lab.mutants.loops import LOOPS, LoopMutant
from harness_lab.selftest.mutant_run import Family, MutantRun
from harness_lab.selftest.scope import Scope
from harness_lab.selftest.stage import Part, clean, found_in, play, run, scenarios

__all__ = ["loops"]


async def loops(scope: Scope) -> Family:
    """Every broken loop in the scenarios that it names, on every wire, and the loop that they are made of."""
    wanted = [mutant for mutant in LOOPS.values() if scope.wants_any(mutant.rules)]
    mutant_runs = [mutant_run for mutant in wanted for mutant_run in await _mutant_runs(mutant, scope)]
    played = await play(part for mutant in wanted for part in _parts(mutant, scope))
    return Family("loops", rules=(), mutants=tuple(mutant_runs), clean=tuple(map(clean, played.values())))


def _parts(mutant: LoopMutant, scope: Scope) -> list[Part]:
    return [
        (name, wire)
        for name in mutant.scenarios
        for wire in scenarios()[name].wires
        if wire in scope.wires and wire not in mutant.unseen_on
    ]


async def _mutant_runs(mutant: LoopMutant, scope: Scope) -> list[MutantRun]:
    """Without an SDK where that is possible."""
    parts = _parts(mutant, scope)
    plain = [part for part in parts if part[1] in NATIVE_WIRES]
    with_sdk = [part for part in parts if part[1] not in NATIVE_WIRES]
    finished: dict[Part, Finished] = {}
    if plain:
        gateway = Gateway()
        finished |= await run(plain, mutant.build_wire_only(gateway), gateway)
    if with_sdk:
        gateway = Gateway()
        finished |= await run(with_sdk, mutant.build(GatewayTransport(gateway)), gateway)
    return [_mutant_run(mutant, each) for each in finished.values()]


def _mutant_run(mutant: LoopMutant, finished: Finished) -> MutantRun:
    result = finished.result
    return MutantRun(
        mutant.name,
        result.id,
        mutant.rules,
        found=found_in(finished),
        crash=result.error or "",
        summary=mutant.summary,
    )
