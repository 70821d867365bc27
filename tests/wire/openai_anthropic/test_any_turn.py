"""Any turn, as a stream and as a document, where it may be asked for in another way, and without its end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import Text, Turn, WireName, wire
from tests.wire.openai_chat import chat_support
from tests.wire.openai_responses import speak
from tests.wire.spoken import any_turn, rendered


@settings(max_examples=100, deadline=None)
@given(any_turn, st.booleans())
def test_chat_without_usage_is_read_back_too(turn: Turn, stream: bool) -> None:
    answer = chat_support.render(turn, stream=stream, include_usage=False)
    assert wire("openai-chat").parse(answer.content_type, answer.body) == answer.reply


@settings(max_examples=60, deadline=None)
@given(any_turn, st.booleans())
def test_responses_says_the_texts_and_calls_as_they_were_scripted(turn: Turn, stream: bool) -> None:
    said = speak.render(turn, stream=stream).reply.turn
    assert [call.arguments for call in said.calls] == [call.arguments for call in turn.calls]
    assert [part.text for part in said.parts if isinstance(part, Text)] == [
        part.text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        for part in turn.parts
        if isinstance(part, Text)
    ]


@pytest.mark.parametrize("name", ["anthropic-messages", "openai-chat", "openai-responses"])
@settings(max_examples=60, deadline=None)
@given(turn=any_turn)
def test_without_its_terminal_frames_a_response_is_not_complete(name: WireName, turn: Turn) -> None:
    answer = rendered(name, turn, stream=True)
    begun = answer.frames[: len(answer.frames) - answer.terminal]
    reply = wire(name).parse(answer.content_type, b"".join(begun))
    assert not reply.complete
    assert turn.error or (answer.terminal == 0) == (turn.ending == "eof")
    if name == "openai-responses":
        assert (reply.turn.error, reply.items) == (None, answer.reply.items)
