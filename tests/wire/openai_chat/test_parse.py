"""Reading answers as the many compatible servers send them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import Call, FinishReason, Refusal, Reply, StreamError, Text, ThinkingPart, Turn, Usage
from harness.wire.openai_chat import WIRE
from tests.wire.openai_chat.chat_support import SMILE, TURNS, render

SSE = "text/event-stream"


def stream(*deltas: dict[str, Any], finish: str | None = "stop", **members: Any) -> Reply:
    chunks = [{"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks[-1]["choices"][0]["finish_reason"] = finish
    chunks[-1] |= members
    return WIRE.parse(SSE, "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode())


def test_done_may_be_missing_and_ends_what_follows() -> None:
    rendered = render(TURNS["text"])
    assert WIRE.parse(SSE, b"".join(rendered.frames[:-1])) == rendered.reply
    assert WIRE.parse(SSE, rendered.body + b"data: not json\n\n") == rendered.reply


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"message": "Slow.", "type": "tokens", "code": "rate_limit_exceeded"}, StreamError("rate_limit", "Slow.")),
        ({"message": "Provider returned error", "code": 502}, StreamError("server_error", "Provider returned error")),
        ({"message": "Full.", "code": 503}, StreamError("overloaded", "Full.")),
        ({"message": "Long.", "code": "context_length_exceeded"}, StreamError("context_length", "Long.")),
        ({"message": "Odd.", "code": {}}, StreamError("server_error", "Odd.")),
        ("only text", StreamError("server_error", "only text")),
    ],
)
def test_errors_inside_an_answer_are_told(error: Any, expected: StreamError) -> None:
    chunk = {"id": "x", "choices": [], "error": error}
    for body in (f"event: error\ndata: {json.dumps(chunk)}\n\n", json.dumps(chunk), json.dumps([{"error": error}])):
        reply = WIRE.parse(SSE, body.encode())
        assert reply.turn.error == expected
        assert not reply.complete


def test_reasoning_is_read_under_both_names() -> None:
    for name in ("reasoning_content", "reasoning"):
        reply = stream({name: "H"}, {name: "m"}, {"content": "Hi", name: None})
        assert reply.turn.parts == (ThinkingPart("Hm"), Text("Hi"))
        assert reply.items == ({"role": "assistant", "content": "Hi", name: "Hm"},)


def test_think_tags_stay_text() -> None:
    assert stream({"content": "<think>a</think>b"}).turn.parts == (Text("<think>a</think>b"),)


def test_parts_keep_the_order_in_which_they_came() -> None:
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]}
    reply = stream({"content": "a"}, call, {"content": "b"}, {"refusal": "No"})
    assert reply.turn.parts == (Text("a"), Call("f", "{}", "c"), Text("b"), Refusal("No"))
    assert reply.items[0]["content"] == "ab"


def test_halves_of_a_pair_are_joined_and_a_half_alone_is_kept() -> None:
    assert stream({"content": "a\ud83d"}, {"content": "\ude00"}).turn.text == f"a{SMILE}"
    assert stream({"content": "a\ud83d"}).turn.text == "a\ud83d"


def test_other_choices_and_empty_chunks_are_passed_over() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "stop"}]}
    filtered = {"choices": [], "prompt_filter_results": []}
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in (filtered, other)).encode()
    assert WIRE.parse(SSE, body) == Reply("openai-chat", "", "", (), Turn(usage=Usage(0, 0), ending="eof"), False)


@pytest.mark.parametrize(
    ("reason", "delta", "stop"),
    [
        ("stop", {"content": "a"}, FinishReason.END),
        ("", {"content": "a"}, FinishReason.END),
        ("eos", {"content": "a"}, FinishReason.END),
        ("end_turn", {"content": "a"}, FinishReason.END),
        ("stop", {"tool_calls": [{"index": 0, "function": {"name": "f"}}]}, FinishReason.TOOL_CALLS),
        ("stop", {"refusal": "No."}, FinishReason.REFUSAL),
        ("length", {"tool_calls": [{"index": 0, "function": {"name": "f"}}]}, FinishReason.MAX_TOKENS),
        ("content_filter", {"content": "a"}, FinishReason.CONTENT_FILTER),
        ("function_call", {"function_call": {"name": "f", "arguments": "{}"}}, FinishReason.TOOL_CALLS),
    ],
)
def test_finish_reasons(reason: str, delta: dict[str, Any], stop: FinishReason) -> None:
    assert stream(delta, finish=reason).turn.stop is stop


def test_usage_may_come_with_the_finish_or_after_it() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 3, "prompt_tokens_details": None}
    assert stream({"content": "a"}, usage=usage).turn.usage == Usage(5, 3)


def test_whole_calls_stay_apart_whatever_their_index() -> None:
    calls = [{"index": 0, "id": "same", "function": {"name": n, "arguments": "{}"}} for n in "fg"]
    custom = {"id": "c", "type": "custom", "custom": {"name": "math", "input": "4 + 4"}}
    message = {"role": "assistant", "content": None, "tool_calls": [*calls, custom]}
    body = {"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    reply = WIRE.parse("application/json", json.dumps(body).encode())
    assert reply.turn.calls == (Call("f", "{}", "same"), Call("g", "{}", "same"), Call("math", "4 + 4", "c"))
    assert reply.items == (message,)


def test_the_deprecated_function_call_goes_back_as_it_came() -> None:
    reply = stream({"function_call": {"name": "f", "arguments": "{"}}, {"function_call": {"arguments": "}"}})
    assert reply.turn.calls == (Call("f", "{}", ""),)
    assert reply.items == ({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},)
