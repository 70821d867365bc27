"""What Vercel's AI SDK and Anthropic's runner for TypeScript do with conversations of several runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.runner.execute import Finished
from harness.scenario import shipped
from harness.trace import CallerRecord, Failure, Final
from tests.case_tables import from_table
from tests.targets.node.driving import broken, driven, found, opened

pytestmark = pytest.mark.anyio

IN_A_TOOL = "cancelled-while-a-tool-runs"
APPROVED = "approved-in-a-later-run"
ONE_BY_ONE = "approved-one-after-the-other"


NOT_ASKED = {"caller/message-sent", "expect/outcome", "expect/turns", "expect/requests"}
"""The library raises before there is a request."""


@pytest.mark.exhaustive
@from_table(__file__, "test_what_a_library_does_with_a_conversation")
async def test_what_a_library_does_with_a_conversation(
    target: str, scenario: str, wire: str, expected: list[str]
) -> None:
    finished = await driven(scenario, opened(target), wire)
    assert finished.result.error is None
    assert found(finished) == set(expected)


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
@from_table(__file__, "test_a_driver_that_does_not_do_its_work_is_found")
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
