"""The scenarios of the profile ``resilient`` can fail: each part of its policy that is left out is found by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.loop import LoopPolicy
from harness.runner.execute import execute
from harness.runner.plan import plan
from harness.scenario import Scenario
from harness.targets.reference import Seams
from harness.targets.wire_only import wire_only
from tests.case_tables import from_table
from tests.scenarios import shipped_scenarios

pytestmark = pytest.mark.anyio

SCENARIOS = {each.name: each for each in shipped_scenarios("resilient")}
"""Where the caller acts while an answer arrives, this target is skipped: it takes each answer as a whole."""


async def verdict(scenario: Scenario, **changed: Any) -> tuple[str, list[str]]:
    """How the scenario ends on one of its wires, and what is found, where the policy has other values."""

    def policy(sound: LoopPolicy) -> LoopPolicy:
        return replace(sound, **changed)

    endpoints = Endpoints()
    target = replace(wire_only(endpoints), seams=Seams(policy=policy))
    wire = "openai-chat" if "openai-chat" in scenario.wires else scenario.wires[0]
    cases = plan([scenario], target=target, wires=[wire])
    (finished,) = await execute(cases, target, endpoints, "http://harness", deadline=20)
    return finished.result.verdict, [each.rule for each in finished.result.findings]


@pytest.mark.parametrize(
    "name", [name for name, each in SCENARIOS.items() if "openai-chat" in each.wires and not each.acts]
)
async def test_a_loop_of_this_policy_passes(name: str) -> None:
    assert await verdict(SCENARIOS[name]) == ("pass", [])


@from_table(__file__, "test_a_loop_without_a_part_of_it_fails")
async def test_a_loop_without_a_part_of_it_fails(name: str, changed: dict[str, Any]) -> None:
    ended, _ = await verdict(SCENARIOS[name], **changed)
    assert ended == "fail"


async def test_a_history_that_is_not_compacted_is_found_by_the_rule_about_compacted_ones() -> None:
    _, found = await verdict(SCENARIOS["compacted-by-itself"], compact_at=None)
    assert "caller/compacted" in found
