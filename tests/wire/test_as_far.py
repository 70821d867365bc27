"""What is read of a response whose last event is no JSON: all that came before it."""

from __future__ import annotations

import pytest

from harness.wire import Conversation, Identity, Message, Text, Turn, WireName, wire, wires
from harness.wire.as_far import parsed_as_far
from harness.wire.sse import SSE

STREAMED = [each.name for each in wires() if each.transport is SSE]


def frames(name: WireName) -> tuple[str, tuple[bytes, ...]]:
    speaker = wire(name)
    asked = Conversation(
        name, speaker.default_model, True, (Message("user", (Text("Hi."),), ""),), body=speaker.settings
    )
    rendered = speaker.render(Turn((Text("One two three."),)), Identity("a"), asked)
    return rendered.content_type, rendered.frames


@pytest.mark.parametrize("name", STREAMED)
def test_what_came_before_an_event_that_is_no_json_counts(name: WireName) -> None:
    kind, sent = frames(name)
    before = b"".join(sent[:-1])
    assert parsed_as_far(wire(name), kind, before + b'data: {"ty\n\n') == wire(name).parse(kind, before)


@pytest.mark.parametrize("name", STREAMED)
def test_a_whole_response_is_read_as_ever(name: WireName) -> None:
    kind, sent = frames(name)
    assert parsed_as_far(wire(name), kind, b"".join(sent)) == wire(name).parse(kind, b"".join(sent))


@pytest.mark.parametrize("name", ["openai-chat", "anthropic-messages", "gemini-interactions"])
@pytest.mark.parametrize("body", [b'data: {"a\n\ndata: {"b\n\n', b'data: {"a\n\ndata: {}\n\n'])
def test_what_cannot_be_read_further_in_front_is_no_response(name: WireName, body: bytes) -> None:
    """The other two pass over any event that is no JSON."""
    with pytest.raises(ValueError, match=r"."):
        parsed_as_far(wire(name), wire(name).transport.content_type, body)


@pytest.mark.parametrize("name", STREAMED)
def test_a_page_is_no_stream(name: WireName) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed_as_far(wire(name), "text/html", b"<html></html>\n\n")
