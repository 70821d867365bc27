"""Every broken loop is caught by the rule that it names, on every wire, and the loop that it is made of by none."""

from __future__ import annotations

import pytest

from harness.gateway import Gateway
from harness.mutants import LOOPS
from harness.runner.execute import execute
from harness.runner.plan import plan
from harness.runner.results import CaseResult
from harness.scenario import Scenario, load, shipped
from harness.targets import open_target
from harness.wire import WIRES, WireName

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
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


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", LOOPS)
async def test_the_rule_that_it_names_finds_it(name: str, wire: WireName, scenarios: dict[str, Scenario]) -> None:
    mutant = LOOPS[name]
    scenario = scenarios[mutant.scenario]
    broken = await run(f"mutant:{name}", scenario, wire)
    assert broken.verdict == "fail", broken.error
    assert any(evidence.rule.startswith(mutant.rules) for evidence in broken.evidence), broken.evidence
    whole = await run("reference", scenario, wire)
    assert whole.verdict == "pass", whole.evidence
