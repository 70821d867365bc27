"""Strands Agents itself, where it is installed: on boto3, with a Claude on Bedrock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.runner.execute import Finished
from harness.scenario import load, shipped
from harness.trace import Final, Thinking, ToolResult, ToolStart
from tests.case_tables import from_table
from tests.sdks import needs
from tests.targets.drivers.driving import DATA, found, ran, request, told

pytestmark = [
    pytest.mark.anyio,
    needs("strands", "strands-agents is not installed"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # botocore leaves the socket of a stream that breaks off
]

BEDROCK: Any = "bedrock-converse"


async def played(scenario: str | Path) -> Finished:
    return await ran("strands", scenario, BEDROCK)


async def test_tools_are_run_and_reported() -> None:
    finished = await played("parallel-calls")
    assert found(finished) == set()
    assert [len(told(finished, kind)) for kind in (ToolStart, ToolResult)] == [4, 4]


@pytest.mark.parametrize("scenario", ["thinking-twice-in-a-turn", "thinking-redacted", "tool-returns-not-streamed"])
async def test_what_the_model_has_said_goes_back_as_it_came(scenario: str) -> None:
    finished = await played(scenario)
    assert found(finished) == set()
    assert (told(finished, Thinking) == []) is (scenario == "thinking-redacted")


async def test_the_model_is_offered_the_schema_that_the_scenario_declares() -> None:
    finished = await played("server-error-after-a-signed-turn")
    (path,) = shipped().glob("*/server-error-after-a-signed-turn.yaml")
    (declaring,) = load([path])
    offered = [each["toolSpec"] for each in request(finished, 0)["toolConfig"]["tools"]]
    declared = {tool.declaration.name: dict(tool.declaration.parameters) for tool in declaring.tools}
    assert {each["name"]: each["inputSchema"]["json"] for each in offered} == declared


async def test_a_tool_that_raises_gives_an_error_result() -> None:
    finished = await played("tool-raises")
    assert found(finished) == set()
    (result,) = request(finished, 1)["messages"][-1]["content"]
    assert result["toolResult"]["status"] == "error"


@from_table(__file__, "test_calls_of_an_answer_that_has_not_ended_well_are_neither_run_nor_announced")
async def test_calls_of_an_answer_that_has_not_ended_well_are_neither_run_nor_announced(
    scenario: str, outcome: str
) -> None:
    finished = await played(scenario)
    assert found(finished) == set()
    assert [event.outcome for event in told(finished, Final)] == [outcome]
    assert told(finished, ToolStart) == []


# --- conversations ---------------------------------------------------------------------------------------------------


async def test_a_tool_that_runs_is_not_cancelled_with_its_run() -> None:
    finished = await played("cancelled-while-a-tool-runs")
    assert found(finished) == {"caller/cancelled", "caller/cancelled-result", "expect/not_ran"}


# --- what is wrong with it -------------------------------------------------------------------------------------------


async def test_an_answer_that_is_throttled_in_its_middle_is_asked_for_again() -> None:
    """After four seconds, which the library waits."""
    finished = await played(DATA / "throttled_in_the_stream.yaml")
    assert len(finished.trace.exchanges) == 2
    assert request(finished, 0) == request(finished, 1)
    assert [event.outcome for event in told(finished, Final)] == ["completed"]


async def test_half_a_call_in_a_stream_that_has_ended_is_an_answer() -> None:
    finished = await played(DATA / "half_a_call.yaml")
    assert "final/failed-turn" in found(finished)
    assert [event.outcome for event in told(finished, Final)] == ["completed"]
    assert told(finished, ToolStart) == []
