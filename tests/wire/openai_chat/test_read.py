"""Reading requests: every shape that the API takes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import (
    Call,
    IssuedState,
    Message,
    Opaque,
    Refusal,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    UnreadableRequest,
)
from harness.wire.openai_chat import WIRE
from tests.wire.openai_chat.chat_support import ROUTE, request


def only(message: dict[str, Any]) -> Message:
    return request([message]).messages[0]


def test_texts_are_strings_or_lists_of_parts() -> None:
    assert only({"role": "user", "content": "a"}) == Message("user", (Text("a"),), "messages[0]")
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}]
    assert only({"role": "user", "content": parts}).parts == (Text("a"), Opaque("image_url", parts[1]))
    assert only({"role": "user", "content": None}).parts == ()


@pytest.mark.parametrize("role", ["system", "developer"])
def test_both_system_roles_are_system(role: str) -> None:
    assert only({"role": role, "content": "a"}).role == "system"


def test_an_assistant_message_has_thinking_text_refusal_and_calls() -> None:
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "no"}],
        "reasoning_content": "hm",
        "refusal": "never",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    }
    expected = (ThinkingPart("hm"), Text("a"), Refusal("no"), Refusal("never"), Call("f", "{}", "c"))
    assert only(message).parts == expected


def test_calls_of_every_shape_are_read() -> None:
    calls = [
        {"id": "a", "function": {"name": "f", "arguments": {"x": 1}}},
        {"type": "custom", "custom": {"name": "g", "input": "4 + 4"}},
        "nonsense",
    ]
    assert only({"role": "assistant", "tool_calls": calls}).parts == (
        Call("f", '{"x": 1}', "a"),
        Call("g", "4 + 4", ""),
        Opaque("tool_call", "nonsense"),
    )
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    assert only(legacy).calls == (Call("f", "{}", ""),)


def test_results_are_strings_or_lists_of_parts() -> None:
    assert only({"role": "tool", "tool_call_id": "c", "content": "a"}).results == (Result("c", "a"),)
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert only({"role": "tool", "tool_call_id": "c", "content": parts}).results == (Result("c", "ab"),)
    assert only({"role": "function", "name": "f", "content": "a"}).results == (Result("", "a", "f"),)


def test_thinking_parts_are_thinking() -> None:
    part = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    assert only({"role": "assistant", "content": [part]}).parts == (ThinkingPart("hm"),)


def test_tools_are_read() -> None:
    schema = {"type": "object"}
    asked = request(
        [],
        tools=[
            {"type": "function", "function": {"name": "f", "description": "F.", "parameters": schema}},
            {"type": "custom", "custom": {"name": "g"}},
        ],
        functions=[{"name": "h"}],
        stream=True,
    )
    assert asked.tools == (
        ToolDeclaration("f", "F.", schema),
        ToolDeclaration("g", "", {}),
        ToolDeclaration("h", "", {}),
    )
    assert asked.stream
    assert asked.model == "gpt-4o-mini"
    assert WIRE.resolve(asked, IssuedState()) is asked


@pytest.mark.parametrize(
    ("body", "message", "param"),
    [
        (b"{", "We could not parse the JSON body of your request.", None),
        (b"\xff", "We could not parse the JSON body of your request.", None),
        (b"[]", "We could not parse the JSON body of your request.", None),
        (
            b'{"messages":"hi"}',
            "Invalid type for 'messages': expected an array of objects, but got a string instead.",
            "messages",
        ),
        (
            b'{"messages":[null]}',
            "Invalid type for 'messages[0]': expected an object, but got null instead.",
            "messages[0]",
        ),
    ],
)
def test_a_body_that_is_no_request_is_refused(body: bytes, message: str, param: str | None) -> None:
    with pytest.raises(UnreadableRequest) as refused:
        WIRE.read(ROUTE, body)
    assert refused.value.finding.answered.message.startswith(message)
    assert refused.value.finding.answered.param == param
    assert refused.value.finding.answered.status == 400


def test_members_of_any_type_are_read_and_judged_without_a_crash() -> None:
    for odd in (None, 1, True, "x", [], [1], {}, {"a": 1}):
        for member in (
            "role",
            "content",
            "tool_calls",
            "tool_call_id",
            "reasoning_content",
            "function_call",
            "refusal",
        ):
            for role in ("user", "assistant", "tool"):
                body = {"model": "m", "messages": [{"role": role, "content": "a", member: odd}], "tools": odd}
                asked = WIRE.read(ROUTE, json.dumps(body).encode())
                assert len(asked.messages) == 1
                assert isinstance(WIRE.violations(asked, IssuedState()), list)
