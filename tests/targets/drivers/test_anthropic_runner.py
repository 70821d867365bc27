"""The real tool runner of Anthropic's SDK on the harness: its threads, its limits, and what it is known to do wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from harness.rules import TraceView, judge, select
from harness.runner.execute import Finished
from harness.targets.shipped import SHIPPED
from harness.trace import dumps, loads
from tests.targets.drivers.driving import driven, found

pytestmark = pytest.mark.anyio


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
