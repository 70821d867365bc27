"""Vercel's AI SDK itself: what it tells its user on every wire, and what it is known to do wrong."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from harness.runner.execute import Finished
from harness.trace import Failure, ToolResult, ToolStart
from tests.case_tables import from_table
from tests.targets.node.driving import Case, broken, driven, driven_by_one_process, found, opened

pytestmark = pytest.mark.anyio

WIRES = ("openai-responses", "openai-chat", "anthropic-messages", "gemini-generate")

KNOWN = {
    ("refusal-with-a-call", "openai-responses"): {"final/stopped-call"},
    ("answer-in-half-characters", "gemini-generate"): {"preview/half-character"},
}


@pytest.fixture(scope="module")
def played() -> Mapping[Case, Finished]:
    alike = product(("parallel-calls", "tool-returns-not-streamed", "unknown-tool"), WIRES)
    on_chat = product(("thinking-in-every-turn", "stream-without-its-end"), ("openai-chat",))
    return driven_by_one_process((*alike, *on_chat, *KNOWN), opened("vercel-ai"))


@pytest.mark.parametrize("wire", WIRES)
def test_tools_are_run_and_told(wire: str, played: Mapping[Case, Finished]) -> None:
    finished = played["parallel-calls", wire]
    assert found(finished) == set()
    events = [told.event for _, told in finished.trace.events]
    assert [sum(isinstance(event, kind) for event in events) for kind in (ToolStart, ToolResult)] == [4, 4]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("scenario", ["tool-returns-not-streamed", "unknown-tool"])
def test_whole_answers_and_calls_that_it_answers_itself_are_told_too(
    scenario: str, wire: str, played: Mapping[Case, Finished]
) -> None:
    assert found(played[scenario, wire]) == set()


def test_other_makers_models_on_chat_get_their_thoughts_back(played: Mapping[Case, Finished]) -> None:
    finished = played["thinking-in-every-turn", "openai-chat"]
    assert found(finished) == set()
    assert b'"reasoning_content"' in finished.trace.exchanges[1].request.body


def test_that_a_stream_was_interrupted_is_all_that_it_says_of_a_missing_end(played: Mapping[Case, Finished]) -> None:
    finished = played["stream-without-its-end", "openai-chat"]
    assert found(finished) == set()
    assert finished.trace.events[-1][1].event == Failure("stream", "finishReason: interrupted")


@pytest.mark.parametrize(("scenario", "wire"), KNOWN)
def test_what_it_is_known_to_do_is_found(scenario: str, wire: str, played: Mapping[Case, Finished]) -> None:
    assert KNOWN[scenario, wire] <= found(played[scenario, wire])


@pytest.mark.sampled(2)
@from_table(__file__, "test_a_mutilated_driver_is_found")
async def test_a_mutilated_driver_is_found(old: str, new: str, scenario: str, rule: str, tmp_path: Path) -> None:
    assert rule in found(await driven(scenario, broken("vercel-ai", tmp_path, old, new)))
