"""The real tool runner of Anthropic's SDK on the harness: its threads, its limits, and what it is known to do wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from harness.rules import TraceView, judge, select
from harness.runner.execute import Finished
from harness.targets import CaseRun
from harness.targets.drivers.anthropic_runner import run
from harness.targets.function import FunctionTarget
from harness.targets.shipped import SHIPPED
from harness.trace import Event, Final, dumps, loads
from tests.targets.drivers.driving import driven, found

pytestmark = pytest.mark.anyio

EQUIVALENTS = ("anthropic-runner", "anthropic-runner:unthreaded", "anthropic-runner:declined")


async def ran(scenario: str, variant: str = "anthropic-runner") -> Finished:
    return await driven(scenario, SHIPPED[variant].open(), "anthropic-messages")


def bodies(finished: Finished) -> list[Mapping[str, Any]]:
    return [json.loads(exchange.request.body) for exchange in finished.trace.exchanges]


# --- threads ----------------------------------------------------------------------------------------------------


async def test_a_thread_is_created_and_continued_with_the_new_messages_only() -> None:
    finished = await ran("untouched-run")
    assert (finished.result.verdict, found(finished)) == ("pass", set())
    first, *later = bodies(finished)
    assert first["thread"] == {"type": "create"}
    assert [body["thread"]["type"] for body in later] == ["continue", "continue"]
    assert [len(body["messages"]) for body in (first, *later)] == [1, 1, 1]


async def test_without_a_thread_the_whole_history_is_sent() -> None:
    finished = await ran("untouched-run", "anthropic-runner:unthreaded")
    assert (finished.result.verdict, found(finished)) == ("pass", set())
    assert [(len(body["messages"]), "thread" in body) for body in bodies(finished)] == [
        (1, False),
        (3, False),
        (5, False),
    ]


async def test_a_declined_thread_is_sent_again_as_a_whole_and_counts_for_nothing() -> None:
    finished = await ran("untouched-run", "anthropic-runner:declined")
    assert (finished.result.verdict, found(finished)) == ("pass", set())
    assert ["thread" in body for body in bodies(finished)] == [True, False, False, False]
    assert [exchange.response and exchange.response.status for exchange in finished.trace.exchanges] == [
        400,
        200,
        200,
        200,
    ]
    assert len(finished.trace.served) == 3


async def test_a_trace_in_a_file_says_what_was_declined() -> None:
    finished = await ran("tool-returns", "anthropic-runner:declined")
    trace = loads(dumps(finished.trace))
    assert trace.case.declines == ("thread",)
    assert judge(TraceView(trace), select()) == []


@pytest.mark.parametrize("variant", EQUIVALENTS)
async def test_thinking_and_calls_go_back_as_they_came(variant: str) -> None:
    finished = await ran("thinking-twice-in-a-turn", variant)
    assert (finished.result.verdict, found(finished)) == ("pass", set())


async def test_whole_responses_are_told_too() -> None:
    finished = await ran("tool-returns-not-streamed")
    assert (finished.result.verdict, found(finished)) == ("pass", set())


# --- what its user does between turns -------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", ["response-edited", "error-softened", "turn-under-another-question"])
@pytest.mark.parametrize("variant", EQUIVALENTS)
async def test_the_caller_takes_a_hand(scenario: str, variant: str) -> None:
    finished = await ran(scenario, variant)
    assert (finished.result.verdict, found(finished)) == ("pass", set())


@pytest.mark.parametrize(
    ("scenario", "rules"),
    [
        ("arguments-cut-off", {"execution/arguments"}),
        ("note-alone", {"execution/unnecessary"}),
        ("turn-pushed-alone", {"ANT-01", "history/results"}),
        ("turn-and-response-pushed", {"order/tool-start-once", "order/tool-result-once"}),
        ("limit-of-one", {"execution/unnecessary"}),
        ("stream-without-its-end", {"final/failed-turn"}),
        ("note-behind-the-answer", {"expect/turns", "expect/sent"}),
        ("answer-in-half-characters", {"preview/half-character"}),
    ],
)
async def test_what_the_runner_is_known_to_do_is_found(scenario: str, rules: set[str]) -> None:
    finished = await ran(scenario)
    assert finished.result.verdict == "fail"
    assert rules <= found(finished)


# --- how it ends --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scenario", ["refusal", "truncated-text", "paused-turn", "answer-in-the-last-turn", "no-turn-at-all"]
)
async def test_the_last_message_says_how_the_run_ended(scenario: str) -> None:
    finished = await ran(scenario)
    assert (finished.result.verdict, found(finished)) == ("pass", set())


# --- a driver that does not do its work is seen ---------------------------------------------------------------------


async def forgets_the_caller(case_run: CaseRun) -> None:
    await run(replace(case_run, caller={}))


async def hides_how_it_ended(case_run: CaseRun) -> None:
    def emit(event: Event) -> None:
        case_run.emit(Final("", text=event.text) if isinstance(event, Final) else event)

    await run(replace(case_run, emit=emit))


@pytest.mark.parametrize(
    ("driver", "scenario", "rule"),
    [
        (forgets_the_caller, "response-edited", "expect/sent"),
        (hides_how_it_ended, "truncated-text", "final/outcome"),
    ],
)
async def test_a_mutilated_driver_is_found(driver: Any, scenario: str, rule: str) -> None:
    sound = SHIPPED["anthropic-runner"]
    target = FunctionTarget("mutilated", f"{__name__}:{driver.__name__}", sound.declaration)
    finished = await driven(scenario, target, "anthropic-messages")
    assert finished.result.verdict == "fail"
    assert rule in found(finished)
