"""The rules against loops that are broken on purpose."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.runner.execute import Finished
from harness.scenario import Scenario
from harness.wire import OWN_NATIVE_WIRES, WIRES, WireName
from harness_lab.mutants.loops import LOOPS, LoopMutant
from harness_lab.selftest.mutant_run import Family, MutantRun
from harness_lab.selftest.scope import Scope
from harness_lab.selftest.stage import Part, can_play, clean, found_in, in_pieces, play, run, scenarios


async def loops(scope: Scope) -> Family:
    """The broken loops in the scenarios that they name, on every wire on which they have a session, and the sound loop
    that they are made of.

    On a wire that is run on request it is one of these scenarios, unless no other wire is wanted. If all rules are
    wanted, the sound loop is run in every shipped scenario, on one wire each: a rule that finds too much is as wrong as
    one that finds too little.
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
    """The run without INFO findings: some scenarios cause them on purpose, as a caller that removes a model's words."""
    return replace(run, found=tuple(found for found in run.found if found.level != "INFO"))


def _parts(mutant: LoopMutant, scope: Scope) -> list[Part]:
    """The scenarios that the mutant names, on each wire on which it shows.

    If a scenario runs on other wires, too, then each wire that is run on request gets only one scenario.
    """
    every = [
        (name, wire)
        for name in mutant.scenarios
        for wire in _wires_of(scenarios()[name], scope)
        if mutant.shows_on(wire) and can_play((name, wire), streams=mutant.streams)
    ]
    beside = [part for part in every if _is_beside(part, scope)]
    kept = {_one_of([part for part in beside if part[1] == wire], mutant.name) for wire in {wire for _, wire in beside}}
    return [part for part in every if part not in beside or part in kept]


def _is_beside(part: Part, scope: Scope) -> bool:
    """Whether the scenario is wanted on other wires than this one, which is run on request."""
    name, wire = part
    return wire not in WIRES and not set(WIRES).isdisjoint(_wires_of(scenarios()[name], scope))


def _one_of(parts: list[Part], name: str) -> Part:
    """One of the parts; a hash of a name chooses."""
    return parts[crc32(name.encode()) % len(parts)]


def _every_scenario(scope: Scope) -> list[Part]:
    """Each scenario on one of its wires; a hash of its name chooses."""
    found = (
        [(name, wire) for wire in _wires_of(each, scope) if can_play((name, wire))]
        for name, each in scenarios().items()
    )
    return [_one_of(parts, parts[0][0]) for parts in found if parts]


def _wires_of(scenario: Scenario, scope: Scope) -> list[WireName]:
    return [wire for wire in scenario.wires if wire in scope.wires]


async def _mutant_runs(mutant: LoopMutant, scope: Scope) -> list[MutantRun]:
    """The runs of a mutant, without an SDK if that is possible."""
    parts = _parts(mutant, scope)
    plain = [
        part
        for part in parts
        if part[1] in OWN_NATIVE_WIRES and not mutant.streams and not in_pieces(scenarios()[part[0]])
    ]
    with_sdk = [part for part in parts if part not in plain]
    finished: dict[Part, Finished] = {}
    if plain:
        endpoints = Endpoints()
        finished |= await run(plain, mutant.build_wire_only(endpoints), endpoints, mutant.dialect)
    if with_sdk:
        endpoints = Endpoints()
        finished |= await run(with_sdk, mutant.build(EndpointTransport(endpoints)), endpoints, mutant.dialect)
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
