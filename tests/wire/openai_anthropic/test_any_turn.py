"""Any turn, as a stream and as a document: it is read back as its reply, and is not complete without its end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import Rendered, Text, Turn, WireName, wire
from tests.wire.anthropic_messages import replay
from tests.wire.anthropic_messages.turns import ANY
from tests.wire.openai_chat import chat_support
from tests.wire.openai_responses import speak

RENDER: dict[WireName, Callable[..., Rendered]] = {
    "anthropic-messages": replay.rendered,
    "openai-chat": chat_support.render,
    "openai-responses": speak.render,
}
WIRES = pytest.mark.parametrize("name", RENDER)


def read(name: WireName, rendered: Rendered) -> bool:
    return wire(name).parse(rendered.content_type, rendered.body) == rendered.reply


@WIRES
@settings(max_examples=200, deadline=None)
@given(turn=ANY, stream=st.booleans())
def test_any_turn_is_read_back_as_its_reply(name: WireName, turn: Turn, stream: bool) -> None:
    assert read(name, RENDER[name](turn, stream=stream))


@settings(max_examples=100, deadline=None)
@given(ANY, st.booleans())
def test_chat_without_usage_is_read_back_too(turn: Turn, stream: bool) -> None:
    assert read("openai-chat", chat_support.render(turn, stream=stream, include_usage=False))


@settings(max_examples=60, deadline=None)
@given(ANY, st.booleans())
def test_responses_says_the_texts_and_calls_as_they_were_scripted(turn: Turn, stream: bool) -> None:
    said = speak.render(turn, stream=stream).reply.turn
    assert [call.arguments for call in said.calls] == [call.arguments for call in turn.calls]
    assert [part.text for part in said.parts if isinstance(part, Text)] == [
        part.text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        for part in turn.parts
        if isinstance(part, Text)
    ]


@WIRES
@settings(max_examples=60, deadline=None)
@given(turn=ANY)
def test_without_its_terminal_frames_a_response_is_not_complete(name: WireName, turn: Turn) -> None:
    rendered = RENDER[name](turn)
    begun = rendered.frames[: len(rendered.frames) - rendered.terminal]
    reply = wire(name).parse(rendered.content_type, b"".join(begun))
    assert not reply.complete
    assert turn.error or (rendered.terminal == 0) == (turn.ending == "eof")
    if name == "openai-responses":
        assert (reply.turn.error, reply.items) == (None, rendered.reply.items)
