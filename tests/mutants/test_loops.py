"""Every broken loop is caught by the rule that it names, on every wire, and the loop that it is made of by none."""

from __future__ import annotations

from functools import cache

import pytest

from harness.gateway import Gateway
from harness.mutants.loops import LOOPS
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.runner.results import CaseResult
from harness.scenario import Scenario, load, shipped
from harness.wire import WireName

pytestmark = pytest.mark.anyio


@cache
def scenarios() -> dict[str, Scenario]:
    return {scenario.name: scenario for scenario in load([shipped()])}


async def run(target: str, scenario: Scenario, wire: WireName) -> CaseResult:
    gateway = Gateway()
    system = open_target(target, gateway)
    cases = plan([scenario], target=system, wires=[wire], expression="event")
    try:
        (finished,) = await execute(cases, system, gateway, "http://harness")
    finally:
        await system.close()
    return finished.result


CASES = [
    (mutant.name, name, wire)
    for mutant in LOOPS.values()
    for name in mutant.scenarios
    for wire in scenarios()[name].wires
    if wire not in mutant.unseen_on
]


@pytest.mark.parametrize(("name", "scenario", "wire"), CASES)
async def test_the_rule_that_it_names_finds_it(name: str, scenario: str, wire: WireName) -> None:
    broken = await run(f"mutant:{name}", scenarios()[scenario], wire)
    assert broken.verdict == "fail", broken.error
    assert any(evidence.rule.startswith(LOOPS[name].rules) for evidence in broken.evidence), broken.evidence


@pytest.mark.parametrize(("scenario", "wire"), sorted({(scenario, wire) for _, scenario, wire in CASES}))
async def test_the_loop_that_it_is_made_of_is_whole(scenario: str, wire: WireName) -> None:
    whole = await run("reference", scenarios()[scenario], wire)
    assert whole.verdict == "pass", whole.evidence
