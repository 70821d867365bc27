"""Arrivals in a stream of messages: of calls that are not streamed, and of what is no call."""

from __future__ import annotations

import json
from typing import Any

from harness.wire.anthropic_messages import WIRE
from harness.wire.sse import frame
from tests.wire.arriving import arrivals_of


def start(index: int, kind: str, **members: Any) -> bytes:
    block = {"type": kind, "id": f"id_{index}", "name": "f", "input": {}, **members}
    return frame({"type": "content_block_start", "index": index, "content_block": block}, "content_block_start")


def delta(index: int, text: str) -> bytes:
    piece = {"type": "input_json_delta", "partial_json": text}
    return frame({"type": "content_block_delta", "index": index, "delta": piece}, "content_block_delta")


def stop(index: int) -> bytes:
    return frame({"type": "content_block_stop", "index": index}, "content_block_stop")


def test_the_input_of_a_tool_of_the_server_is_no_call() -> None:
    frames = [start(0, "server_tool_use"), delta(0, '{"query": "x"}'), stop(0), start(1, "tool_use")]
    body = b"".join([*frames, delta(1, "{}"), stop(1)])
    (arrival,) = arrivals_of("anthropic-messages", body)
    assert (arrival.lengths, arrival.complete) == ([2], len(body) - len(stop(1)))


def test_an_input_that_comes_whole_is_complete_with_the_start_of_its_block() -> None:
    begun = start(0, "tool_use", input={"path": "a"})
    (arrival,) = arrivals_of("anthropic-messages", begun + stop(0))
    assert (arrival.lengths, arrival.complete) == ([], len(begun))


def test_a_call_without_arguments_is_complete_with_the_end_of_its_block() -> None:
    body = start(0, "tool_use") + stop(0)
    (arrival,) = arrivals_of("anthropic-messages", body + frame({"type": "message_stop"}))
    assert arrival.complete == len(body)


def test_calls_that_come_with_their_message_are_complete_there() -> None:
    call = {"type": "tool_use", "id": "id", "name": "f", "input": {"player": 1}}
    begun = frame({"type": "message_start", "message": {"content": [call, {"type": "text", "text": "Hi"}, call]}})
    first, second, third = arrivals_of("anthropic-messages", begun + start(0, "tool_use") + delta(0, "{}") + stop(0))
    assert first.complete == second.complete == len(begun)
    assert third.lengths == [2]


def test_calls_whose_pieces_come_in_another_order_are_told_apart() -> None:
    begun = start(0, "tool_use") + start(1, "tool_use")
    body = begun + delta(1, "11") + delta(0, "1")
    first, second = arrivals_of("anthropic-messages", body + stop(0) + stop(1))
    assert (first.offsets, first.lengths) == ([len(body)], [1])
    assert (second.offsets, second.lengths) == ([len(begun + delta(1, "11"))], [2])


def test_deltas_that_say_something_else_than_the_call_show_nothing() -> None:
    body = start(0, "tool_use") + delta(0, '{"a": 1}') + stop(0)
    assert WIRE.arrivals("text/event-stream", body, [json.dumps({"b": 1})]) is None
