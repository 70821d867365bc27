"""Strands Agents itself, where it is installed: on boto3, with a Claude on Bedrock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.runner.execute import Finished
from harness.scenario import Resolve, load, shipped
from harness.targets import CaseRun
from harness.trace import Event, Final, Thinking, ToolResult, ToolStart
from tests.case_tables import from_table
from tests.sdks import needs
from tests.targets.drivers.driving import found, mutilated, ran, request, told
from tests.targets.drivers.on_bedrock import HALF_A_CALL, THROTTLED_IN_THE_STREAM, written

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


@pytest.mark.parametrize(
    ("scenario", "outcome"),
    [
        ("truncated-call", "truncated"),
        ("truncated-after-a-whole-call", "truncated"),
        ("content-filter-with-a-call", "refused"),
    ],
)
async def test_calls_of_an_answer_that_has_not_ended_well_are_neither_run_nor_announced(
    scenario: str, outcome: str
) -> None:
    finished = await played(scenario)
    assert found(finished) == set()
    assert [event.outcome for event in told(finished, Final)] == [outcome]
    assert told(finished, ToolStart) == []


# --- conversations ---------------------------------------------------------------------------------------------------


@from_table(__file__, "test_a_conversation_goes_on")
async def test_a_conversation_goes_on(scenario: str) -> None:
    finished = await played(scenario)
    assert finished.result.error is None
    assert found(finished) == set()


async def test_a_tool_that_runs_is_not_cancelled_with_its_run() -> None:
    finished = await played("cancelled-while-a-tool-runs")
    assert found(finished) == {"caller/cancelled", "caller/cancelled-result", "expect/not_ran"}


# --- what is wrong with it -------------------------------------------------------------------------------------------


@from_table(__file__, "test_what_it_is_known_to_do_is_found")
async def test_what_it_is_known_to_do_is_found(scenario: str, rule: str) -> None:
    assert rule in found(await played(scenario))


async def test_an_answer_that_is_throttled_in_its_middle_is_asked_for_again(tmp_path: Path) -> None:
    """After four seconds, which the library waits."""
    finished = await played(written(tmp_path, THROTTLED_IN_THE_STREAM))
    assert len(finished.trace.exchanges) == 2
    assert request(finished, 0) == request(finished, 1)
    assert [event.outcome for event in told(finished, Final)] == ["completed"]


async def test_half_a_call_in_a_stream_that_has_ended_is_an_answer(tmp_path: Path) -> None:
    finished = await played(written(tmp_path, HALF_A_CALL))
    assert "final/failed-turn" in found(finished)
    assert [event.outcome for event in told(finished, Final)] == ["completed"]
    assert told(finished, ToolStart) == []


# --- a driver that does not do its work is seen ----------------------------------------------------------------------


def altered(**alterations: Any) -> Any:
    """The driver with the case altered so."""

    async def driver(case_run: CaseRun) -> None:
        from harness.targets.drivers.strands import run

        await run(replace(case_run, **{name: of(case_run) for name, of in alterations.items()}))

    return driver


def without(case_run: CaseRun, kind: type[Event]) -> Any:
    return lambda event: None if isinstance(event, kind) else case_run.emit(event)


async def starts_nothing(case_run: CaseRun) -> None:
    await altered(emit=lambda run: without(run, ToolStart))(case_run)


async def returns_nothing(case_run: CaseRun) -> None:
    await altered(emit=lambda run: without(run, ToolResult))(case_run)


async def asks_nobody(case_run: CaseRun) -> None:
    await altered(tools=lambda run: [replace(tool, kind="function") for tool in run.tools])(case_run)


async def forgets_what_was_stored(case_run: CaseRun) -> None:
    case_run.state.pop("conversation", None)
    await altered()(case_run)


async def approves_what_was_denied(case_run: CaseRun) -> None:
    approved: Any = [{name: Resolve("approve", None) for name in words} for words in case_run.resolve]
    await altered(resolve=lambda _run: approved)(case_run)


@pytest.mark.parametrize(
    ("driver", "scenario", "rule"),
    [
        (starts_nothing, "tool-returns", "order/tool-started"),
        (returns_nothing, "tool-returns", "order/tool-result-reported"),
        (asks_nobody, "approved-in-a-later-run", "execution/unapproved"),
        (forgets_what_was_stored, "resumed-from-what-was-stored", "history/append-only"),
        (approves_what_was_denied, "denied-in-a-later-run", "caller/approved"),
    ],
)
async def test_a_mutilated_driver_is_found(driver: Any, scenario: str, rule: str) -> None:
    assert rule in found(await mutilated("strands", driver, scenario, BEDROCK))
