"""Scenarios find a loop whose tools do another thing than was asked for, or that shows the code too late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.loop import LoopPolicy, ToolCall, ToolOutcome
from harness.loop.driver import Tools
from harness.runner.execute import execute
from harness.runner.plan import plan
from harness.scenario import Scenario
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget, Seams
from harness.wire import WIRES, WireName
from tests.scenarios import shipped_scenarios

pytestmark = pytest.mark.anyio

SCENARIOS = {scenario.name: scenario for scenario in shipped_scenarios("screenshot_to_code")}


@dataclass
class Otherwise:
    """Tools of which one does something else: ``change`` gets what it should do."""

    tools: Tools
    change: Callable[[ToolOutcome], ToolOutcome] = lambda outcome: outcome
    arguments: Callable[[str], str] = lambda text: text

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tools, name)

    async def run(self, call: ToolCall) -> ToolOutcome:
        return self.change(await self.tools.run(replace(call, arguments=self.arguments(call.arguments))))


def images_of_others(outcome: ToolOutcome) -> ToolOutcome:
    result: Any = outcome.result
    images = result["images"]
    return replace(outcome, result={"images": dict(zip(images, reversed(images.values()), strict=True))})


def one_preview_at_the_end(policy: LoopPolicy) -> LoopPolicy:
    return replace(policy, preview_step=1_000_000)


BROKEN = {
    "images-by-their-prompts": Seams(tools=lambda tools: Otherwise(tools, images_of_others)),  # type: ignore[arg-type,return-value]
    "option-that-was-asked-for": Seams(
        tools=lambda tools: Otherwise(tools, arguments=lambda text: text.replace("2", "3"))  # type: ignore[arg-type,return-value]
    ),
    "previews-while-it-arrives": Seams(policy=one_preview_at_the_end),
}


async def failed(scenario: Scenario, seams: Seams) -> list[bool]:
    """For each wire, whether a loop that is broken so fails the scenario."""
    endpoints = Endpoints()
    target = ReferenceTarget(Clients(EndpointTransport(endpoints)), seams=seams)
    planned = plan([scenario], target=target, expression="event")
    try:
        finished = await execute(planned, target, endpoints, "http://harness")
    finally:
        await target.close()
    assert all(each.result.verdict in ("pass", "fail") for each in finished)
    return [each.result.verdict == "fail" for each in finished]


def _spoken(scenario: Scenario) -> list[WireName]:
    """The wires of a scenario on which the reference loop has a session."""
    return [name for name in scenario.wires if name in WIRES]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", BROKEN)
async def test_a_loop_that_does_otherwise_fails_on_every_wire(name: str) -> None:
    scenario = SCENARIOS[name]
    assert await failed(scenario, Seams()) == [False] * len(_spoken(scenario))
    assert await failed(scenario, BROKEN[name]) == [True] * len(_spoken(scenario))
