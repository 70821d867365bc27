"""What a run of the real pydantic-ai says of itself afterwards: its history, its usage, its steps.

The reference loop, by the policy that follows it, says the same of the same scripts.
"""

from __future__ import annotations

import pytest

from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.endpoint.transport import EndpointTransport
from harness.loop import PYDANTIC_AI, Agent, AgentResult, ToolRuntime
from harness.scenario import Scenario, load, shipped
from harness.targets import CaseRun
from harness.targets.clients import Clients
from harness.targets.function import FunctionTarget
from harness.targets.shipped import SHIPPED
from harness.trace import Case, Event
from harness.wire import NATIVE_WIRES, WireName
from harness.wire import wire as wire_named
from tests.sdks import needs, pydantic_ai
from tests.targets.drivers.driving import driven

pytestmark = [pytest.mark.anyio, needs("pydantic_ai", "pydantic-ai is not installed")]

RESULTS: list[pydantic_ai.agent.AgentRunResult] = []


async def remembered(case_run: CaseRun) -> None:
    """The library's agent of a case, its result kept."""
    from harness.targets.drivers.pydantic_ai.agent import agent_of

    agent = agent_of(case_run)
    async with agent:
        RESULTS.append(await agent.run([text for role, text in case_run.prompt if role == "user"]))


async def of_the_library(scenario: str, wire: WireName) -> pydantic_ai.agent.AgentRunResult:
    RESULTS.clear()
    target = FunctionTarget("remembered", f"{__name__}:remembered", SHIPPED["pydantic-ai"].declaration)
    await driven(scenario, target, wire)
    (result,) = RESULTS
    return result


async def of_the_reference(scenario: str, wire: WireName) -> AgentResult:
    (found,) = load(list(shipped().glob(f"*/{scenario}.yaml")))
    endpoints = Endpoints()
    clients = Clients(EndpointTransport(endpoints))
    desk = CaseEndpoint(Case("a-case", scenario, wire), ScriptSource(found.steps), clock=lambda: 0.0)
    try:
        return await _agent(found, wire, clients, endpoints.open("a-case", desk)).run(
            wire_named(wire).default_model, found.prompt
        )
    finally:
        await clients.close()


def _agent(scenario: Scenario, wire: WireName, clients: Clients, prefix: str) -> Agent:
    async def hear(event: Event) -> None:
        return None

    return Agent(
        open_session=lambda config: clients.open_session(wire, config),
        send_message=hear,
        tools=ToolRuntime(scenario.tools),
        base_url=f"http://harness{prefix}",
        api_key="harness",
        policy=PYDANTIC_AI,
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize("scenario", ["tool-returns", "parallel-calls", "history-of-three-requests"])
async def test_usage_and_steps_are_those_of_the_reference_loop(scenario: str, wire: WireName) -> None:
    library, reference = await of_the_library(scenario, wire), await of_the_reference(scenario, wire)
    assert library.usage.requests == reference.requests == reference.turns
    assert library.usage.input_tokens == reference.usage.input > 0
    assert library.usage.output_tokens == reference.usage.output > 0


@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_the_history_grows_by_the_model_s_turn_and_the_results_in_call_order(wire: WireName) -> None:
    """Tool Call Flow Diagrams, Message Sequence: [0] the prompt, [1] the calls, [2] their results, [3] the answer."""
    result = await of_the_library("parallel-calls", wire)
    prompt, calls, results, answer = result.all_messages()
    assert [part.part_kind for part in prompt.parts] == ["user-prompt"]
    called = [part.tool_call_id for part in calls.parts if part.part_kind == "tool-call"]
    assert len(called) == 4
    assert [(part.part_kind, part.tool_call_id) for part in results.parts] == [("tool-return", id) for id in called]
    assert [part.content for part in answer.parts if part.part_kind == "text"] == ["All the same."]
