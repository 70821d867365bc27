"""What a tool says to the program around the loop: it is in the history of the run, and no request contains it."""

from __future__ import annotations

import json

import pytest

from harness.loop import PYDANTIC_AI, SCREENSHOT_TO_CODE, LoopPolicy, RequestStep, ResponseStep, ToolCall, ToolOutcome
from harness.wire import WIRES, WireName
from harness.wire import wire as wire_named
from tests.loop.test_policies_on_wires import BOTH, DONE, PROMPT, CityTools, endpoint

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("name", WIRES)]

MARK = "for-the-program-only"


class MarkedTools(CityTools):
    async def run(self, call: ToolCall) -> ToolOutcome:
        city = json.loads(call.arguments)["city"]
        return ToolOutcome({"city": city}, city, metadata={MARK: city})


@pytest.mark.parametrize("policy", [PYDANTIC_AI, SCREENSHOT_TO_CODE], ids=lambda policy: policy.name)
async def test_metadata_stays_with_the_program(name: WireName, policy: LoopPolicy) -> None:
    async with endpoint(name, BOTH, DONE) as model:
        model.tools = MarkedTools()
        result = await model.agent(policy).run(wire_named(name).default_model, PROMPT)
        steps = [step for step in result.history if isinstance(step, RequestStep)]
        assert [each.metadata for each in steps[1].results] == [{MARK: "Paris"}, {MARK: "London"}]
        bodies = [exchange.request.body for exchange in model.desk.recorder.trace().exchanges]
        assert len(bodies) == 2
        assert b"Paris" in bodies[1]
        assert all(MARK.encode() not in body for body in bodies)


async def test_each_response_names_its_model_as_the_provider_does(name: WireName) -> None:
    async with endpoint(name, BOTH, DONE) as model:
        result = await model.agent(PYDANTIC_AI).run(wire_named(name).default_model, PROMPT)
        turns = [step.turn for step in result.history if isinstance(step, ResponseStep)]
        replies = list(model.desk.replies.values())
        assert [turn.model for turn in turns] == [reply.model for reply in replies] != ["", ""]
        said = [exchange.response.body for exchange in model.desk.recorder.trace().exchanges if exchange.response]
        for turn, body in zip(turns, said, strict=True):
            assert (turn.created is None) == (b'"created' not in body)
            assert turn.created is None or str(int(turn.created)).encode() in body
