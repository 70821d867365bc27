"""What breaks the requests of a loop below its SDK breaks those of Converse, too, whose members have other names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness_lab.mutants.edits import drop_text, drop_thinking, trim_history, withdraw_tools, wrong_call_id
from tests.wire.bedrock_converse.requests import assistant, body, call, found, result, user

THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2lnbmVk"}}}
THINKS = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}
RIGHT = body(user("Look."), assistant(THOUGHT, call("tooluse_1")), user(result("tooluse_1")), **THINKS)


def test_the_request_is_right_before() -> None:
    assert found(RIGHT) == []


@pytest.mark.parametrize(("edit", "rule"), [(wrong_call_id, "BED-01"), (drop_thinking, "BED-40")])
def test_an_edit_breaks_a_rule(edit: Callable[[Any], Any], rule: str) -> None:
    assert rule in [each.id for each in found(edit(RIGHT))]


def test_thoughts_are_dropped_that_are_steps() -> None:
    steps = [{"type": "thought", "signature": "c2lnbmVk"}, {"type": "function_call", "id": "a"}]
    assert drop_thinking({"input": steps}) == {"input": steps[1:]}


STEPS = [
    {"type": "user_input", "content": []},
    {"type": "function_call", "id": "a"},
    {"type": "function_result", "call_id": "a"},
    {"type": "thought"},
    {"type": "model_output", "content": []},
    {"type": "function_call", "id": "b"},
    {"type": "function_result", "call_id": "b"},
]


def test_what_the_model_says_is_dropped_that_is_a_step() -> None:
    assert drop_text({"input": STEPS}) == {"input": [*STEPS[:4], *STEPS[5:]]}


def test_of_a_trimmed_history_the_last_turn_is_whole() -> None:
    assert trim_history({"input": STEPS}) == {"input": [STEPS[0], *STEPS[3:]]}
    messages = RIGHT["messages"]
    assert trim_history({"messages": [*messages, *messages[1:]]}) == {"messages": messages}
    assert trim_history({"messages": messages[:1]}) == {"messages": messages[:1]}


def test_a_tool_is_withdrawn_where_tools_are() -> None:
    assert withdraw_tools(RIGHT)["toolConfig"] == {"tools": []}
    of_gemini = {"contents": [1, 2, 3], "tools": [{"functionDeclarations": [1, 2]}], "toolConfig": {"mode": "ANY"}}
    assert withdraw_tools(of_gemini)["tools"] == [{"functionDeclarations": [1]}]
