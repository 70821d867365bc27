"""Requests read: calls and results out of text, in histories of this endpoint's and of anybody else's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import (
    Call,
    Conversation,
    Opaque,
    Result,
    Route,
    Text,
    ThinkingPart,
    UnreadableRequest,
    recognise,
    wire,
)
from harness.wire.text_tags import WIRE
from tests.wire.text_tags.reading import call

ROUTE = Route("text-tags")
RESULTS = "Tool results:\n\n[read] one\n\n[now] two"


def request(*messages: dict[str, Any], **members: Any) -> Conversation:
    history = [{"role": "system", "content": "S"}, {"role": "user", "content": "hi"}, *messages]
    return WIRE.read(ROUTE, json.dumps({"model": "m", "messages": history, **members}).encode())


def assistant(content: Any, **members: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **members}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def test_calls_and_results_are_read_out_of_text() -> None:
    asked = request(
        assistant(f"<think>Hm.</think>I look.\n{call('read', '{x: 1}')}{call('now')}"),
        user(RESULTS),
        user("Look: a map."),
        stream=True,
    )
    assert (asked.wire, asked.model, asked.stream) == ("text-tags", "m", True)
    turn, results, extra = asked.messages[2:]
    assert turn.parts == (ThinkingPart("Hm."), Text("I look."), Call("read", '{"x": 1}', ""), Call("now", "{}", ""))
    assert (results.role, results.parts) == ("user", (Result("", "one", "read"), Result("", "two", "now")))
    assert (extra.parts, extra.at) == ((Text("Look: a map."),), "messages[4]")


@pytest.mark.parametrize(
    "messages",
    [
        [user(RESULTS)],
        [assistant("I have called nothing."), user(RESULTS)],
        [assistant(call("read")), user("Wait."), user(RESULTS)],
        [assistant(f"<think>{call('read')}</think>No."), user(RESULTS)],
    ],
)
def test_a_text_that_looks_like_results_is_one_where_nothing_was_called(messages: list[dict[str, Any]]) -> None:
    last = request(*messages).messages[-1]
    assert last.parts == (Text(RESULTS),)


def test_parts_of_a_content_are_one_text() -> None:
    halves = call("read")[:10], call("read")[10:]
    asked = request(
        assistant([{"type": "text", "text": half} for half in halves]),
        user(
            [{"type": "text", "text": "Tool results:\n\n[read] ok"}, {"type": "image_url", "image_url": {"url": "u"}}]
        ),
    )
    assert asked.messages[2].calls == (Call("read", "{}", ""),)
    assert [type(part) for part in asked.messages[3].parts] == [Result, Opaque]


def test_native_calls_and_results_stay_what_they_are() -> None:
    native = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    asked = request(
        assistant(None, tool_calls=[native]),
        {"role": "tool", "tool_call_id": "call_1", "content": RESULTS},
        tools=[{"type": "function", "function": {"name": "read"}}],
    )
    assert asked.messages[2].calls == (Call("read", "{}", "call_1"),)
    assert asked.messages[3].results == (Result("call_1", RESULTS),)
    assert [tool.name for tool in asked.tools] == ["read"]


def test_an_empty_answer_has_no_parts() -> None:
    assert request(assistant("")).messages[-1].parts == ()


@pytest.mark.parametrize("body", [b"", b"[]", b'{"messages": 1}', b'{"messages": ["hi"]}'])
def test_what_is_no_request_of_the_chat_api_is_none_here(body: bytes) -> None:
    with pytest.raises(UnreadableRequest):
        WIRE.read(ROUTE, body)


def test_the_path_is_that_of_chat_and_names_chat() -> None:
    assert WIRE.route("POST", "/v1/chat/completions?x=1") == ROUTE
    assert WIRE.route("GET", "/v1/chat/completions") is None
    assert recognise("POST", "/v1/chat/completions") == Route("openai-chat")
    assert wire("text-tags") is WIRE
