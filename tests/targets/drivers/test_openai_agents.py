"""The real Agents SDK on the harness: what its user is told, its limit, and what it is known to do."""

from __future__ import annotations

import pytest

from harness.trace import Assistant, Failure, Final, Thinking, ToolResult, ToolStart
from harness.wire import WireName
from tests.sdks import needs
from tests.targets.drivers.driving import found, ran, request, told

pytestmark = [pytest.mark.anyio, needs("agents", "openai-agents is not installed")]

WIRES: tuple[WireName, ...] = ("openai-responses", "openai-chat")
KNOWN = {"history/result-value"}
"""What is found of every function that returns an object: the SDK sends what str() makes of it."""


async def test_the_pieces_of_a_turn_have_one_id_of_each_kind() -> None:
    finished = await ran("openai-agents", "thinking-in-every-turn", "openai-responses")
    assert {event.id for event in told(finished, Thinking)} == {"thinking-1", "thinking-2", "thinking-3"}
    assert {event.id for event in told(finished, Assistant)} == {"text-3"}


@pytest.mark.parametrize("wire", WIRES)
async def test_a_tool_that_raises_is_answered_by_the_library(wire: WireName) -> None:
    finished = await ran("openai-agents", "tool-raises", wire)
    (result,) = told(finished, ToolResult)
    assert (result.output, result.ok) == ("An error occurred while running the tool. Please try again.", False)
    assert finished.result.verdict == "pass"


async def test_arguments_that_break_off_are_refused_by_the_library() -> None:
    finished = await ran("openai-agents", "arguments-cut-off", "openai-chat")
    first, second = told(finished, ToolStart)
    assert first.input == '{"to": "landlord", "euros": 950.5, "month'
    assert second.input == {"to": "landlord", "euros": 950.5, "monthly": True}
    assert [event.ok for event in told(finished, ToolResult)] == [False, True]
    assert finished.result.verdict == "pass"


async def test_the_model_is_told_the_declared_schema_in_the_library_s_strict_form() -> None:
    finished = await ran("openai-agents", "arguments-cut-off", "openai-responses")
    (tool,) = request(finished, 0)["tools"]
    parameters = tool["parameters"]
    assert (tool["strict"], tool["description"]) == (True, "Transfer money.")
    assert parameters["properties"]["to"] == {"type": "string", "description": "Who gets it.", "title": "To"}
    assert parameters["required"] == ["to", "euros", "monthly"]
    assert parameters["properties"]["monthly"]["anyOf"][1] == {"type": "null"}


@pytest.mark.parametrize("wire", WIRES)
async def test_the_turn_limit_is_told_as_such(wire: WireName) -> None:
    finished = await ran("openai-agents", "turn-limit", wire)
    assert told(finished, Failure, Final) == [Failure("turn-limit", "Max turns (2) exceeded")]
    assert found(finished) == KNOWN


@pytest.mark.parametrize("wire", WIRES)
async def test_a_refusal_is_the_outcome_that_the_library_s_exception_names(wire: WireName) -> None:
    finished = await ran("openai-agents", "refusal", wire)
    assert told(finished, Failure, Final) == [Final("", "refused", "I cannot help with that.")]
