"""A run of a call that must not run: found by a rule, or by the scenario where no rule is asked; once."""

from __future__ import annotations

import pytest

from harness.endpoint import Endpoints
from harness.runner.execute import Finished, execute
from harness.runner.judging import Judging, judging
from harness.runner.plan import PlannedCase, case_of
from harness.wire import NATIVE_WIRES, WireName
from harness_lab.mutants.loops import LOOPS
from harness_lab.selftest.stage import scenarios

MUTANTS = ("truncated-call-executed", "truncated-call-executed-in-silence")
SCENARIO = "truncated-after-a-whole-call"


async def played(mutant: str, wire: WireName, by: Judging | None = None) -> Finished:
    endpoints = Endpoints()
    target = LOOPS[mutant].build_wire_only(endpoints)
    case = PlannedCase(case_of(scenarios()[SCENARIO], wire, "event", target=target.name), scenarios()[SCENARIO])
    (finished,) = await execute([case], target, endpoints, "http://harness", judging=by)
    await target.close()
    return finished


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize("mutant", MUTANTS)
async def test_what_a_rule_has_found_the_scenario_does_not_find_again(mutant: str, wire: WireName) -> None:
    found = [each.rule for each in (await played(mutant, wire)).result.findings]
    assert found.count("final/stopped-call") == 1
    assert "expect/not_ran" not in found


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize("mutant", MUTANTS)
async def test_without_the_rule_the_scenario_finds_it(mutant: str, wire: WireName) -> None:
    by = judging(without=["final/stopped-call"])
    found = {each.rule: each for each in (await played(mutant, wire, by)).result.findings}
    assert "final/stopped-call" not in found
    assert found["expect/not_ran"].expected == "transfer not to run"
    assert found["expect/not_ran"].line is not None
