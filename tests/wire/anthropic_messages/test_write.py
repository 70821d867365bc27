"""Writing requests: what is read is what was written, and what is written is what clients send."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import Call, Conversation, Message, Opaque, Reply, Result, Text, ThinkingPart, Turn
from harness.wire.anthropic_messages import WIRE
from harness.wire.base import Json
from tests.wire.writing import arguments, asked, conversations, names, only_words, reread
from tests.wire.writing import texts as text

IMAGE = Opaque("image", {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}})
SEARCH = Opaque("server_tool_use", {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}})

said = st.builds(Text, text | st.just(""))
thought = (
    st.builds(ThinkingPart, text, st.just("plain"), text)
    | st.builds(ThinkingPart, st.just(""), st.just("omitted"), text)
    | st.builds(ThinkingPart, st.just(""), st.just("redacted"), text)
)
spoken = said | thought | st.builds(Call, names, arguments, names) | st.just(SEARCH)
answered = said | st.builds(Result, names, text | st.just(""), st.just(""), st.booleans()) | st.just(IMAGE)
message = st.builds(Message, st.just("assistant"), st.lists(spoken, max_size=4).map(tuple), st.just("")) | st.builds(
    Message, st.just("user"), st.lists(answered, max_size=4).map(tuple), st.just("")
)
system = st.lists(
    st.builds(Message, st.just("system"), st.lists(said, min_size=1, max_size=2).map(tuple), st.just("system")),
    max_size=1,
)
histories = st.builds(lambda first, rest: first + rest, system, st.lists(message, max_size=6))


@settings(max_examples=100, deadline=None)
@given(conversations("anthropic-messages", histories, "messages.{}"))
def test_what_is_written_is_read_again(conversation: Conversation) -> None:
    assert only_words(reread(conversation)) == conversation


def test_threads_settings_and_the_providers_tools_are_written_as_they_were_read() -> None:
    going_on = Conversation(
        "anthropic-messages", "m", True, (Message("system", (Text("Now."),), "messages.0"),), continues="msg_1"
    )
    assert only_words(reread(going_on)) == going_on
    search = {"type": "web_search_20250305", "name": "web_search"}
    read = reread(replace(going_on, body={"max_tokens": 5, "tools": [search, {"name": "old", "input_schema": {}}]}))
    assert (read.body["max_tokens"], read.body["tools"]) == (5, [search])


def test_several_system_messages_are_paragraphs() -> None:
    prompt = tuple(Message("system", (Text(each),), "") for each in ("a", " ", "b"))
    assert json.loads(WIRE.write(replace(asked("anthropic-messages"), messages=prompt)).body)["system"] == "a\n\nb"


# --- what goes back -----------------------------------------------------------------------------------------


def returned(*blocks: Json, ids: tuple[str, ...] = ()) -> list[Json]:
    return WIRE.entries(WIRE.returned(Reply("anthropic-messages", "msg_1", "m", blocks, Turn()), ids))


def test_blocks_go_back_as_they_came_calls_under_their_usable_id() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    call = {"type": "tool_use", "id": "", "name": "f", "input": {}}
    assert returned(thought, call, ids=("toolu_1",)) == [
        {"role": "assistant", "content": [thought, {**call, "id": "toolu_1"}]}
    ]


def test_empty_texts_do_not_go_back_nor_does_a_blank_turn() -> None:
    said = [{"type": "text", "text": each} for each in ("", "Hi.", " ")]
    assert returned(*said) == [{"role": "assistant", "content": said[1:]}]
    assert returned(said[0], said[2]) == []


def test_results_are_one_message_in_order_with_what_was_said_behind_them() -> None:
    results = [Result("b", "1", "f"), Result("a", "2", "g", True)]
    (entry,) = WIRE.entries(WIRE.answers(Reply("anthropic-messages", "", "", (), Turn()), (), results, ["Also:"]))
    assert [block.get("tool_use_id") or block["text"] for block in entry["content"]] == ["b", "a", "Also:"]
    assert [block.get("is_error") for block in entry["content"]] == [False, True, None]
