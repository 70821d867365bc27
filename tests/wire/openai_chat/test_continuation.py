"""What rules do not state of themselves: in which order they find, what was issued twice or elsewhere, and models."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Call, IssuedState
from harness.wire.openai_chat import WIRE
from tests.wire.openai_chat.chat_support import ROUTE, conversation, reply_with, request

Messages = list[dict[str, Any]]

IMAGE = {"type": "image_url", "image_url": {"url": "https://img.test/a.png"}}


def call(call_id: str, **members: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}, **members}


def good() -> Messages:
    """Three turns: two calls, then one, then the next question."""
    return [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": None, "tool_calls": [call("call_a"), call("call_b")]},
        {"role": "tool", "tool_call_id": "call_a", "content": "A"},
        {"role": "tool", "tool_call_id": "call_b", "content": [{"type": "text", "text": "B"}]},
        {"role": "assistant", "content": "t", "tool_calls": [call("call_c")]},
        {"role": "tool", "tool_call_id": "call_c", "content": ""},
        {"role": "user", "content": [{"type": "text", "text": "Next"}, IMAGE]},
    ]


THINKS = "deepseek-v4-flash"


def judge(messages: Messages, sent: IssuedState | None = None, **members: Any) -> list[Finding]:
    return WIRE.violations(request(messages, **members), sent or IssuedState())


@pytest.mark.parametrize("name", ["parallel.continue", "tool.continue", "reasoning-tool.continue", "text.request"])
def test_the_examples_break_no_rule(name: str, shared: Path) -> None:
    body = (shared / "wire/examples" / f"oai-chat-{name}.json").read_bytes()
    assert WIRE.violations(WIRE.read(ROUTE, body), IssuedState()) == []


def test_a_request_without_model_or_messages_is_told() -> None:
    asked = WIRE.read(ROUTE, b"{}")
    model, messages = WIRE.violations(asked, IssuedState())
    assert (model.id, model.answered.message) == ("OAC-MODEL", "you must provide a model parameter")
    assert (messages.id, messages.answered.message) == ("OAC-01", "Missing required parameter: 'messages'.")


def test_a_wrong_result_id_is_told_before_the_missing_result() -> None:
    messages = good()
    messages[3]["tool_call_id"] = "call_z"
    assert [violation.id for violation in judge(messages)] == ["OAC-05", "OAC-03"]


def test_violations_come_in_the_order_of_the_history() -> None:
    messages = good()
    messages[3]["tool_call_id"], messages[6]["tool_call_id"] = "call_c", "call_a"
    assert [(v.id, v.answered.place) for v in judge(messages)] == [
        ("OAC-05", "messages[3].tool_call_id"),
        ("OAC-03", "messages[2]"),
        ("OAC-05", "messages[6].tool_call_id"),
        ("OAC-03", "messages[5]"),
    ]
    messages = good()
    messages.insert(6, {"role": "user", "content": "wait"})
    assert [(v.id, v.answered.place) for v in judge(messages)] == [("OAC-03", "messages[5]"), ("OAC-04", "messages[7]")]


def test_a_long_text_of_few_words_fits() -> None:
    assert judge([{"role": "user", "content": "x" * 100_000}], model="gpt-4") == []


# --- what was sent -----------------------------------------------------------------------------------------


def history(thinking: str = "Let me look.") -> tuple[IssuedState, Messages]:
    sent = IssuedState()
    reply = reply_with(Call("f", "{}"), Call("g", "[]"), thinking=thinking)
    sent.add(conversation(), reply)
    results: Messages = [{"role": "tool", "tool_call_id": c.id, "content": "r"} for c in reply.turn.calls]
    return sent, [{"role": "user", "content": "U"}, copy.deepcopy(reply.items[0]), *results]


def test_reasoning_of_ids_that_were_issued_twice_is_any_of_them() -> None:
    sent = IssuedState()
    for thinking in ("One.", "Two."):
        sent.add(conversation(), reply_with(Call("f", "{}", id="0"), thinking=thinking))
    turns = [
        [
            {"role": "assistant", "tool_calls": [call("0")], "reasoning_content": thought},
            {"role": "tool", "tool_call_id": "0", "content": "r"},
        ]
        for thought in ("One.", "Two.")
    ]
    assert judge([*turns[0], *turns[1]], sent, model=THINKS) == []
    del turns[1][0]["reasoning_content"]
    (violation,) = judge([*turns[0], *turns[1]], sent, model=THINKS)
    assert (violation.id, violation.level, violation.got) == ("OAC-19", "MUST", "moved to messages[0]")
    assert violation.expected == "as it was sent: 'One.' or 'Two.'"


def test_the_reasoner_may_forget_what_it_thought_before_the_last_question() -> None:
    messages = history()[1]
    del messages[1]["reasoning_content"]
    more: Messages = [*messages, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "And?"}]
    for model, level in (("deepseek-reasoner", "SHOULD"), ("deepseek-v4-pro", "MUST")):
        (missing,) = judge(more, model=model)
        assert (missing.id, missing.level) == ("OAC-19", level)


def test_a_signature_is_certainly_missed_in_the_current_turn_only() -> None:
    messages: Messages = [
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "", "tool_calls": [call("call_a")]},
        {"role": "tool", "tool_call_id": "call_a", "content": "r"},
    ]
    more: Messages = [*messages, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "And?"}]
    for history, level in ((messages, "MUST"), (more, "SHOULD")):
        assert [(v.id, v.level) for v in judge(history, model="gemini-3-flash")] == [("OAC-SIGNED", level)]
