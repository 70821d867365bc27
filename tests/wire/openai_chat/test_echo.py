"""A client that keeps every member of an answer sends all of them back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire.openai_chat import WIRE
from harness.wire.sse import frame

SSE, JSON = "text/event-stream", "application/json"


def streamed(*deltas: Any) -> bytes:
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return b"".join(map(frame, chunks)) + b"data: [DONE]\n\n"


def echo(kind: str, body: bytes, *ids: str) -> Any:
    assert WIRE.echoed is not None
    (entry,) = WIRE.entries(WIRE.echoed(kind, body, ids))
    return entry


def test_members_of_a_stream_are_joined_as_the_sdk_joins_them() -> None:
    body = streamed(
        {"role": "assistant", "content": None, "thinking_blocks": [{"index": 0, "type": "thinking", "thinking": "Hm"}]},
        {"thinking_blocks": [{"index": 0, "type": "thinking", "thinking": "m.", "signature": "c2ln"}]},
        {"content": "Let "},
        {"content": "me.", "provider_specific_fields": {"a": 1}},
        {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
    )
    assert echo(SSE, body, "call_1") == {
        "role": "assistant",
        "content": "Let me.",
        "thinking_blocks": [{"index": 0, "type": "thinking", "thinking": "Hmm.", "signature": "c2ln"}],
        "provider_specific_fields": {"a": 1},
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    }


def test_the_joined_message_is_that_of_the_official_sdk() -> None:
    streaming = pytest.importorskip("openai.lib.streaming._deltas")
    deltas = [
        {"role": "assistant", "content": "a", "extra": {"n": 1, "list": [1]}},
        {"content": "b", "extra": {"n": 2, "list": [2]}},
        {"tool_calls": [{"index": 0, "type": "function", "function": {"arguments": "{"}, "x": "1"}]},
        {"tool_calls": [{"index": 0, "type": "function", "function": {"arguments": "}"}, "x": "2"}]},
    ]
    official: dict[str, Any] = {}
    for delta in deltas:
        official = streaming.accumulate_delta(official, json.loads(json.dumps(delta)))
    mine = echo(SSE, streamed(*deltas), "call_1")
    assert mine["extra"] == official["extra"]
    assert mine["content"] == official["content"]
    assert mine["tool_calls"] == [{"id": "call_1", "type": "function", "function": {"arguments": "{}"}, "x": "12"}]
    assert official["tool_calls"][0]["x"] == "12"


def test_a_whole_message_goes_back_as_it_came() -> None:
    message = {"role": "assistant", "content": "a", "refusal": None, "provider_specific_fields": {"b": [1]}}
    body = json.dumps({"choices": [{"index": 0, "message": message}]}).encode()
    assert echo(JSON, body) == {"role": "assistant", "content": "a", "provider_specific_fields": {"b": [1]}}


def test_a_call_without_an_id_has_that_of_the_loop() -> None:
    body = streamed({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]})
    assert echo(SSE, body, "own")["tool_calls"][0]["id"] == "own"


def test_what_is_no_answer_cannot_go_back() -> None:
    with pytest.raises(ValueError, match=r".+"):
        echo(JSON, b"<html>")
