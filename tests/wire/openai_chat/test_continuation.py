"""Every rule of the wire, broken on purpose, and the continuations that keep them all."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Call, IssuedState, Reply, Turn
from harness.wire.openai_chat import WIRE
from tests.wire.openai_chat.chat_support import ROUTE, conversation, reply_with, request

Messages = list[dict[str, Any]]

LONG_ID = "call_" + "x" * 48
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


def test_a_correct_continuation_breaks_no_rule() -> None:
    assert judge(good()) == []


@pytest.mark.parametrize("name", ["parallel.continue", "tool.continue", "reasoning-tool.continue", "text.request"])
def test_the_examples_break_no_rule(name: str, shared: Path) -> None:
    body = (shared / "wire/examples" / f"oai-chat-{name}.json").read_bytes()
    assert WIRE.violations(WIRE.read(ROUTE, body), IssuedState()) == []


ACCEPTED: dict[str, Callable[[Messages], Any]] = {
    "results in any order": lambda m: m.insert(3, m.pop(4)),
    "empty content beside calls": lambda m: m[2].update(content=""),
    "no content beside calls": lambda m: m[2].pop("content"),
    "two users in a row": lambda m: m.append({"role": "user", "content": "and"}),
    "two assistants in a row": lambda m: m.extend([{"role": "assistant", "content": "x"}] * 2),
    "an empty assistant": lambda m: m.append({"role": "assistant", "content": ""}),
    "a refusal instead of content": lambda m: m.append({"role": "assistant", "content": None, "refusal": "No."}),
    "arguments that are no JSON": lambda m: m[2]["tool_calls"][0]["function"].update(arguments="{no"),
    "an id of an earlier turn": lambda m: (
        m[5]["tool_calls"][0].update(id="call_a"),
        m[6].update(tool_call_id="call_a"),
    ),
    "forty characters": lambda m: (m[5]["tool_calls"][0].update(id="c" * 40), m[6].update(tool_call_id="c" * 40)),
    "reasoning that nobody sent": lambda m: m[2].update(reasoning_content="hm"),
    "unknown members": lambda m: m[2].update(annotations=[], prefix=False),
    "a call in the middle of the conversation only": lambda m: m.pop(),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_the_api_accepts_is_no_violation(name: str) -> None:
    messages = good()
    ACCEPTED[name](messages)
    assert judge(messages) == []


UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)
ORPHAN = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."

Broken = tuple[Callable[[Messages], Any], str, str, str | None, str | None]

BROKEN: dict[str, Broken] = {
    "no messages": (
        lambda m: m.clear(),
        "OAC-01",
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "messages",
        "empty_array",
    ),
    "no result": (lambda m: m.pop(6), "OAC-03", UNANSWERED + "call_c", "messages.[6].role", None),
    "one result of two": (lambda m: m.pop(3), "OAC-03", UNANSWERED + "call_a", "messages.[4].role", None),
    "no result at the end": (
        lambda m: m.__delitem__(slice(3, None)),
        "OAC-03",
        UNANSWERED + "call_a, call_b",
        "messages.[2].role",
        None,
    ),
    "a result before its call": (lambda m: m.insert(2, m.pop(3)), "OAC-04", ORPHAN, "messages.[2].role", None),
    "a result first": (lambda m: m.insert(0, m.pop(6)), "OAC-04", ORPHAN, "messages.[0].role", None),
    "a user between call and result": (
        lambda m: m.insert(6, {"role": "user", "content": "wait"}),
        "OAC-03",
        UNANSWERED + "call_c",
        "messages.[6].role",
        None,
    ),
    "a result under another id": (
        lambda m: m[6].update(tool_call_id="call_z"),
        "OAC-05",
        "Invalid parameter: 'tool_call_id' of 'call_z' not found in 'tool_calls' of previous message.",
        "messages.[6].tool_call_id",
        None,
    ),
    "a result twice": (
        lambda m: m.insert(4, dict(m[3])),
        "OAC-06",
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_a', in messages[3] and messages[4].",
        "messages.[4].tool_call_id",
        None,
    ),
    "a call twice": (
        lambda m: m[5]["tool_calls"].append(call("call_c")),
        "OAC-06",
        "Duplicate value for 'tool_call_id' of call_c in message[5]",
        None,
        None,
    ),
    "a long id": (
        lambda m: (m[5]["tool_calls"][0].update(id=LONG_ID), m[6].update(tool_call_id=LONG_ID)),
        "OAC-07",
        "Invalid 'messages[5].tool_calls[0].id': string too long. Expected a string with maximum length 40, "
        "but got a string with length 53 instead.",
        "messages[5].tool_calls[0].id",
        "string_above_max_length",
    ),
    "no id": (
        lambda m: (m[5]["tool_calls"][0].pop("id"), m.pop(6)),
        "OAC-07",
        "Missing required parameter: 'messages[5].tool_calls[0].id'.",
        "messages[5].tool_calls[0].id",
        "missing_required_parameter",
    ),
    "an empty id": (
        lambda m: (m[5]["tool_calls"][0].update(id=""), m.pop(6)),
        "OAC-07",
        "Invalid 'messages[5].tool_calls[0].id': empty string. Expected a string with minimum length 1, "
        "but got an empty string instead.",
        "messages[5].tool_calls[0].id",
        "empty_string",
    ),
    "no calls in the list": (
        lambda m: m.append({"role": "assistant", "content": "x", "tool_calls": []}),
        "OAC-08",
        "Invalid 'messages[8].tool_calls': empty array. Expected an array with minimum length 1, "
        "but got an empty array instead.",
        "messages[8].tool_calls",
        "empty_array",
    ),
    "no user content": (
        lambda m: m[1].update(content=None),
        "OAC-09",
        "Invalid value for 'content': expected a string, got null.",
        "messages.[1].content",
        None,
    ),
    "no result content": (
        lambda m: m[6].pop("content"),
        "OAC-09",
        "Invalid value for 'content': expected a string, got null.",
        "messages.[6].content",
        None,
    ),
    "an assistant that says nothing": (
        lambda m: m.append({"role": "assistant", "content": None}),
        "OAC-09",
        "Invalid value for 'content': expected a string, got null.",
        "messages.[8].content",
        None,
    ),
    "an image in a result": (
        lambda m: m[4]["content"].append(IMAGE),
        "OAC-10",
        "Invalid 'messages[4]'. Image URLs are only allowed for messages with role 'user', "
        "but this message with role 'tool' contains an image URL.",
        "messages[4]",
        "invalid_value",
    ),
    "arguments as an object": (
        lambda m: m[2]["tool_calls"][1]["function"].update(arguments={"a": 1}),
        "OAC-11",
        "Invalid type for 'messages[2].tool_calls[1].function.arguments': expected a string, "
        "but got an object instead.",
        "messages[2].tool_calls[1].function.arguments",
        "invalid_type",
    ),
    "a part without type": (
        lambda m: m[7]["content"][0].pop("type"),
        "OAC-PART",
        "Missing required parameter: 'messages[7].content[0].type'.",
        "messages[7].content[0].type",
        "missing_required_parameter",
    ),
    "an unknown role": (
        lambda m: m[1].update(role="model"),
        "OAC-ROLE",
        "Invalid value: 'model'. Supported values are: "
        "'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        "messages[1].role",
        "invalid_value",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_told_in_the_words_of_the_api(name: str) -> None:
    breaks, rule, message, param, code = BROKEN[name]
    messages = good()
    breaks(messages)
    first = judge(messages)[0]
    assert (first.id, first.answered.message, first.answered.param, first.answered.code) == (rule, message, param, code)
    assert first.expected
    assert first.got
    assert first.answered.status == 400


def test_too_many_tools_are_told() -> None:
    tools = [{"type": "function", "function": {"name": f"f{n}"}} for n in range(129)]
    assert judge(good(), tools=tools[:128]) == []
    (violation,) = judge(good(), tools=tools)
    assert violation.answered.message == (
        "Invalid 'tools': array too long. Expected an array with maximum length 128, "
        "but got an array with length 129 instead."
    )
    assert (violation.id, violation.answered.code) == ("OAC-18", "array_above_max_length")


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


WANTED = "The `reasoning_content` in the thinking mode must be passed back to the API."


def test_reasoning_as_it_was_sent_is_accepted() -> None:
    sent, messages = history()
    assert judge(messages, sent, model=THINKS) == []
    sent, messages = history(thinking="")
    assert judge(messages, sent, model=THINKS) == []


@pytest.mark.parametrize(
    "model", ["gpt-4.1", "qwen3-coder", "glm-5", "glm-5.2", "zai/GLM-5.2", "Qwen3-8B-Q4_K_M.gguf", "deepseek-chat"]
)
def test_servers_that_do_not_want_reasoning_back_do_not_miss_it(model: str) -> None:
    sent, messages = history()
    del messages[1]["reasoning_content"]
    assert judge(messages, sent, model=model) == []
    assert [violation.id for violation in judge(messages, sent, model=THINKS)] == ["OAC-19"]


@pytest.mark.parametrize(
    ("breaks", "got", "level"),
    [
        (lambda m: m[1].pop("reasoning_content"), "dropped", "MUST"),
        (lambda m: m[1].update(reasoning_content=""), "emptied", "SHOULD"),
        (lambda m: m[1].update(reasoning_content="Other."), "altered: 'Other.'", "SHOULD"),
        (
            lambda m: m.append(
                {"role": "assistant", "content": "x", "reasoning_content": m[1].pop("reasoning_content")}
            ),
            "moved to messages[4]",
            "MUST",
        ),
    ],
)
def test_reasoning_that_does_not_come_back_is_told(breaks: Callable[[Messages], Any], got: str, level: str) -> None:
    sent, messages = history()
    breaks(messages)
    (violation,) = judge(messages, sent, model=THINKS)
    assert (violation.id, violation.answered.message, violation.got) == ("OAC-19", WANTED, got)
    assert (violation.level, violation.answered.code, violation.answered.place) == (
        level,
        "invalid_request_error",
        "messages[1].reasoning_content",
    )
    assert violation.expected == "as it was sent: 'Let me look.'"


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


def test_an_issued_id_may_be_long() -> None:
    sent = IssuedState()
    sent.add(conversation(), reply_with(Call("f", "{}", id=LONG_ID)))
    messages = [
        {"role": "assistant", "tool_calls": [call(LONG_ID)]},
        {"role": "tool", "tool_call_id": LONG_ID, "content": "r"},
    ]
    assert judge(messages, sent) == []
    assert [(v.id, v.answered.place) for v in judge(messages)] == [
        ("OAC-07", "messages[0].tool_calls[0].id"),
        ("OAC-07", "messages[1].tool_call_id"),
    ]


def test_altered_calls_are_accepted_as_the_api_accepts_them() -> None:
    sent, messages = history()
    messages[1]["tool_calls"][0]["function"] = {"name": "other", "arguments": json.dumps({"a": 1}, indent=2)}
    assert judge(messages, sent) == []
