"""Every broken loop is caught by the rule that it names, and the loop that it is made of by none, on the official SDKs.

What is broken in the requests is broken on every wire. A mistake above the session is the same on all wires, so each is
looked for on one, and the wires take turns. ``tests/selftest/test_whole.py`` looks for each mistake on every wire:
without the SDKs, and on the text protocol with its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from harness.endpoint import Endpoints
from harness.rules import FAMILIES
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.runner.results import CaseResult
from harness.testing.marks import marks
from harness.wire import NATIVE_WIRES, WIRES, WireName
from harness_lab.mutants.loops import LOOPS, LoopMutant
from harness_lab.selftest.stage import Part
from tests.scenarios import shipped_scenarios

pytestmark = pytest.mark.anyio


SCENARIOS = {scenario.name: scenario for scenario in shipped_scenarios()}


def _parts(number: int, mutant: LoopMutant) -> Iterator[Part]:
    """The scenarios that find a mutant, with the wires on which they do: all, or another one for the next mutant."""
    for name in mutant.scenarios:
        seen = [wire for wire in _wires_of(name, mutant) if mutant.shows_on(wire)]
        if not seen:
            continue
        of_providers = [wire for wire in seen if wire in NATIVE_WIRES] or seen
        for wire in seen if mutant.edit else [of_providers[number % len(of_providers)]]:
            yield name, wire


def _wires_of(name: str, mutant: LoopMutant) -> list[WireName]:
    """The wires of a scenario. On one that is run on request the provider may hold what an edit would break."""
    usual = [wire for wire in SCENARIOS[name].wires if wire in WIRES]
    return usual if usual or mutant.edit else list(SCENARIOS[name].wires)


PARTS = {mutant.name: tuple(_parts(number, mutant)) for number, mutant in enumerate(LOOPS.values())}


async def run(target: str, parts: Iterable[Part], dialect: str = "") -> list[tuple[PlannedCase, CaseResult]]:
    """These scenarios, each on its wire, in a dialect where one is named."""
    expression = f"event+{dialect}" if dialect else "event and not +"
    endpoints = Endpoints()
    system = open_target(target, endpoints)
    planned = [
        case
        for name, wire in parts
        for case in plan([SCENARIOS[name]], target=system, wires=[wire], expression=expression)
    ]
    try:
        finished = await execute(planned, system, endpoints, "http://harness")
    finally:
        await system.close()
    return [(item, each.result) for item, each in zip(planned, finished, strict=True)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name, parts in PARTS.items() if parts])
async def test_the_rule_that_it_names_finds_it(name: str) -> None:
    """In each scenario that is known to find it. Where it breaks something, the case has the mark of the rule's family.

    That is so in a scenario without a call, too (``harness.testing.marks``).
    """
    mutant = LOOPS[name]
    parts = PARTS[name]
    beside = [("answer", parts[0][1])]
    ran = [*await run(f"mutant:{name}", parts, mutant.dialect), *await run(f"mutant:{name}", beside)]
    known = [(item.case.id, result) for item, result in ran if item.scenario.name in mutant.scenarios]
    assert len(known) == len(parts)
    assert {at: result.error for at, result in known if result.verdict != "fail"} == {}
    missed = {at: result.findings for at, result in known if not _finds(result, mutant.rules)}
    assert missed == {}
    for item, result in ran:
        families = {evidence.rule.partition("/")[0] for evidence in result.findings} & set(FAMILIES)
        assert {f"harness_rule_{family}" for family in families} <= set(marks(item)), item.case.id


def _finds(result: CaseResult, rules: tuple[str, ...]) -> bool:
    return any(evidence.rule.startswith(rules) for evidence in result.findings)


def test_every_wire_has_its_turn() -> None:
    assert {wire for parts in PARTS.values() for _, wire in parts} >= set(WIRES)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("scenario", "dialect"),
    sorted({(name, LOOPS[each].dialect) for each, parts in PARTS.items() for name, _ in parts}),
)
async def test_the_loop_that_it_is_made_of_is_whole(scenario: str, dialect: str) -> None:
    """On each wire on which a mutant is looked for."""
    of_these = [parts for name, parts in PARTS.items() if LOOPS[name].dialect == dialect]
    parts = sorted({part for parts in of_these for part in parts if part[0] == scenario})
    ran = await run("reference", parts, dialect)
    assert len(ran) == len(parts) > 0
    assert {item.case.id: result.findings for item, result in ran if result.verdict != "pass"} == {}
