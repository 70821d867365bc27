"""A loop that asks for no thinking: nothing is played that it did not ask for, and it is not judged by that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.rules import TraceView
from harness.runner.execute import Finished
from harness.targets.reference import ReferenceTarget
from harness.wire import OWN_NATIVE_WIRES, ThinkingPart, WireName
from harness_lab.mutants.edits import EditedPosts, drop_thinking
from harness_lab.selftest.stage import run, scenarios

pytestmark = pytest.mark.anyio

_ASKING = ("thinking", "thinkingConfig", "thinking_summaries", "reasoning")
UNTHINKING = ("anthropic-messages", "bedrock-converse")
"""Wires on which the scripted model does not think unasked."""

THINKING = [
    name
    for name, each in scenarios().items()
    if each.thinks and each.profile == "universal" and not each.plays and not each.acts
]


def unasked(body: Any) -> Any:
    """A request without what asks for thinking."""
    settings = ("generationConfig", "generation_config", "additionalModelRequestFields")
    inner = {name: unasked(body[name]) for name in settings if name in body}
    return {name: value for name, value in {**body, **inner}.items() if name not in _ASKING}


async def played(name: str, on: WireName, edit: Callable[[Any], Any]) -> Finished:
    endpoints = Endpoints()
    target = ReferenceTarget(EditedPosts(endpoints, edit), name="stub")
    return (await run([(name, on)], target, endpoints))[name, on]


def thoughts(finished: Finished) -> list[ThinkingPart]:
    """What the model has sent of its thinking."""
    parts = [part for ask in TraceView(finished.trace).asks for part in ask.turn.parts]
    return [part for part in parts if isinstance(part, ThinkingPart)]


def on_wires(*names: str) -> list[tuple[str, WireName]]:
    return [(name, on) for name in names for on in OWN_NATIVE_WIRES if on in scenarios()[name].wires]


@pytest.mark.parametrize(("name", "on"), on_wires(*THINKING))
async def test_a_loop_that_asks_for_no_thinking_is_right(name: str, on: WireName) -> None:
    asking, finished = await played(name, on, dict), await played(name, on, unasked)
    assert {each.rule for each in finished.result.findings} <= {each.rule for each in asking.result.findings}
    assert finished.result.verdict in (asking.result.verdict, "skip")
    if on != "openai-chat" and not any(run.wire or run.model for run in scenarios()[name].runs):
        sent = thoughts(finished)
        assert not any(part.text for part in sent)
        assert on not in UNTHINKING or not sent
        assert on not in UNTHINKING or "asks for no thinking" in f"{finished.result.reason} {finished.result.notes}"


@pytest.mark.parametrize("name", ["thinking-in-every-turn", "thinking-omitted"])
@pytest.mark.parametrize("on", UNTHINKING)
async def test_what_is_asked_for_must_go_back_and_what_is_not_sent_need_not(name: str, on: WireName) -> None:
    assert (await played(name, on, lambda body: drop_thinking(unasked(body)))).result.findings == ()
    forgetful = await played(name, on, lambda body: {**body, "messages": drop_thinking(body["messages"])})
    assert {"history/model-thinking"} <= {each.rule for each in forgetful.result.findings}


@pytest.mark.parametrize("name", ["cancelled-while-it-thinks", "said-while-it-thinks"])
async def test_a_case_that_hangs_on_thinking_is_left_out(name: str) -> None:
    result = (await played(name, "anthropic-messages", unasked)).result
    assert (result.verdict, result.reason) == ("skip", "asks for no thinking, on which the script hangs")
