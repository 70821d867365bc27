"""What Vercel's AI SDK and Anthropic's runner for TypeScript do with conversations of several runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.runner.execute import Finished
from harness.scenario import shipped
from harness.trace import CallerRecord, Failure, Final
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
APPROVED = "approved-in-a-later-run"
APPROVED_RESUMED = "approved-after-a-restart"
DENIED = "denied-in-a-later-run"
ONE_BY_ONE = "approved-one-after-the-other"
NO_DECISION = "another-question-while-a-call-waits"

FORGOTTEN = {"history/model-text", "history/model-calls", "history/results"}

NOT_ASKED = {"caller/message-sent", "expect/outcome", "expect/turns", "expect/requests"}
"""The library raises before there is a request."""


@pytest.mark.exhaustive
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
        ("vercel-ai", APPROVED, "openai-responses", set()),
        ("vercel-ai", APPROVED_RESUMED, "anthropic-messages", set()),
        ("vercel-ai", DENIED, "openai-chat", set()),
        ("vercel-ai", DENIED, "anthropic-messages", {"history/result-error"}),
        ("vercel-ai", ONE_BY_ONE, "gemini-generate", set()),
        ("vercel-ai", NO_DECISION, "openai-chat", NOT_ASKED),
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


@pytest.mark.parametrize("stream", ["true", "false"])
async def test_the_result_of_an_approved_call_stays_in_the_conversation(tmp_path: Path, stream: str) -> None:
    streams = ("timeline:\n", f"stream: {stream}\ntimeline:\n")
    assert found(await driven(changed(tmp_path, APPROVED, streams, *ASKED_ON), opened("vercel-ai"))) == set()


async def test_a_driver_that_keeps_no_result_of_an_approved_call_is_found(tmp_path: Path) -> None:
    target = broken("vercel-ai", tmp_path, "    prepareStep: (step) => storeDecided(task, step),\n", "")
    assert found(await driven(changed(tmp_path, APPROVED, *ASKED_ON), target)) == NOT_ASKED


async def test_what_was_said_before_a_call_is_approved_comes_behind_its_result(tmp_path: Path) -> None:
    said = ("timeline:\n", "timeline:\n  - {when: {turn: 1, call: 2}, do: {say: Be quick.}}\n")
    scenario = changed(tmp_path, APPROVED, said)
    assert found(await driven(scenario, opened("vercel-ai"))) == set()
    steers = "if (responses.length && resolve.length) unsent.forEach(say);\n      else "
    finished = await driven(scenario, broken("vercel-ai", tmp_path, steers, ""))
    assert "expect/ran" in found(finished)


async def test_calls_wait_until_there_is_a_decision_about_each(tmp_path: Path) -> None:
    assert ends(await driven(ONE_BY_ONE, opened("vercel-ai"))) == ["deferred", "deferred", "completed"]
    target = broken("vercel-ai", tmp_path, " && waiting(task.state).length", " && false")
    assert ends(await driven(ONE_BY_ONE, target)) == ["deferred", "raised", "completed"]


def ends(finished: Finished) -> list[str]:
    """How each run has ended."""
    events = [told.event for _, told in finished.trace.events]
    return [event.outcome if isinstance(event, Final) else event.kind for event in events if isinstance(event, ENDS)]


ENDS = (Final, Failure)

ASKED_ON = (
    ("model:\n", "  - {when: end, do: {say: Thanks.}}\nmodel:\n"),
    ("expect:\n", "  - text: You are welcome.\n\nexpect:\n"),
    ("turns: 2\n  requests: 2\n", "turns: 3\n  requests: 3\n"),
)
"""The user says something more in the end."""


def changed(folder: Path, scenario: str, *changes: tuple[str, str]) -> Path:
    """The shipped scenario in a file of its own, in which some texts are others."""
    text = (shipped() / "universal" / f"{scenario}.yaml").read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = folder / f"{scenario}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


async def test_the_runner_gives_a_call_that_was_cancelled_an_error_result() -> None:
    finished = await driven(IN_A_TOOL, opened("anthropic-runner-ts:unthreaded"))
    results = [block for block in last_request(finished)["messages"][2]["content"] if block["type"] == "tool_result"]
    assert [block.get("is_error", False) for block in results] == [False, True]
    assert results[0]["content"] == '{"celsius":18}'


def last_request(finished: Finished) -> dict[str, list[dict[str, list[dict[str, object]]]]]:
    body: dict[str, list[dict[str, list[dict[str, object]]]]] = json.loads(finished.trace.exchanges[-1].request.body)
    return body


@pytest.mark.sampled(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("target", "old", "new", "scenario", "rule"),
    [
        ("vercel-ai", "await user.steering.steer(words)", "{}", STEERED, "caller/message-sent"),
        ("vercel-ai", "state.unsent.push(message)", "{}", STEERED_IN_VAIN, "caller/message-sent"),
        ("vercel-ai", "state.messages ??= []", "state.messages = []", ASKED_AGAIN, "history/append-only"),
        ("vercel-ai", "    onStepEnd: (step) => store(task, step),\n", "", FAILED, "history/results"),
        ("vercel-ai", "    toolApproval: approvals(task.tools),\n", "", APPROVED, "execution/unapproved"),
        ("vercel-ai", "return 'deferred';", "return 'completed';", APPROVED, "execution/waiting"),
        ("vercel-ai", "word === 'approve'", "true", DENIED, "caller/approved"),
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


@pytest.mark.exhaustive
async def test_a_driver_whose_run_cannot_be_cancelled_is_found(tmp_path: Path) -> None:
    target = broken("vercel-ai", tmp_path, "    abortSignal: task.signal,\n", "")
    finished = await driven(IN_A_TOOL, target, "openai-chat")
    acts = [record for record in finished.trace.records if isinstance(record, CallerRecord)]
    assert acts[0].did == "cancel"
    assert finished.result.verdict != "pass"
