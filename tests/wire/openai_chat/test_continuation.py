"""What rules do not state of themselves: in which order they find, what was issued twice or elsewhere, and models."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Call, IssuedState, Reply, Turn
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


# --- what was sent -----------------------------------------------------------------------------------------


def history(thinking: str = "Let me look.") -> tuple[IssuedState, Messages]:
    sent = IssuedState()
    reply = reply_with(Call("f", "{}"), Call("g", "[]"), thinking=thinking)
    sent.add(conversation(), reply)
    results: Messages = [{"role": "tool", "tool_call_id": c.id, "content": "r"} for c in reply.turn.calls]
    return sent, [{"role": "user", "content": "U"}, copy.deepcopy(reply.items[0]), *results]


@pytest.mark.parametrize(
    "model", ["gpt-4.1", "qwen3-coder", "glm-5", "glm-5.2", "zai/GLM-5.2", "Qwen3-8B-Q4_K_M.gguf", "deepseek-chat"]
)
def test_servers_that_do_not_want_reasoning_back_do_not_miss_it(model: str) -> None:
    sent, messages = history()
    del messages[1]["reasoning_content"]
    assert judge(messages, sent, model=model) == []
    assert [violation.id for violation in judge(messages, sent, model=THINKS)] == ["OAC-19"]


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


def test_calls_that_came_without_thinking_go_back_without() -> None:
    sent, messages = history(thinking="")
    assert judge(messages, sent, model="deepseek-v4-flash") == []
    (violation,) = judge(messages, model="deepseek-v4-flash")
    assert (violation.id, violation.level, violation.answered.place) == (
        "OAC-19",
        "MUST",
        "messages[1].reasoning_content",
    )


SECOND = (
    "Missing `reasoning_content` field in the assistant message at message index 1. For more information, please refer "
    "to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls"
)
ENABLED = {"thinking": {"type": "enabled"}}
DISABLED = {"thinking": {"type": "disabled"}}


@pytest.mark.parametrize(
    ("model", "members", "there", "level"),
    [
        ("deepseek-v4-pro", {}, {}, "MUST"),
        ("deepseek-v4-pro", {}, {"reasoning_content": None}, "SHOULD"),
        ("deepseek-v4-pro", {}, {"reasoning_content": ""}, None),
        ("deepseek-v4-pro", DISABLED, {}, None),
        ("deepseek-v4-pro", {"reasoning_effort": "none"}, {}, None),
        ("deepseek-reasoner", {}, {}, "MUST"),
        ("deepseek-reasoner", {}, {"reasoning_content": ""}, None),
        ("deepseek-chat", {}, {}, None),
        ("deepseek-chat", ENABLED, {}, "MUST"),
        ("kimi-k2.5", {}, {}, "MUST"),
        ("kimi-k2.5", {}, {"reasoning_content": ""}, "SHOULD"),
        ("kimi-k2.5", {}, {"reasoning_content": " "}, None),
        ("deepseek-v4:cloud", {}, {}, None),
        ("glm-5.2", ENABLED, {}, None),
    ],
)
def test_calls_of_others_have_the_member_where_it_is_wanted(
    model: str, members: dict[str, Any], there: dict[str, Any], level: str | None
) -> None:
    messages = history()[1]
    messages[1] = {**{name: value for name, value in messages[1].items() if name != "reasoning_content"}, **there}
    found = [v for v in judge(messages, model=model, **members) if v.id == "OAC-19"]
    assert [v.level for v in found] == ([level] if level else [])
    is_of_then = model in ("deepseek-reasoner", "deepseek-chat")
    assert [v.answered.message for v in found if is_of_then] == [SECOND] * (is_of_then and bool(level))


def test_the_reasoner_may_forget_what_it_thought_before_the_last_question() -> None:
    messages = history()[1]
    del messages[1]["reasoning_content"]
    more: Messages = [*messages, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "And?"}]
    for model, level in (("deepseek-reasoner", "SHOULD"), ("deepseek-v4-pro", "MUST")):
        (missing,) = judge(more, model=model)
        assert (missing.id, missing.level) == ("OAC-19", level)


def test_an_empty_thought_that_came_goes_back() -> None:
    sent, messages = IssuedState(), history()[1]
    messages[1]["reasoning_content"] = ""
    answered = {"choices": [{"index": 0, "message": messages[1], "finish_reason": "tool_calls"}]}
    sent.add(conversation(), WIRE.parse("application/json", json.dumps(answered).encode()))
    assert judge(messages, sent, model="kimi-k2.5") == []
    messages[1]["reasoning_content"] = " "
    assert judge(messages, sent, model="kimi-k2.5") == []
    del messages[1]["reasoning_content"]
    (missing,) = judge(messages, sent, model="kimi-k2.5")
    assert (missing.id, missing.level, missing.got, missing.expected) == ("OAC-19", "MUST", "dropped", "the empty one")


@pytest.mark.parametrize(
    ("model", "level"),
    [
        ("mistral-large-latest", "MUST"),
        ("ministral-14b-2512", "MUST"),
        ("open-mistral-nemo", "MUST"),
        ("mistral-small-3-2-24b-instruct", "INFO"),
        ("gpt-4.1", None),
        ("mistralai/mistral-large-latest", None),
    ],
)
def test_mistrals_own_server_takes_ids_of_nine_characters(model: str, level: str | None) -> None:
    call_id = "call_PTLP8xhu3uwZk4l3nlnrrJha"
    messages = [
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "", "tool_calls": [call(call_id)]},
        {"role": "tool", "tool_call_id": call_id, "content": "r"},
    ]
    found = [
        (v.id, v.level, v.answered.message, v.answered.code, v.answered.kind) for v in judge(messages, model=model)
    ]
    text = f"Tool call id was {call_id} but must be a-z, A-Z, 0-9, with a length of 9."
    assert found == ([("OAC-07", level, text, "3280", "invalid_function_call")] if level else [])


@pytest.mark.parametrize(
    ("model", "level"),
    [
        ("qwen3:8b", "INFO"),
        ("llama3.2:latest", "INFO"),
        ("Qwen3-8B-Q4_K_M.gguf", "INFO"),
        ("openai.gpt-oss-20b-1:0", "MUST"),
        ("ft:gpt-4o-mini:acme::x", "MUST"),
        ("qwen/qwen3:free", "MUST"),
        ("gpt-4.1", "MUST"),
    ],
)
def test_a_local_server_does_not_look_at_pairs(model: str, level: str) -> None:
    answered: Messages = [
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "", "tool_calls": [call("call_a")]},
        {"role": "tool", "tool_call_id": "call_a", "content": "r"},
    ]
    result, broken = answered[2], {"OAC-03", "OAC-04", "OAC-05", "OAC-06"}
    for messages in (
        answered[:2],
        [answered[0], result],
        [*answered, {**result, "tool_call_id": "x"}],
        [*answered, result],
    ):
        levels = {v.id: v.level for v in judge(messages, model=model) if v.id in broken}
        assert set(levels.values()) == {level}, levels


def test_a_signature_is_certainly_missed_in_the_current_turn_only() -> None:
    messages: Messages = [
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "", "tool_calls": [call("call_a")]},
        {"role": "tool", "tool_call_id": "call_a", "content": "r"},
    ]
    more: Messages = [*messages, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "And?"}]
    for history, level in ((messages, "MUST"), (more, "SHOULD")):
        assert [(v.id, v.level) for v in judge(history, model="gemini-3-flash")] == [("OAC-SIGNED", level)]


def test_an_issued_signature_comes_back() -> None:
    signed = {**call("call_b"), "extra_content": {"google": {"thought_signature": "c2lnbmVk"}}}
    sent = IssuedState()
    message = {"role": "assistant", "content": None, "tool_calls": [call("call_a"), signed]}
    turn = Turn((Call("f", "{}", id="call_a"), Call("f", "{}", id="call_b")))
    sent.add(conversation(), Reply("openai-chat", "chatcmpl-1", "gemini-3-flash", (message,), turn))
    results: Messages = [{"role": "tool", "tool_call_id": id, "content": "r"} for id in ("call_a", "call_b")]
    question = {"role": "user", "content": "U"}
    assert judge([question, message, *results], sent, model="gemini-3-flash") == []
    unsigned = {**message, "tool_calls": [call("call_a"), call("call_b")]}
    (found,) = judge([question, unsigned, *results], sent, model="gemini-3-flash")
    place = "messages[1].tool_calls[1].extra_content.google.thought_signature"
    assert (found.id, found.level, found.answered.place) == ("OAC-SIGNED", "MUST", place)
    assert judge([question, unsigned, *results], sent, model="gemini-2.5-flash") == []
