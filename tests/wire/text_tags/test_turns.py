"""Turns as text and back: whatever is rendered is read as what it says, streamed or whole, and by the official SDK."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    Refusal,
    Rendered,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)
from harness.wire.base import Json
from harness.wire.text_tags import WIRE
from harness.wire.text_tags.words import meant, read_text, written
from harness.wire.turn import Part
from tests.wire.openai_chat.chat_support import SMILE, response, sdk
from tests.wire.text_tags.reading import NASTY, call
from tests.wire.text_tags.test_properties import PIECES, documents


def render(turn: Turn, *, stream: bool = True) -> Rendered:
    body: Json = {"stream_options": {"include_usage": True}}
    return WIRE.render(turn, Identity("case"), Conversation("text-tags", "m", stream, (), body=body))


def parts_of(turn: Turn, *, stream: bool = True) -> tuple[Part, ...]:
    return render(turn, stream=stream).reply.turn.parts


json_texts = st.recursive(
    st.none() | st.booleans() | st.integers() | st.lists(st.sampled_from(PIECES), max_size=3).map("".join),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(PIECES), inner, max_size=2),
    max_leaves=4,
).flatmap(lambda value: st.sampled_from([json.dumps(value), f" {json.dumps(value, ensure_ascii=False)}\n"]))
texts = documents | st.text(max_size=6) | st.sampled_from(["", " \n", "a \n", "\n b", *NASTY.values()])
names = st.sampled_from(["read", "a b", "", " ", "</tool_call>", 'qu"ote\\', "\ud83d", SMILE, "new\nline"])
parts = (
    st.builds(Text, texts)
    | st.builds(ThinkingPart, texts, st.sampled_from(["plain", "redacted", "omitted"]))
    | st.builds(Refusal, st.sampled_from(["", "No."]))
    | st.builds(Call, names, json_texts | texts, st.sampled_from([None, "", "call_x"]))
)
turns = st.builds(
    Turn,
    parts=st.lists(parts, max_size=6).map(tuple),
    stop=st.sampled_from(FinishReason),
    usage=st.builds(Usage, *[st.integers(0, 99)] * 4),
    error=st.none() | st.builds(StreamError, st.sampled_from(["overloaded", "rate_limit"]), st.just("Full.")),
    ending=st.sampled_from(["complete", "eof"]),
    deltas=st.sampled_from(["whole", "token", "character", "utf16"]),
)
"""Any turn that a script can say, sensible or not, with tags and halves of characters everywhere."""


@given(turns, st.booleans())
@settings(max_examples=400, deadline=None)
@example(Turn((Call("a", '{"x": "</tool_call>"}'), Text(" "), Call("a", ""))), True)
def test_what_is_rendered_is_read(turn: Turn, stream: bool) -> None:
    rendered = render(turn, stream=stream)
    assert WIRE.parse(rendered.content_type, rendered.body) == rendered.reply


@given(st.lists(parts, max_size=6), st.sampled_from(FinishReason))
@settings(max_examples=400, deadline=None)
def test_what_is_known_without_reading_is_what_a_reader_finds(said: list[Part], stop: FinishReason) -> None:
    known = meant(said, stop)
    assert known is None or known == read_text(written(said, stop))


@given(st.lists(st.builds(Call, st.sampled_from(["read", "a b"]), json_texts), max_size=4))
@settings(max_examples=200, deadline=None)
def test_of_sound_calls_all_is_known(calls: list[Call]) -> None:
    """So a parser's mistake about them is never taken for the truth."""
    known = meant(calls)
    assert known is not None
    assert [(each.name, json.loads(each.arguments)) for each in known if isinstance(each, Call)] == [
        (each.name, json.loads(each.arguments)) for each in calls
    ]


# --- how it is written --------------------------------------------------------------------------------------


