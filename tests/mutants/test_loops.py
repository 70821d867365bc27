"""Every broken loop is caught by the rule that it names, on every wire, and the loop that it is made of by none."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from harness.gateway import Gateway
from harness.mutants.loops import LOOPS
from harness.rules import FAMILIES
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.runner.results import CaseResult
from harness.testing.marks import marks
from tests.scenarios import shipped_scenarios

pytestmark = pytest.mark.anyio


async def run(target: str, names: Iterable[str]) -> list[tuple[PlannedCase, CaseResult]]:
    """The scenarios of these names, on all their wires."""
    gateway = Gateway()
    system = open_target(target, gateway)
    chosen = [scenario for scenario in shipped_scenarios() if scenario.name in names]
    assert {scenario.name for scenario in chosen} == set(names)
    planned = plan(chosen, target=system, expression="event")
    try:
        finished = await execute(planned, system, gateway, "http://harness")
    finally:
        await system.close()
    return [(item, each.result) for item, each in zip(planned, finished, strict=True)]


@pytest.mark.parametrize("name", LOOPS)
async def test_the_rule_that_it_names_finds_it(name: str) -> None:
    """In each scenario that is known to find it. Where it breaks something, the case has the mark of the rule's family.

    That is so in a scenario without a call, too (``harness.testing.marks``).
    """
    mutant = LOOPS[name]
    ran = await run(f"mutant:{name}", {*mutant.scenarios, "answer"})
    known = [
        (item.case.id, result)
        for item, result in ran
        if item.scenario.name in mutant.scenarios and item.case.wire not in mutant.unseen_on
    ]
    assert len(known) >= len(mutant.scenarios)
    assert {at: result.error for at, result in known if result.verdict != "fail"} == {}
    missed = {at: result.evidence for at, result in known if not _finds(result, mutant.rules)}
    assert missed == {}
    for item, result in ran:
        families = {evidence.rule.partition("/")[0] for evidence in result.evidence} & set(FAMILIES)
        assert {f"harness_rule_{family}" for family in families} <= set(marks(item)), item.case.id


def _finds(result: CaseResult, rules: tuple[str, ...]) -> bool:
    return any(evidence.rule.startswith(rules) for evidence in result.evidence)


@pytest.mark.parametrize("scenario", sorted({name for mutant in LOOPS.values() for name in mutant.scenarios}))
async def test_the_loop_that_it_is_made_of_is_whole(scenario: str) -> None:
    ran = await run("reference", [scenario])
    assert ran
    assert {item.case.id: result.evidence for item, result in ran if result.verdict != "pass"} == {}
