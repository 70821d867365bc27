"""What Vercel's AI SDK and Anthropic's runner for TypeScript do with conversations of several runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.runner.execute import Finished
from harness.trace import CallerRecord
from tests.targets.node.driving import broken, driven, found, opened

pytestmark = pytest.mark.anyio

ASKED_AGAIN = "another-question-after-the-answer"
RESUMED = "resumed-from-what-was-stored"
IN_A_TEXT = "cancelled-while-text-arrives"
IN_A_TOOL = "cancelled-while-a-tool-runs"
STEERED = "said-while-a-tool-runs"
STEERED_LATE = "said-while-the-answer-arrives"
STEERED_IN_VAIN = "said-and-then-cancelled"
FAILED = "another-question-after-an-error-behind-results"
HALF_A_CALL = "another-question-after-a-broken-stream"
IN_A_CONTAINER = "resumed-in-a-container"

FORGOTTEN = {"history/model-text", "history/model-calls", "history/results"}


@pytest.mark.parametrize(
    ("target", "scenario", "wire", "expected"),
    [
        ("vercel-ai", ASKED_AGAIN, "openai-responses", set()),
        ("vercel-ai", RESUMED, "anthropic-messages", set()),
        ("vercel-ai", IN_A_TEXT, "openai-chat", {"caller/shown"}),
        ("vercel-ai", STEERED, "gemini-generate", set()),
        ("vercel-ai", STEERED_LATE, "openai-chat", set()),
        ("vercel-ai", STEERED_IN_VAIN, "openai-chat", FORGOTTEN - {"history/model-text"}),
        ("vercel-ai", FAILED, "anthropic-messages", set()),
        ("vercel-ai", HALF_A_CALL, "openai-chat", set()),
        ("vercel-ai", IN_A_TOOL, "openai-chat", FORGOTTEN),
        ("vercel-ai", "switched-from-gemini-generate-to-openai-chat", "gemini-generate", set()),
        ("anthropic-runner-ts", ASKED_AGAIN, "anthropic-messages", set()),
        ("anthropic-runner-ts", IN_A_TEXT, "anthropic-messages", set()),
        ("anthropic-runner-ts", IN_A_TOOL, "anthropic-messages", set()),
        ("anthropic-runner-ts", STEERED, "anthropic-messages", set()),
        ("anthropic-runner-ts", STEERED_LATE, "anthropic-messages", set()),
        ("anthropic-runner-ts", IN_A_CONTAINER, "anthropic-messages", set()),
        ("anthropic-runner-ts:unthreaded", IN_A_CONTAINER, "anthropic-messages", set()),
        ("anthropic-runner-ts:unthreaded", IN_A_TOOL, "anthropic-messages", set()),
    ],
)
async def test_what_a_library_does_with_a_conversation(
    target: str, scenario: str, wire: str, expected: set[str]
) -> None:
    finished = await driven(scenario, opened(target), wire)
    assert finished.result.error is None
    assert found(finished) == expected


async def test_the_runner_gives_a_call_that_was_cancelled_an_error_result() -> None:
    finished = await driven(IN_A_TOOL, opened("anthropic-runner-ts:unthreaded"))
    results = [block for block in last_request(finished)["messages"][2]["content"] if block["type"] == "tool_result"]
    assert [block.get("is_error", False) for block in results] == [False, True]
    assert results[0]["content"] == '{"celsius":18}'


def last_request(finished: Finished) -> dict[str, list[dict[str, list[dict[str, object]]]]]:
    body: dict[str, list[dict[str, list[dict[str, object]]]]] = json.loads(finished.trace.exchanges[-1].request.body)
    return body


@pytest.mark.parametrize(
    ("target", "old", "new", "scenario", "rule"),
    [
        ("vercel-ai", "await user.steering.steer(text)", "{}", STEERED, "caller/message-sent"),
        ("vercel-ai", "state.unsent.push(message)", "{}", STEERED_IN_VAIN, "caller/message-sent"),
        ("vercel-ai", "state.messages ??= []", "state.messages = []", ASKED_AGAIN, "history/append-only"),
        ("vercel-ai", "    onStepEnd: (step) => store(task, step),\n", "", FAILED, "history/results"),
        ("anthropic-runner-ts", "...(task.state.messages ?? []), ", "", ASKED_AGAIN, "history/append-only"),
        ("anthropic-runner-ts", " && waits()", " && false", STEERED_LATE, "caller/message-sent"),
        ("anthropic-runner-ts", "{ messages, container });", "{ messages });", IN_A_CONTAINER, "expect/sent"),
    ],
)
async def test_a_driver_that_does_not_do_its_work_is_found(
    tmp_path: Path, target: str, old: str, new: str, scenario: str, rule: str
) -> None:
    finished = await driven(scenario, broken(target, tmp_path, old, new))
    assert rule in found(finished)


async def test_a_driver_whose_run_cannot_be_cancelled_is_found(tmp_path: Path) -> None:
    target = broken("vercel-ai", tmp_path, "    abortSignal: task.signal,\n", "")
    finished = await driven(IN_A_TOOL, target, "openai-chat")
    acts = [record for record in finished.trace.records if isinstance(record, CallerRecord)]
    assert acts[0].did == "cancel"
    assert finished.result.verdict != "pass"
