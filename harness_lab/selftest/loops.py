"""The rules against loops that are broken on purpose."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

from harness.gateway import Gateway
from harness.gateway.transport import GatewayTransport
from harness.runner.execute import Finished
from harness.scenario import Scenario
from harness.wire import OWN_NATIVE_WIRES, WIRES, WireName
from harness_lab.mutants.loops import LOOPS, LoopMutant
from harness_lab.selftest.mutant_run import Family, MutantRun
from harness_lab.selftest.scope import Scope
from harness_lab.selftest.stage import Part, clean, found_in, in_pieces, play, run, scenarios

__all__ = ["loops"]


async def loops(scope: Scope) -> Family:
    """Every broken loop in the scenarios that it names, on every wire on which it has a session, and the loop that they
    are made of.

    Where all rules are wanted, that loop is run in every shipped scenario, on one wire each: a rule that finds too much
    is as wrong as one that finds too little.
    """
    wanted = [mutant for mutant in LOOPS.values() if scope.wants_any(mutant.rules)]
    mutant_runs = [mutant_run for mutant in wanted for mutant_run in await _mutant_runs(mutant, scope)]
    named = {part for mutant in wanted if not mutant.dialect for part in _parts(mutant, scope)}
    every = _every_scenario(scope) if scope.rules is None else []
    played = await play([*sorted(named), *every])
    runs = [clean(each) if part in named else _uninformed(clean(each)) for part, each in played.items()]
    for dialect in sorted({mutant.dialect for mutant in wanted} - {""}):
        spoken = {part for mutant in wanted if mutant.dialect == dialect for part in _parts(mutant, scope)}
        runs += [clean(each) for each in (await play(sorted(spoken), dialect)).values()]
    return Family("loops", rules=(), mutants=tuple(mutant_runs), clean=tuple(runs))


def _uninformed(run: MutantRun) -> MutantRun:
    """Without INFO: some scenarios do what is worth saying, for example a caller that takes back what a model said."""
    return replace(run, found=tuple(found for found in run.found if found.level != "INFO"))


def _parts(mutant: LoopMutant, scope: Scope) -> list[Part]:
    return [
        (name, wire)
        for name in mutant.scenarios
        for wire in _wires_of(scenarios()[name], scope)
        if mutant.shows_on(wire)
    ]


def _every_scenario(scope: Scope) -> list[Part]:
    """Each scenario on one of its wires; a hash of its name chooses."""
    found = ((name, _wires_of(each, scope)) for name, each in scenarios().items())
    return [(name, speaks[crc32(name.encode()) % len(speaks)]) for name, speaks in found if speaks]


def _wires_of(scenario: Scenario, scope: Scope) -> list[WireName]:
    """The wires of a scenario; those that are run on request where it has no other."""
    wanted = [wire for wire in scenario.wires if wire in scope.wires]
    usual = [wire for wire in wanted if wire in WIRES]
    return usual if set(scenario.wires) & set(WIRES) else wanted


async def _mutant_runs(mutant: LoopMutant, scope: Scope) -> list[MutantRun]:
    """Without an SDK where that is possible."""
    parts = _parts(mutant, scope)
    plain = [
        part
        for part in parts
        if part[1] in OWN_NATIVE_WIRES and not mutant.streams and not in_pieces(scenarios()[part[0]])
    ]
    with_sdk = [part for part in parts if part not in plain]
    finished: dict[Part, Finished] = {}
    if plain:
        gateway = Gateway()
        finished |= await run(plain, mutant.build_wire_only(gateway), gateway, mutant.dialect)
    if with_sdk:
        gateway = Gateway()
        finished |= await run(with_sdk, mutant.build(GatewayTransport(gateway)), gateway, mutant.dialect)
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
