"""The real pydantic-ai on the harness: what its user is told, calls that wait, its limits, and what it does wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.runner.execute import Finished
from harness.scenario import load, shipped
from harness.targets.shipped import SHIPPED
from harness.trace import Assistant, Failure, Final, Thinking, ToolResult, ToolStart, TurnStart
from harness.wire import NATIVE_WIRES, WireName
from tests.case_tables import from_table
from tests.sdks import needs
from tests.targets.drivers.driving import DATA, driven, found, told

pytestmark = [pytest.mark.anyio, needs("pydantic_ai", "pydantic-ai is not installed")]

SOUND = SHIPPED["pydantic-ai"]


async def ran(scenario: str | Path, wire: WireName = "anthropic-messages") -> Finished:
    return await driven(scenario, SOUND.open(), wire)


# --- what its user is told ------------------------------------------------------------------------------------------


async def test_the_pieces_of_a_turn_have_one_id_of_each_kind() -> None:
    finished = await ran("thinking-in-every-turn")
    assert [event.turn for event in told(finished, TurnStart)] == [1, 2, 3]
    assert {event.id for event in told(finished, Thinking)} == {"thinking-1", "thinking-2", "thinking-3"}
    assert {event.id for event in told(finished, Assistant)} == {"text-3"}


async def test_arguments_that_the_schema_forbids_come_back_as_a_result_that_is_not_ok() -> None:
    finished = await ran("arguments-break-the-schema")
    refused, accepted = told(finished, ToolResult)
    assert (refused.ok, accepted.ok) == (False, True)
    assert "day: 'sunday' is not one of ['friday', 'saturday']" in refused.output[0]["msg"]
    assert finished.result.verdict == "pass"


@pytest.mark.parametrize("scenario", ["waiting-calls-keep-their-place", "output-tool-ends-the-run", "schema-refused"])
async def test_the_model_is_told_the_schemas_that_the_scenario_declares(scenario: str) -> None:
    finished = await ran(scenario)
    (path,) = shipped().glob(f"*/{scenario}.yaml")
    (declaring,) = load([path])
    sent = json.loads(finished.trace.exchanges[0].request.body)["tools"]
    declared = {tool.declaration.name: dict(tool.declaration.parameters) for tool in declaring.tools}
    assert {tool["name"]: tool["input_schema"] for tool in sent} == declared


async def test_a_call_whose_id_an_earlier_one_had_is_told_as_another_call() -> None:
    finished = await ran("id-that-may-come-back", "openai-chat")
    assert [event.input for event in told(finished, ToolStart)] == [{"city": "Oslo"}, {"city": "Bergen"}]
    assert found(finished) == {"order/tool-ids-fresh"}


@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_a_refusal_ends_the_run_as_refused(wire: WireName) -> None:
    """On OpenAI's APIs it leaves no text, and the library raises ContentFilterError."""
    finished = await ran("refusal", wire)
    (end,) = told(finished, Final, Failure)
    assert end.outcome == "refused"
    assert finished.result.verdict == "pass"


@pytest.mark.parametrize("wire", ["openai-responses", "openai-chat", "anthropic-messages"])
async def test_a_call_that_breaks_off_again_ends_the_run_as_truncated(wire: WireName) -> None:
    """The library raises IncompleteToolCall. On Gemini a call is whole or not there."""
    finished = await ran(DATA / "pydantic_ai_truncated_twice.yaml", wire)
    (end,) = told(finished, Final, Failure)
    assert end == Final("", "truncated")
    assert "expect/outcome" not in found(finished)


async def test_an_error_in_a_stream_is_none_of_http() -> None:
    (end,) = told(await ran("error-in-the-stream"), Final, Failure)
    assert end.kind == "stream"
    assert "status_code: 529" in end.message


# --- output tools, and calls that wait ------------------------------------------------------------------------------


async def test_an_output_tool_ends_the_run_and_what_is_passed_over_has_not_run() -> None:
    finished = await ran("output-beside-waiting-calls")
    assert [(event.name, event.ok) for event in told(finished, ToolResult)] == [
        ("final_report", True),
        ("ask_user", False),
        ("delete_file", False),
    ]
    assert told(finished)[-1] == Final("", "completed")
    assert finished.result.verdict == "pass"


async def test_a_call_that_waits_is_started_once_and_denied_in_the_words_of_the_scenario() -> None:
    finished = await ran("unapproved-call-denied")
    assert [event.outcome for event in told(finished, Final)] == ["deferred", "deferred", "completed"]
    assert len(told(finished, ToolStart)) == 2
    assert [(event.output, event.ok) for event in told(finished, ToolResult)] == [
        ("Not that one.", False),
        ("That would be an error.", False),
    ]


async def test_a_run_that_nobody_resolves_as_a_whole_is_left_waiting() -> None:
    finished = await ran("resolved-in-part")
    assert told(finished)[-1] == Final("", "deferred")
    assert told(finished, ToolResult) == []
    assert found(finished) == {"expect/events"}


# --- limits ---------------------------------------------------------------------------------------------------------


@from_table(__file__, "test_limits_are_told_as_what_they_are")
async def test_limits_are_told_as_what_they_are(scenario: str, kind: str) -> None:
    (end,) = told(await ran(scenario), Failure)
    assert end.kind == kind


# --- what it is known to do -----------------------------------------------------------------------------------------


async def test_a_loop_that_drops_the_tools_of_the_provider_is_not_asked_to_keep_them() -> None:
    finished = await ran("paused-turn")
    assert finished.result.verdict == "skip"
    assert "`server-tools`" in finished.result.reason
