"""Writing requests: what is read is what was written, and what is written is what clients send."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import Call, Conversation, Message, Opaque, Refusal, Reply, Result, Text, ThinkingPart, Turn
from harness.wire.base import Json
from harness.wire.openai_chat import WIRE
from tests.wire.writing import arguments, asked, conversations, names, only_words, reread
from tests.wire.writing import texts as text

IMAGE = Opaque("image_url", {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}})
ODD = Opaque("tool_call", {"id": "call_1", "type": "odd"})

content = st.lists(st.builds(Text, text | st.just("")) | st.just(IMAGE), max_size=3)
spoken = st.tuples(
    st.lists(st.builds(ThinkingPart, text), max_size=1),
    content,
    st.lists(st.builds(Refusal, text), max_size=1),
    st.lists(st.builds(Call, names, arguments | text, names | st.just("")) | st.just(ODD), max_size=2),
).map(lambda groups: tuple(part for group in groups for part in group))
result = st.builds(
    lambda call_id, output, name, images: (Result(call_id, output, name), *images),
    names | st.just(""),
    text | st.just(""),
    names | st.just(""),
    st.lists(st.just(IMAGE), max_size=2),
)
message = (
    st.builds(Message, st.sampled_from(["system", "user"]), content.map(tuple), st.just(""))
    | st.builds(Message, st.just("assistant"), spoken, st.just(""))
    | st.builds(Message, st.just("tool"), result, st.just(""))
)


@settings(max_examples=100, deadline=None)
@given(conversations("openai-chat", st.lists(message, max_size=6), "messages[{}]"))
def test_what_is_written_is_read_again(conversation: Conversation) -> None:
    assert only_words(reread(conversation)) == conversation


@pytest.mark.parametrize(
    "parts",
    [
        (Refusal("No."), Text("Sorry.")),
        (Text("a"), ThinkingPart("b"), Text("c")),
        (Refusal("No."), Refusal("Never.")),
        (Opaque("content", 5),),
    ],
)
def test_parts_in_an_unusual_order_are_a_list(parts: Any) -> None:
    conversation = Conversation("openai-chat", "m", False, (Message("assistant", parts, "messages[0]"),))
    assert only_words(reread(conversation)) == conversation


def test_usage_is_asked_for_only_where_the_answer_streams() -> None:
    streamed = json.loads(WIRE.write(asked("openai-chat")).body)
    whole = json.loads(WIRE.write(replace(asked("openai-chat"), stream=False)).body)
    assert streamed["stream_options"] == {"include_usage": True}
    assert "stream_options" not in whole


# --- what goes back -----------------------------------------------------------------------------------------


def replied(message: Json, *calls: Call) -> Reply:
    return Reply("openai-chat", "chatcmpl-1", "m", (message,), Turn(calls))


def returned(message: Json, *calls: Call, ids: tuple[str, ...] = ()) -> Json:
    (entry,) = WIRE.entries(WIRE.returned(replied(message, *calls), ids))
    return entry


def test_members_of_responses_do_not_go_back() -> None:
    said = {"role": "assistant", "content": "Hi.", "annotations": [], "audio": None, "reasoning_content": "Hm."}
    assert returned(said) == {"role": "assistant", "content": "Hi."}


def test_reasoning_goes_back_beside_calls() -> None:
    native = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = {"role": "assistant", "content": None, "reasoning_details": [{"data": "sig"}], "tool_calls": [native]}
    assert returned(said, Call("f", "{}", "call_1"), ids=("call_1",)) == said


def test_a_turn_that_said_nothing_has_an_empty_text() -> None:
    assert returned({"role": "assistant", "content": None}) == {"role": "assistant", "content": ""}


def test_calls_and_results_have_the_id_that_providers_pair_them_by() -> None:
    calls = (Call("f", "1", "same"), Call("", "2", "same"), Call("h", "3", ""))
    reply = replied({"content": None}, *calls)
    ids = ("call_7", "call_8", "call_9")
    (entry,) = WIRE.entries(WIRE.returned(reply, ids))
    assert [call["id"] for call in entry["tool_calls"]] == ["same", "call_8", "call_9"]
    assert [call["function"]["name"] for call in entry["tool_calls"]] == ["f", "unknown_tool", "h"]
    answers = WIRE.entries(WIRE.answers(reply, ids, [Result(each, each) for each in ids], ["Also:"]))
    assert [(each.get("tool_call_id"), each["content"]) for each in answers] == [
        ("same", "call_7"),
        ("call_8", "call_8"),
        ("call_9", "call_9"),
        (None, "Also:"),
    ]


def test_custom_calls_keep_their_form_and_the_deprecated_call_becomes_a_tool_call() -> None:
    custom = {"id": "call_1", "type": "custom", "custom": {"name": "f", "input": "text"}}
    assert returned({"tool_calls": [custom]}, Call("f", "text", "call_1"), ids=("call_1",))["tool_calls"] == [custom]
    deprecated = {"content": None, "function_call": {"name": "f", "arguments": "{}"}}
    assert returned(deprecated, Call("f", "{}", ""), ids=("call_1",)) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    }
