"""Bodies are read back as what they say: our own, cut ones, and the variations that servers send."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.wire import Call, FinishReason, StreamError, Text, ThinkingPart, Usage
from harness.wire.anthropic_messages import WIRE
from harness.wire.content_blocks import call_input

STREAM = "text/event-stream; charset=utf-8"


def _stream(*events: dict[str, object]) -> bytes:
    return b"".join(b"event: %b\ndata: %b\n\n" % (str(e["type"]).encode(), json.dumps(e).encode()) for e in events)


def _block(index: int, block: dict[str, object], *deltas: dict[str, object]) -> list[dict[str, object]]:
    start = {"type": "content_block_start", "index": index, "content_block": block}
    middle = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [start, *middle, {"type": "content_block_stop", "index": index}]


def test_blocks_that_a_scripted_turn_does_not_have() -> None:
    citation = {"type": "web_search_result_location", "url": "https://a.test"}
    body = _stream(
        *_block(0, {"type": "compaction", "content": None}, {"type": "compaction_delta", "content": "so far"}),
        *_block(
            1,
            {"type": "text", "text": ""},
            {"type": "text_delta", "text": "A"},
            {"type": "citations_delta", "citation": citation},
        ),
        *_block(
            2, {"type": "tool_use", "name": "f", "input": {"a": 1}}, {"type": "input_json_delta", "partial_json": ""}
        ),
        *_block(
            2,
            {"type": "tool_use", "id": "x", "name": "g", "input": {}},
            {"type": "input_json_delta", "partial_json": "[1]"},
        ),
        {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "for no block"}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "model_context_window_exceeded"},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    )
    reply = WIRE.parse(STREAM, body)
    assert reply.items == (
        {"type": "compaction", "content": "so far"},
        {"type": "text", "text": "A", "citations": [citation]},
        {"type": "tool_use", "name": "f", "input": {"a": 1}},
        {"type": "tool_use", "id": "x", "name": "g", "input": {"INVALID_JSON": "[1]"}},
    )
    assert reply.turn.parts == (Text("A"), Call("f", '{"a":1}', ""), Call("g", "[1]", "x"))
    assert (reply.turn.stop, reply.turn.usage, reply.complete) == (FinishReason.MAX_TOKENS, Usage(0, 3), True)


def test_a_call_that_comes_whole_with_the_start() -> None:
    block = {"type": "tool_use", "id": "x", "name": "roll", "input": {"who": "é"}}
    message = {"id": "msg_1", "model": "m", "content": [block], "stop_reason": "tool_use", "usage": {}}
    reply = WIRE.parse(STREAM, _stream({"type": "message_start", "message": message}, {"type": "message_stop"}))
    assert reply.items == (block,)
    assert (reply.turn.calls, reply.turn.stop) == ((Call("roll", '{"who":"é"}', "x"),), FinishReason.TOOL_CALLS)


def test_errors_in_a_stream_and_in_a_document() -> None:
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    assert WIRE.parse(STREAM, _stream(error)).turn.error == StreamError("rate_limit", "slow down")
    assert WIRE.parse("application/json", json.dumps(error).encode()).turn.error == StreamError(
        "rate_limit", "slow down"
    )
    strange = {"type": "error", "error": "?"}
    assert WIRE.parse(STREAM, _stream(strange)).turn.error == StreamError("server_error", "")


@pytest.mark.parametrize(
    ("name", "stop", "parts"),
    [
        ("ant-text", FinishReason.END, [Text("The capital is Paris.")]),
        ("ant-tool-no-args", FinishReason.TOOL_CALLS, [Call("get_time", "", "toolu_01EFn5wTNBYA8Reni8rbmnHT")]),
        (
            "ant-max-tokens-in-tool",
            FinishReason.MAX_TOKENS,
            [Call("read_file", '{"path": "', "toolu_01EFn5wTNBYA8Reni8rbmnHT")],
        ),
        (
            "ant-redacted-thinking",
            FinishReason.END,
            [ThinkingPart(form="redacted", signature="EqkECkYIBxgCKkA8AZ4noDfV5VcOJe"), Text("Hello")],
        ),
        ("ant-pause-turn", FinishReason.PAUSE, [Text("Searching.")]),
        ("ant-truncated", FinishReason.END, [Text("The cap")]),
    ],
)
def test_the_examples(shared: Path, name: str, stop: FinishReason, parts: list[object]) -> None:
    reply = WIRE.parse(STREAM, (shared / f"wire/examples/{name}.sse").read_bytes())
    assert (reply.turn.stop, list(reply.turn.parts)) == (stop, parts)
    assert reply.complete == (name != "ant-truncated")


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ("", {}),
        (" \n", {}),
        ('{"a": 1}', {"a": 1}),
        ("[1]", {"INVALID_JSON": "[1]"}),
        ('{"a": NaN}', {"INVALID_JSON": '{"a": NaN}'}),
        ('{"a": 1', {"INVALID_JSON": '{"a": 1'}),
    ],
)
def test_the_wire_wants_an_object_whatever_the_model_wrote(arguments: str, sent: dict[str, object]) -> None:
    assert call_input(arguments) == sent
