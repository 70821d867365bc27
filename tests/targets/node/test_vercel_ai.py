"""Vercel's AI SDK itself: what it tells its user on every wire, and what it is known to do wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.trace import Failure, ToolResult, ToolStart
from tests.targets.node.driving import broken, driven, found, opened

pytestmark = pytest.mark.anyio

WIRES = ("openai-responses", "openai-chat", "anthropic-messages", "gemini-generate")


@pytest.mark.parametrize("wire", WIRES)
async def test_tools_are_run_and_told(wire: str) -> None:
    finished = await driven("parallel-calls", opened("vercel-ai"), wire)
    assert found(finished) == set()
    events = [told.event for _, told in finished.trace.events]
    assert [sum(isinstance(event, kind) for event in events) for kind in (ToolStart, ToolResult)] == [4, 4]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("scenario", ["tool-returns-not-streamed", "unknown-tool"])
async def test_whole_answers_and_calls_that_it_answers_itself_are_told_too(scenario: str, wire: str) -> None:
    assert found(await driven(scenario, opened("vercel-ai"), wire)) == set()


async def test_other_makers_models_on_chat_get_their_thoughts_back() -> None:
    finished = await driven("thinking-in-every-turn", opened("vercel-ai"), "openai-chat")
    assert found(finished) == set()
    assert b'"reasoning_content"' in finished.trace.exchanges[1].request.body


async def test_that_a_stream_was_interrupted_is_all_that_it_says_of_a_missing_end() -> None:
    finished = await driven("stream-without-its-end", opened("vercel-ai"), "openai-chat")
    assert found(finished) == set()
    assert finished.trace.events[-1][1].event == Failure("stream", "finishReason: interrupted")


@pytest.mark.parametrize(
    ("scenario", "wire", "rules"),
    [
        ("truncated-call", "openai-chat", {"expect/outcome", "expect/requests"}),
        ("refusal-with-a-call", "openai-responses", {"final/stopped-call"}),
        ("answer-in-half-characters", "gemini-generate", {"preview/half-character"}),
    ],
)
async def test_what_it_is_known_to_do_is_found(scenario: str, wire: str, rules: set[str]) -> None:
    assert rules <= found(await driven(scenario, opened("vercel-ai"), wire))


@pytest.mark.parametrize(
    ("old", "new", "scenario", "rule"),
    [
        ("tellText(task, 'thinking', turn, part.text);\n    if (part.type === 'tool-call')", "if (false)",
         "thinking-before-text", "stream/thinking"),
        ("['error', 'interrupted']", "[]", "stream-without-its-end", "final/failed-turn"),
        ("tellResult(task, toolCall, output, true)", "null", "tool-returns", "order/tool-result-reported"),
        ("stepCountIs(task.turn_limit ?? STEPS)", "stepCountIs(1)", "tool-returns", "expect/turns"),
    ],
)  # fmt: skip
async def test_a_mutilated_driver_is_found(old: str, new: str, scenario: str, rule: str, tmp_path: Path) -> None:
    assert rule in found(await driven(scenario, broken("vercel-ai", tmp_path, old, new)))
