"""Arrivals in a stream of chunks with the habits of compatible servers."""

from __future__ import annotations

from typing import Any

from harness.wire.sse import frame
from tests.wire.arriving import arrivals_of, crlf


def chunk(*fragments: dict[str, Any], choice: int = 0, finish: str | None = None, **delta: Any) -> bytes:
    said = {"tool_calls": list(fragments), **delta} if fragments else delta
    return frame({"choices": [{"index": choice, "delta": said, "finish_reason": finish}]})


def fragment(arguments: str, index: int | None = 0, **members: Any) -> dict[str, Any]:
    place = {} if index is None else {"index": index}
    return {**place, **members, "function": {"arguments": arguments}}


def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    body = chunk(fragment('{"a": 1}', id="one")) + chunk(fragment("{}", id="two")) + chunk(finish="tool_calls")
    for same in (body, crlf(body)):
        assert [arrival.lengths for arrival in arrivals_of("openai-chat", same)] == [[8], [2]]


def test_fragments_without_an_index_belong_to_the_last_call() -> None:
    body = chunk(fragment('{"a"', None, id="one")) + chunk(fragment(": 1}", None)) + chunk(fragment("{}", None, id="2"))
    for same in (body + chunk(finish="stop"), crlf(body + chunk(finish="stop"))):
        assert [arrival.lengths for arrival in arrivals_of("openai-chat", same)] == [[4, 8], [2]]


def test_the_deprecated_function_call_arrives_in_pieces_too() -> None:
    body = chunk(function_call={"name": "f", "arguments": '{"a"'}) + chunk(function_call={"arguments": ": 1}"})
    for same in (body + chunk(finish="function_call"), crlf(body + chunk(finish="function_call"))):
        assert [arrival.lengths for arrival in arrivals_of("openai-chat", same)] == [[4, 8]]


def test_other_choices_are_not_read() -> None:
    body = chunk(fragment('{"b": 2}'), choice=1) + chunk(fragment('{"a": 1}')) + chunk(finish="stop")
    (arrival,) = arrivals_of("openai-chat", body)
    assert (arrival.lengths, arrival.complete) == ([8], len(body) - len(chunk(finish="stop")))


def test_a_call_that_comes_with_the_end_of_the_answer_is_complete() -> None:
    body = chunk(fragment("{}"), finish="tool_calls")
    (arrival,) = arrivals_of("openai-chat", body)
    assert (arrival.lengths, arrival.complete) == ([2], len(body))


def test_a_call_without_arguments_is_complete_with_the_end_of_the_answer() -> None:
    body = chunk(fragment("", id="one")) + chunk(finish="tool_calls")
    (arrival,) = arrivals_of("openai-chat", body + b"data: [DONE]\n\n")
    assert (arrival.lengths, arrival.complete) == ([], len(body))