def test_a_turn_is_one_text() -> None:
    turn = Turn(
        (ThinkingPart("Hm."), Text("I look."), Call("read", '{"path": "a"}'), Call("now", "{}")),
        FinishReason.TOOL_CALLS,
    )
    rendered = render(turn)
    content = '<think>Hm.</think>I look.<tool_call>{"name":"read","args":{"path": "a"}}</tool_call>' + call("now")
    assert rendered.reply.items == ({"role": "assistant", "content": content},)
    assert rendered.reply.turn.parts == (
        ThinkingPart("Hm."),
        Text("I look."),
        Call("read", '{"path": "a"}', ""),
        Call("now", "{}", ""),
    )
    assert rendered.reply.turn.stop is FinishReason.TOOL_CALLS
    assert rendered.reply.wire == "text-tags"


def test_a_server_without_tools_stops_for_none() -> None:
    rendered = render(Turn((Call("read", "{}"),), FinishReason.TOOL_CALLS))
    assert b'"finish_reason":"stop"' in rendered.body
    assert b"tool_calls" not in rendered.body


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [True, False])
async def test_the_official_sdk_reads_the_same_text(stream: bool) -> None:
    turn = Turn(
        (ThinkingPart("Hm."), Text(f"Å {SMILE}"), Call("w", '{"content":"</tool_call>"}')), FinishReason.TOOL_CALLS
    )
    rendered = render(turn, stream=stream)
    client = sdk(lambda _: response(rendered.frames, rendered.content_type))
    if stream:
        chunks: Any = await client.chat.completions.create(model="m", messages=[], stream=True)
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in chunks if chunk.choices])
    else:
        text = (await client.chat.completions.create(model="m", messages=[])).choices[0].message.content or ""
    assert (
        text == f'<think>Hm.</think>Å {SMILE}<tool_call>{{"name":"w","args":{{"content":"</tool_call>"}}}}</tool_call>'
    )


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        (Turn((Call("a", ""),)), '<tool_call>{"name":"a"}</tool_call>'),
        (Turn((Call("a", '{"x": "y'),), FinishReason.MAX_TOKENS), '<tool_call>{"name":"a","args":{"x": "y'),
        (Turn((Call("a", ""),), FinishReason.MAX_TOKENS), '<tool_call>{"name":"a"'),
        (Turn((Call("a", "{}"),), FinishReason.MAX_TOKENS), call("a")),
        (Turn((Call("a", '{"x": "y'),)), '<tool_call>{"name":"a","args":{"x": "y}</tool_call>'),
        (Turn((ThinkingPart(form="redacted"), ThinkingPart(), Text("Hi."))), "Hi."),
        (Turn((Text("\ud83d"), Text("\ude00"))), SMILE),
    ],
)
def test_odd_parts_are_written_like_this(turn: Turn, text: str) -> None:
    assert render(turn).reply.items[0]["content"] == text


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        (Turn((Text(" \n"), Call("a", "{}"), Text("\nThen. \n"))), (Call("a", "{}", ""), Text("Then."))),
        (Turn((Text("One.\n"), Call("a", "{}"), Text("Two."))), (Text("One."), Call("a", "{}", ""), Text("\nTwo."))),
        (Turn((Text(call("a", "{x: 1,}")),)), (Call("a", '{"x": 1}', ""),)),
        (Turn((Call("a", '{"x": tru'),), FinishReason.MAX_TOKENS), (Call("a", '{"x": ', ""),)),
        (Turn((Text("<think>Hm"),)), (ThinkingPart("Hm"),)),
        (Turn((Refusal("No."), Text("Well."))), (Text("Well."), Refusal("No."))),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_odd_parts_are_read_like_this(turn: Turn, said: tuple[Part, ...], stream: bool) -> None:
    assert parts_of(turn, stream=stream) == said


def test_thinking_and_calls_that_a_server_sends_natively_are_read_too() -> None:
    message = {
        "content": call("a"),
        "reasoning_content": "Hm.",
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "b", "arguments": "{}"}}],
    }
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
    assert WIRE.parse("application/json", body).turn.parts == (
        ThinkingPart("Hm."),
        Call("a", "{}", ""),
        Call("b", "{}", "call_1"),
    )
