"""Runs whose answer must be a JSON object of a certain shape: on every wire, and how often a text may break it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from harness.errors import BadInput
from harness.loop import (
    HUGIND,
    PYDANTIC_AI,
    Agent,
    LoopPolicy,
    RequestStep,
    ResponseStep,
    ToolCall,
    ToolRetriesExceeded,
    TurnLimitExceeded,
)
from harness.loop.engine import Engine
from harness.trace import Failure, Final
from harness.wire import WIRES, FinishReason, Text, Turn, WireName
from harness.wire import wire as wire_named
from tests.loop.fake_session import Answer, streamed
from tests.loop.playing import Played, StubTools, play_flow
from tests.loop.test_policies_on_wires import PROMPT, endpoint

PRICE = {
    "type": "object",
    "properties": {"price": {"type": "number"}, "fruit": {"type": "string"}},
    "required": ["price"],
    "additionalProperties": False,
}
GOOD = '{"price": 10.0, "fruit": "apple"}'
WITHOUT_PRICE = '{"fruit": "apple"}'


def play(answers: Sequence[Answer], policy: LoopPolicy = PYDANTIC_AI, schema: Any = PRICE) -> Played:
    return play_flow(Engine(StubTools(), policy, [("user", "How much?")], schema).flow(), answers)


@pytest.mark.anyio
@pytest.mark.parametrize("name", WIRES)
async def test_the_model_is_asked_for_a_text_that_fits_on_every_wire(name: WireName) -> None:
    broken, good = Turn((Text(WITHOUT_PRICE),)), Turn((Text(GOOD),))
    async with endpoint(name, broken, good) as model:
        agent: Agent = replace(model.agent(PYDANTIC_AI), output_schema=PRICE)
        result = await agent.run(wire_named(name).default_model, PROMPT)
        assert (result.outcome, result.output, result.text) == ("completed", {"price": 10.0, "fruit": "apple"}, GOOD)
        assert (result.turns, result.output_retries, result.tool_retries) == (2, 1, {})
        *_, answered, asked = model.requests[1]
        assert answered.role == "assistant"
        assert [part.text for part in answered.parts if isinstance(part, Text)] == [WITHOUT_PRICE]
        assert asked.role == "user"
        assert "'price' is a required property" in repr(asked.parts)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Ten.", "it is no JSON"),
        (GOOD + " That is all.", "it is no JSON"),
        ("[10.0]", "it is JSON, and no object"),
        ('{"price": NaN}', "it is no JSON"),
        ('{"price": "ten"}', "price: 'ten' is no number"),
        ("{}", "'price' is a required property"),
        ("", "it is no JSON"),
    ],
)
def test_the_model_reads_what_is_wrong(text: str, problem: str) -> None:
    played = play([streamed(text), streamed(GOOD)])
    first, second = (step for step in played.ended.history if isinstance(step, RequestStep))
    assert first.texts == (("user", "How much?"),)
    ((role, asked),) = second.texts
    assert role == "user"
    assert problem in asked
    assert "retry 1 of 1" in asked
    assert played.ended.output == {"price": 10.0, "fruit": "apple"}


def test_one_text_too_many_that_breaks_the_schema_ends_the_run() -> None:
    played = play([streamed("Ten."), streamed("Still ten.")])
    assert isinstance(played.error, ToolRetriesExceeded)
    (failure,) = played.told(Failure)
    assert failure.kind == "tool-retries"
    assert "broke the output schema 2 times" in failure.message
    assert played.told(Final) == []


def test_a_policy_without_a_number_asks_until_no_turn_is_left() -> None:
    policy = replace(PYDANTIC_AI, tool_retries=None, turn_limit=3)
    played = play([streamed("Ten.")] * 3, policy)
    assert isinstance(played.error, TurnLimitExceeded)
    played = play([streamed("Ten."), streamed("Ten."), streamed(GOOD)], policy)
    assert (played.ended.output_retries, played.ended.turns) == (2, 3)


def test_a_tool_turn_between_two_texts_does_not_give_more_chances() -> None:
    look = ToolCall("c1", "look", "{}")
    played = play([streamed("Ten."), streamed("", look), streamed("Ten!")])
    assert isinstance(played.error, ToolRetriesExceeded)


@pytest.mark.parametrize("stop", [FinishReason.MAX_TOKENS, FinishReason.REFUSAL])
def test_a_text_that_is_cut_off_or_refused_is_not_asked_for_again(stop: FinishReason) -> None:
    played = play([streamed('{"price": 1', stop=stop)])
    assert (played.ended.turns, played.ended.output) == (1, None)


def test_an_answer_that_was_demanded_at_the_limit_has_no_output() -> None:
    look = ToolCall("c1", "look", "{}")
    played = play([streamed("", look), streamed(GOOD)], HUGIND.with_limit(1))
    assert (played.ended.outcome, played.ended.output) == ("turn-limit", None)


def test_a_page_in_the_object_is_not_the_code() -> None:
    schema = {"type": "object", "properties": {"page": {"type": "string"}}}
    played = play([streamed('{"page": "<html>x</html>"}')], schema=schema)
    assert (played.ended.code, played.ended.output) == ("", {"page": "<html>x</html>"})


def test_without_a_schema_any_text_is_an_answer() -> None:
    played = play_flow(Engine(StubTools(), PYDANTIC_AI).flow(), [streamed("Ten.")])
    assert (played.ended.text, played.ended.output, played.ended.output_retries) == ("Ten.", None, 0)
    assert len([step for step in played.ended.history if isinstance(step, ResponseStep)]) == 1


@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "object", "properties": 7}])
def test_an_output_schema_that_is_none_for_objects_is_bad_input(schema: Any) -> None:
    with pytest.raises(BadInput, match="the output schema: expected a JSON Schema for objects"):
        Engine(StubTools(), PYDANTIC_AI, (), schema)
