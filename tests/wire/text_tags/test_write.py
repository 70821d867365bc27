"""Requests written: what is read of them is what was to be said, and a client goes on as the protocol has it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    IssuedState,
    Message,
    Result,
    Route,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    WrittenRequest,
)
from harness.wire.text_tags import WIRE
from harness.wire.turn import Part
from tests.wire.text_tags.reading import call

ROUTE = Route("text-tags")
SEARCH = ToolDeclaration("search", "Search.", {"type": "object", "properties": {"pattern": {}, "path": {}}})


def conversation(*messages: Message, tools: tuple[ToolDeclaration, ...] = ()) -> Conversation:
    return Conversation("text-tags", "m", stream=True, messages=messages, tools=tools, body=dict(WIRE.settings))


def message(role: Any, *parts: Any) -> Message:
    return Message(role, parts, "")


def body_of(written: WrittenRequest) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(written.body)
    return body


words = st.text("ab cü😀\n", min_size=1, max_size=8).filter(str.strip).map(str.strip)
calls = st.builds(Call, st.sampled_from(["read", "a b"]), st.sampled_from(["{}", '{"x": "</tool_call>"}']), st.just(""))
answers: st.SearchStrategy[list[Part]] = st.tuples(
    st.lists(st.builds(ThinkingPart, words), max_size=1),
    st.lists(st.builds(Text, words), max_size=1),
    st.lists(calls, max_size=3),
).map(lambda each: [*each[0], *each[1], *each[2]])


@given(st.lists(st.tuples(words, answers.filter(bool)), min_size=1, max_size=3), words)
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read(turns: list[tuple[str, list[Part]]], asked: str) -> None:
    messages = [message("system", Text("S")), message("user", Text(asked))]
    for result, parts in turns:
        messages.append(message("assistant", *parts))
        results = [Result("", result, part.name) for part in parts if isinstance(part, Call)]
        messages.append(message("user", *results) if results else message("user", Text(asked)))
    written = WIRE.write(conversation(*messages))
    assert written.path == "/v1/chat/completions"
    read = WIRE.read(ROUTE, written.body)
    assert [(each.role, each.parts) for each in read.messages] == [(each.role, each.parts) for each in messages]
    assert (read.model, read.stream, read.tools) == ("m", True, ())


def test_tools_are_told_in_the_one_system_message() -> None:
    asked = [message("system", Text("A")), message("user", Text("hi")), message("system", Text("B"))]
    body = body_of(WIRE.write(conversation(*asked, tools=(SEARCH,))))
    assert body.keys() == {"model", "stream", "stream_options", "messages"}
    assert body["messages"] == [
        {
            "role": "system",
            "content": "A\n\nB\n\n"
            'You have tools. To use one: <tool_call>{"name":"tool_name","args":{...}}</tool_call>\n'
            "When done, respond without tool_call tags.\n\n- search(path, pattern): Search.\n",
        },
        {"role": "user", "content": "hi"},
    ]


def test_without_tools_system_messages_stay_where_they_are() -> None:
    asked = [message("user", Text("hi")), message("system", Text("B"))]
    assert [each["role"] for each in body_of(WIRE.write(conversation(*asked)))["messages"]] == ["user", "system"]


# --- going on -----------------------------------------------------------------------------------------------

PROMPT = conversation(message("user", Text("hi")))
TURN = Turn(
    (ThinkingPart("Hm."), Call("read", "{}"), Text(call("now", "{x: y}")), Call("read", "{}")), FinishReason.TOOL_CALLS
)


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_goes_on_with_the_models_words_and_one_message_of_results(stream: bool) -> None:
    asked = WIRE.read(ROUTE, WIRE.write(PROMPT).body)
    reply = WIRE.render(TURN, Identity("case"), Conversation("text-tags", "m", stream, asked.messages)).reply
    results = [Result("2", "7"), Result("1", '"one"'), Result("x", '{"error": "Broken"}', is_error=True)]
    behind = [*WIRE.returned(reply, ["1", "x", "2"]), *WIRE.answers(reply, ["1", "x", "2"], results, ["Look."])]
    body = body_of(WIRE.write(conversation(*PROMPT.messages, *behind)))
    assert body["messages"][1:] == [
        {"role": "assistant", "content": f"<think>Hm.</think>{call('read')}{call('now', '{x: y}')}{call('read')}"},
        {
            "role": "user",
            "content": "Tool results:\n\n[read] one\n\n"
            "[now] Error: this tool call could not be read: 'y' begins no value. To use a tool: "
            '<tool_call>{"name":"tool_name","args":{...}}</tool_call>\n\n[read] 7',
        },
        {"role": "user", "content": "Look."},
    ]
    sent = IssuedState()
    sent.add(asked, reply)
    assert WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), sent) == []


def test_a_failure_and_nothing_are_told_in_the_words_of_the_protocol() -> None:
    reply = WIRE.render(Turn((Call("a", "{}"), Call("b", "{}"))), Identity("case"), PROMPT).reply
    results = [Result("1", '{"error": "No."}', is_error=True), Result("2", "null")]
    assert WIRE.answers(reply, ["1", "2"], results)[0].results == (Result("", "Error: No.", "a"), Result("", "OK", "b"))


def test_without_results_nothing_follows() -> None:
    reply = WIRE.render(Turn((Text("Hm."),)), Identity("case"), PROMPT).reply
    assert WIRE.answers(reply, [], []) == ()
    assert WIRE.entries(WIRE.returned(reply, [])) == [{"role": "assistant", "content": "Hm."}]
