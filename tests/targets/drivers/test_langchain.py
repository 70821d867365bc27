"""The real agent of LangChain on the harness: what its user is told, its limit, and what it is known to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.targets import CaseRun
from harness.targets.drivers.langchain import run
from harness.trace import Assistant, Event, Failure, Final, Thinking, ToolResult, ToolStart
from harness.wire import WireName
from tests.case_tables import from_table
from tests.targets.drivers.driving import found, mutilated, ran, told

for package in ("langchain", "langchain_openai", "langchain_anthropic"):
    pytest.importorskip(package, reason="LangChain's agent is not installed: pip install '.[langchain]'")

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Received unexpected tool content block:UserWarning"),
    # LangChain keeps the connections of its models open, in caches of its own.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

WIRES: tuple[WireName, ...] = ("openai-responses", "openai-chat", "anthropic-messages")


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("scenario", ["parallel-calls", "tool-returns-any-json", "unknown-tool", "answer"])
async def test_a_run_is_told_and_goes_back_as_it_came(scenario: str, wire: WireName) -> None:
    finished = await ran("langchain", scenario, wire)
    assert (finished.result.verdict, found(finished)) == ("pass", set())


@pytest.mark.parametrize("wire", ["openai-responses", "anthropic-messages"])
@pytest.mark.parametrize("scenario", ["thinking-twice-in-a-turn", "tool-returns-not-streamed"])
async def test_thoughts_are_told_and_go_back_too(scenario: str, wire: WireName) -> None:
    finished = await ran("langchain", scenario, wire)
    assert (finished.result.verdict, found(finished)) == ("pass", set())


async def test_the_pieces_of_a_turn_have_one_id_of_each_kind() -> None:
    finished = await ran("langchain", "thinking-in-every-turn", "anthropic-messages")
    assert len({event.id for event in told(finished, Thinking)}) == 3
    assert len({event.id for event in told(finished, Assistant)}) == 1
    assert all(event.text for event in told(finished, Thinking, Assistant))


@pytest.mark.parametrize("wire", WIRES)
async def test_the_turn_limit_is_told_as_such(wire: WireName) -> None:
    finished = await ran("langchain", "turn-limit", wire)
    (end,) = told(finished, Failure, Final)
    assert (end.kind, end.message) == ("turn-limit", "Model call limits exceeded: run limit (2/2)")
    assert finished.result.verdict == "pass"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("scenario", "outcome"), [("answer", "completed"), ("truncated-text", "truncated"), ("content-filter", "refused")]
)
async def test_the_reason_in_the_last_message_is_the_outcome(scenario: str, outcome: str, wire: WireName) -> None:
    finished = await ran("langchain", scenario, wire)
    (end,) = told(finished, Final, Failure)
    assert end.outcome == outcome
    assert end.text == "".join(event.text for event in told(finished, Assistant))


async def test_a_refusal_of_responses_is_told_in_its_words() -> None:
    finished = await ran("langchain", "refusal", "openai-responses")
    assert "".join(event.text for event in told(finished, Assistant)) == "I cannot help with that."
    assert finished.result.verdict == "pass"


@pytest.mark.parametrize("wire", WIRES)
async def test_calls_without_an_id_are_told_apart(wire: WireName) -> None:
    finished = await ran("langchain", "several-calls-without-ids", wire)
    starts = told(finished, ToolStart)
    assert [event.name for event in starts] == ["get_weather", "get_time", "get_weather"]
    assert len({event.id for event in starts}) == 3
    assert (finished.result.verdict, found(finished)) == ("pass", set())


# --- what it is known to do -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES)
async def test_tools_run_on_arguments_that_break_off(wire: WireName) -> None:
    finished = await ran("langchain", "arguments-cut-off", wire)
    assert "execution/arguments" in found(finished)
    (start,) = told(finished, ToolStart)[:1]
    assert start.input == {"to": "landlord", "euros": 950.5}


@from_table(__file__, "test_what_the_library_is_known_to_do_is_found")
async def test_what_the_library_is_known_to_do_is_found(scenario: str, wire: WireName, rule: str) -> None:
    finished = await ran("langchain", scenario, wire)
    assert finished.result.verdict == "fail"
    assert rule in found(finished)


# --- a driver that does not do its work is seen ---------------------------------------------------------------------


async def calls_every_result_a_success(case_run: CaseRun) -> None:
    def emit(event: Event) -> None:
        case_run.emit(replace(event, ok=True) if isinstance(event, ToolResult) else event)

    await run(replace(case_run, emit=emit))


async def starts_nothing(case_run: CaseRun) -> None:
    def emit(event: Event) -> None:
        if not isinstance(event, ToolStart):
            case_run.emit(event)

    await run(replace(case_run, emit=emit))


@pytest.mark.parametrize(
    ("driver", "scenario", "rule"),
    [
        (calls_every_result_a_success, "unknown-tool", "expect/events"),
        (starts_nothing, "tool-returns", "order/tool-started"),
    ],
)
async def test_a_mutilated_driver_is_found(driver: Any, scenario: str, rule: str) -> None:
    finished = await mutilated("langchain", driver, scenario, "anthropic-messages")
    assert finished.result.verdict == "fail"
    assert rule in found(finished)
