"""Writing requests: what is read is what was written, and what is written is what clients send."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import Call, Conversation, Message, Opaque, Refusal, Reply, Result, Text, ThinkingPart, Turn
from harness.wire.base import ENTRY, Json
from harness.wire.openai_responses import WIRE
from tests.wire.writing import arguments, asked, conversations, names, only_words, reread
from tests.wire.writing import texts as text

IMAGE = Opaque("input_image", {"type": "input_image", "image_url": "https://example.org/a.png"})
SEARCH = Opaque("web_search_call", {"type": "web_search_call", "id": "ws_1", "status": "completed"})

content = st.builds(Text, text) | st.just(IMAGE)
user = st.tuples(st.builds(Text, text)) | st.lists(content, min_size=1, max_size=3).map(tuple)
spoken = st.tuples(st.builds(Text, text)) | st.tuples(st.builds(Text, text), st.builds(Refusal, text))
thought = text.map(lambda told: ThinkingPart(told, signature="sig")) | st.just(ThinkingPart("", "omitted", "sig"))
alone = thought | st.builds(Call, names, arguments | text, names) | st.just(SEARCH)
result = st.tuples(st.builds(Result, names, text | st.just(""))) | st.tuples(
    st.builds(Result, names, text), st.just(IMAGE)
)
message = (
    st.builds(Message, st.sampled_from(["system", "user"]), user, st.just(""))
    | st.builds(Message, st.just("assistant"), spoken | st.tuples(alone), st.just(""))
    | st.builds(Message, st.just("tool"), result, st.just(""))
)
instructions = st.lists(
    st.builds(Message, st.just("system"), st.tuples(st.builds(Text, text)), st.just("instructions")), max_size=1
)


def _named(messages: list[Message]) -> list[Message]:
    """On this wire a result has the name of the call that it answers."""
    called = {call.id: call.name for message in messages for call in message.calls}
    return [
        replace(message, parts=(replace(first, name=called.get(first.id, "")), *message.parts[1:]))
        if message.parts and isinstance(first := message.parts[0], Result)
        else message
        for message in messages
    ]


histories = st.builds(lambda first, rest: _named(first + rest), instructions, st.lists(message, max_size=6))


@settings(max_examples=100, deadline=None)
@given(conversations("openai-responses", histories, "input[{}]"))
def test_what_is_written_is_read_again(conversation: Conversation) -> None:
    assert only_words(reread(conversation)) == conversation


def test_a_text_a_thread_and_settings_are_written_as_they_were_read() -> None:
    said = Conversation("openai-responses", "m", False, (Message("user", (Text("Hi."),), "input"),), continues="resp_1")
    assert only_words(reread(said)) == said
    body = {
        "model": "m",
        "input": "Hi.",
        "stream": False,
        "store": False,
        "temperature": 1,
        "tools": [{"type": "web_search"}],
    }
    assert reread(replace(said, continues=None, body=body)).body == body


# --- what goes back -----------------------------------------------------------------------------------------


def entries(*items: Json, ids: tuple[str, ...] = ()) -> list[Json]:
    reply = Reply("openai-responses", "resp_1", "m", items, Turn())
    return WIRE.entries(WIRE.returned(reply, ids))


def test_items_go_back_as_they_came_without_what_is_refused() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sig"}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []}
    assert entries({**thought, "status": "completed", "content": []}, said) == [thought, said]


def test_a_call_goes_back_under_its_usable_id_and_a_name() -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "", "name": "", "arguments": "{}"}
    assert entries(call, ids=("call_9",)) == [{**call, "call_id": "call_9", "name": "unknown_tool"}]


def test_an_entry_is_written_as_it_is() -> None:
    item = {"type": "compaction", "anything": 1}
    assert WIRE.entries([Message("user", (Opaque(ENTRY, item),), "")]) == [item]


def test_half_a_character_is_replaced() -> None:
    body = WIRE.write(replace(asked("openai-responses"), messages=(Message("user", (Text("a\ud83d"),), ""),))).body
    assert json.loads(body)["input"] == [{"role": "user", "content": "a\ufffd"}]
