"""An answer that a script breaks off behind so many parts: the same parts have come whole on each wire."""

from __future__ import annotations

import pytest

from harness.endpoint.frames import whole_parts
from harness.wire import (
    OWN_NATIVE_WIRES,
    Call,
    Conversation,
    FinishReason,
    Reply,
    Text,
    ThinkingPart,
    Turn,
    WireName,
    wire,
)
from harness.wire.identity import Identity

TURN = Turn(
    (Text("Now the smith."), Call("pay", '{"bill": "smith"}'), Call("pay", '{"bill": "baker"}')),
    FinishReason.TOOL_CALLS,
)


def cut(name: WireName, turn: Turn, parts: int) -> Reply:
    """What a reader gets of the turn that breaks off behind so many of its parts."""
    speaker = wire(name)
    conversation = Conversation(name, speaker.default_model, True, (), body=dict(speaker.settings))
    rendered = speaker.render(turn, Identity("cut"), conversation)
    after = whole_parts(speaker, turn, rendered, rendered.frames, parts)
    return speaker.parse(rendered.content_type, b"".join(rendered.frames[:after]))


@pytest.mark.parametrize("name", OWN_NATIVE_WIRES)
def test_a_thought_that_the_provider_puts_in_front_is_not_counted(name: WireName) -> None:
    first, second = cut(name, TURN, 1), cut(name, TURN, 2)
    assert (first.turn.text, first.turn.calls) == ("Now the smith.", ())
    assert second.turn.text == "Now the smith."
    assert [call.arguments.replace(" ", "") for call in second.turn.calls] == ['{"bill":"smith"}']


@pytest.mark.parametrize("name", ["anthropic-messages", "bedrock-converse", "gemini-interactions"])
def test_a_thought_of_the_script_is_counted(name: WireName) -> None:
    turn = Turn((ThinkingPart("I have to pay."), *TURN.parts), FinishReason.TOOL_CALLS)
    assert [type(part) for part in cut(name, turn, 2).turn.parts] == [ThinkingPart, Text]
