"""The limit that a loop has by itself: scenarios that give it none find a loop whose default is another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.endpoint import Endpoints
from harness.loop import POLICIES, LoopPolicy
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.scenario import Scenario
from harness.targets import reference
from tests.scenarios import shipped_scenarios

pytestmark = pytest.mark.anyio

SCENARIOS = {scenario.name: scenario for scenario in shipped_scenarios()}
GIVEN = ("twenty-one-tool-turns", "twenty-tool-turns", "nineteen-tool-turns")
LEFT_OUT = {
    "screenshot-to-code": ("twenty-turns-by-default", "nineteen-turns-by-default"),
    "pydantic-ai": ("fifty-tool-turns", "answer-in-the-fiftieth-turn"),
    "hugind": ("answer-after-ten-turns", "answer-in-the-tenth-turn"),
}


def loop_with(monkeypatch: pytest.MonkeyPatch, policy: LoopPolicy) -> None:
    monkeypatch.setattr(reference, "POLICIES", {**POLICIES, policy.name: policy})


async def broken(*names: str) -> set[str]:
    """What is broken of these scenarios, each on the first of its wires."""
    endpoints = Endpoints()
    target = open_target("reference", endpoints)
    scenarios: list[Scenario] = [SCENARIOS[name] for name in names]
    planned = [case for each in scenarios for case in plan([each], target=target, wires=[each.wires[0]])[:1]]
    assert len(planned) == len(names)
    try:
        finished = await execute(planned, target, endpoints, "http://harness")
    finally:
        await target.close()
    assert all(each.result.verdict in ("pass", "fail") for each in finished)
    return {finding.rule for each in finished for finding in each.result.findings}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("profile", LEFT_OUT)
async def test_a_default_that_is_one_too_high_or_too_low_is_found(
    profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = LEFT_OUT[profile]
    assert all(SCENARIOS[name].turn_limit is None for name in names)
    assert await broken(*names) == set()
    policy = POLICIES[profile]
    assert policy.turn_limit is not None
    loop_with(monkeypatch, replace(policy, turn_limit=policy.turn_limit + 1))
    assert await broken(*names) & {"guardrail/turn-limit", "guardrail/answer-now"}
    loop_with(monkeypatch, replace(policy, turn_limit=policy.turn_limit - 1))
    assert await broken(*names) & {"guardrail/false-alarm", "guardrail/answer-now", "expect/outcome"}
    loop_with(monkeypatch, replace(policy, turn_limit=None))
    assert await broken(*names) & {"guardrail/turn-limit", "guardrail/answer-now"}


async def test_scenarios_that_give_a_limit_say_nothing_of_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    loop_with(monkeypatch, replace(POLICIES["screenshot-to-code"], turn_limit=25))
    assert all(SCENARIOS[name].turn_limit == 20 for name in GIVEN)
    assert await broken(*GIVEN) == set()
