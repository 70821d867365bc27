"""Answers in the provider's own words: how they are framed, and the turn that is read in them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.scenario.model import NativeAnswer
from harness.scenario.native import native_step
from harness.wire import Text, wire

CHAT = wire("openai-chat")


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def test_events_are_frames_and_the_turn_is_what_they_say() -> None:
    step = native_step(CHAT, [chunk({"content": "Hello"}), chunk({}, "stop"), "[DONE]"], stream=True, cut=None)
    assert step.turn.parts == (Text("Hello"),)
    assert step.turn.ending == "complete"
    assert step.native is not None
    assert [frame.startswith(b"data: ") for frame in step.native.frames] == [True] * 3
    assert step.native.frames[-1] == b"data: [DONE]\n\n"


def test_an_event_with_a_type_has_it_for_a_name() -> None:
    event = {"type": "message_stop"}
    step = native_step(wire("anthropic-messages"), [event], stream=True, cut=None)
    assert step.native == NativeAnswer((b'event: message_stop\ndata: {"type":"message_stop"}\n\n',), stream=True)


def test_the_member_with_the_name_is_the_wire_s_own() -> None:
    error = {"error": {"message": "The service is currently unavailable.", "code": "service_unavailable"}}
    events = [{**error, "event_type": "error"}, "[DONE]"]
    step = native_step(wire("gemini-interactions"), events, stream=True, cut=None)
    assert step.native is not None
    assert [frame.partition(b"data")[0] for frame in step.native.frames] == [b"event: error\n", b""]
    assert step.turn.error is not None


def test_a_stream_without_its_end_is_no_whole_turn() -> None:
    step = native_step(CHAT, [chunk({"content": "Hello"})], stream=True, cut=None)
    assert step.turn.ending == "eof"


def test_without_a_stream_it_is_one_document() -> None:
    message = {"role": "assistant", "content": "Hello"}
    document = {"id": "c", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    step = native_step(CHAT, [document], stream=False, cut=None)
    assert step.native is not None
    assert [json.loads(each) for each in step.native.frames] == [document]
    assert step.turn.parts == (Text("Hello"),)


def test_what_cannot_be_read_is_refused() -> None:
    item = {"id": "m", "type": "message", "role": "assistant", "content": []}
    events: list[dict[str, Any] | str] = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": 5},
    ]
    with pytest.raises(ValueError, match="not the JSON of a response"):
        native_step(wire("openai-responses"), events, stream=True, cut=None)


def test_an_event_of_an_aws_stream_is_an_object_under_its_name() -> None:
    converse = wire("bedrock-converse")
    events: list[dict[str, Any] | str] = [
        {"messageStart": {"role": "assistant"}},
        '{"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hello"}}}',
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]
    step = native_step(converse, events, stream=True, cut=None)
    assert step.turn.parts == (Text("Hello"),)
    assert step.turn.ending == "complete"
    assert step.native is not None
    found = [each.event for frame in step.native.frames for each in converse.transport.events(frame)]
    assert found == ["messageStart", "contentBlockDelta", "contentBlockStop", "messageStop"]


@pytest.mark.parametrize("event", [{}, {"a": {}, "b": {}}, {"messageStop": "end_turn"}, "no JSON"])
def test_what_is_no_event_of_an_aws_stream_is_refused(event: dict[str, Any] | str) -> None:
    with pytest.raises(ValueError, match="one member"):
        native_step(wire("bedrock-converse"), [event], stream=True, cut=None)
