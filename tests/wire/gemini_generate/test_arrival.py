"""Arrivals in a stream of responses: a call is there with the chunk in which the official SDK has it."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest

from harness.wire import Identity
from harness.wire.gemini_generate import WIRE
from harness.wire.sse import frame
from tests.wire.arriving import arrivals_of
from tests.wire.gemini_generate.samples import TURNS, conversation
from tests.wire.gemini_generate.sdk import responses_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", [name for name, turn in TURNS.items() if turn.calls and not turn.error])
async def test_the_sdk_has_each_call_at_the_same_time(name: str) -> None:
    answer = WIRE.render(TURNS[name], Identity("case"), conversation())
    ends = list(accumulate(map(len, answer.frames)))
    responses = await responses_of(answer.frames)
    assert len(responses) == len(ends)
    there = [end for end, response in zip(ends, responses, strict=True) for _ in response.function_calls or ()]
    assert [arrival.complete for arrival in arrivals_of("gemini-generate", answer.body)] == there


def chunk(*calls: dict[str, Any]) -> bytes:
    parts = [{"functionCall": call} for call in calls]
    return frame({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]})


def test_a_call_whose_arguments_are_streamed_is_complete_with_their_end() -> None:
    begun = chunk({"name": "f", "willContinue": True})
    begun += chunk({"partialArgs": [{"jsonPath": "$.a", "numberValue": 1}], "willContinue": True})
    ended = begun + chunk({})
    first, second = arrivals_of("gemini-generate", ended + chunk({"name": "g", "args": {}}))
    assert (first.lengths, first.complete) == ([len("{"), len('{"a":1')], len(ended))
    assert first.offsets[-1] == len(begun)
    assert second.complete == len(ended) + len(chunk({"name": "g", "args": {}}))


VALUES: list[dict[str, Any]] = [
    {"jsonPath": "$.to[0].city", "stringValue": 'O"s'},
    {"jsonPath": "$.to[0].city", "stringValue": "lo\n\ud83d"},
    {"jsonPath": "$.to[0].city", "stringValue": "\ude00"},
    {"jsonPath": "$.to[0]['days, {at least}']", "numberValue": 3},
    {"jsonPath": "$.to[1].city", "stringValue": ""},
    {"jsonPath": "$.ids[0][0]", "nullValue": None},
    {"jsonPath": "$.ids[0][1]", "stringValue": "x"},
    {"jsonPath": "$.ids[1][0]", "boolValue": True},
    {"jsonPath": "$.by.train", "boolValue": False},
    {"jsonPath": "$.by.bus.line", "stringValue": "7"},
    {"jsonPath": "$.end", "stringValue": "."},
]
CAME = [
    "{",
    '{"to":[{"city":"O\\"s',
    '{"to":[{"city":"O\\"slo\\n\ud83d',
    '{"to":[{"city":"O\\"slo\\n\U0001f600',
    '{"to":[{"city":"O\\"slo\\n\U0001f600","days, {at least}":3',
    '{"to":[{"city":"O\\"slo\\n\U0001f600","days, {at least}":3},{"city":"',
    '{"to":[{"city":"O\\"slo\\n\U0001f600","days, {at least}":3},{"city":""}],"ids":[[null',
    '{"to":[{"city":"O\\"slo\\n\U0001f600","days, {at least}":3},{"city":""}],"ids":[[null,"x',
    '{"to":[{"city":"O\\"slo\\n\U0001f600","days, {at least}":3},{"city":""}],"ids":[[null,"x"],[true',
]


def streamed_call(*values: dict[str, Any]) -> list[bytes]:
    """A call in pieces: its name, a piece for each value, and the end."""
    pieces = [{"partialArgs": [value], "willContinue": True} for value in values]
    return [chunk({"name": "f", "willContinue": True}), *map(chunk, pieces), chunk({})]


def test_each_piece_of_a_call_brings_what_it_adds_to_the_text() -> None:
    frames = streamed_call(*VALUES)
    ends = list(accumulate(map(len, frames)))
    (arrival,) = arrivals_of("gemini-generate", b"".join(frames))
    (call,) = WIRE.parse("text/event-stream", b"".join(frames)).turn.calls
    assert arrival.complete == ends[-1]
    assert arrival.offsets == ends[:-1]
    assert arrival.lengths[: len(CAME)] == [len(text) for text in CAME]
    assert [call.arguments[:length] for length in arrival.lengths[3:9]] == CAME[3:]
    assert call.arguments[: arrival.lengths[-1]] == call.arguments.removesuffix('"}')


def test_several_values_come_in_one_piece() -> None:
    values = [{"jsonPath": "$.a", "boolValue": True}, {"jsonPath": "$.b", "stringValue": "x"}]
    once = chunk({"name": "f", "partialArgs": values})
    first, second = arrivals_of("gemini-generate", once + chunk({"name": "g", "args": {"c": 1}}))
    assert first.lengths == [len('{"a":true,"b":"x')]
    assert (first.complete, second.lengths) == (len(once), [])


def test_a_beginning_of_the_stream_says_as_much_as_has_arrived() -> None:
    """The parser and the arrivals agree at every event."""
    frames = streamed_call(*VALUES)
    ends = list(accumulate(map(len, frames)))
    body = b"".join(frames)
    (call,) = WIRE.parse("text/event-stream", body).turn.calls
    (arrival,) = arrivals_of("gemini-generate", body)
    for end in ends[3:]:
        (so_far,) = WIRE.parse("text/event-stream", body[:end]).turn.calls
        assert so_far.arguments == call.arguments[: arrival.length(end)]


def test_pieces_that_come_in_another_order_than_the_text_say_nothing_of_it() -> None:
    values = [{"jsonPath": path, "stringValue": "x"} for path in ("$.a", "$.b", "$.a")]
    body = b"".join(streamed_call(*values))
    assert WIRE.arrivals("text/event-stream", body, ['{"a":"xx","b":"x"}']) is None


def test_pieces_behind_the_end_of_a_call_add_nothing() -> None:
    frames = streamed_call(VALUES[0])
    (arrival,) = arrivals_of("gemini-generate", b"".join([*frames, *streamed_call(VALUES[3])[1:]]))
    assert (len(arrival.lengths), arrival.complete) == (2, len(b"".join(frames)))


def test_a_value_that_cannot_be_read_adds_nothing() -> None:
    frames = streamed_call({"jsonPath": "$.a", "boolValue": True}, {"jsonPath": "a", "boolValue": True})
    (arrival,) = arrivals_of("gemini-generate", b"".join(frames))
    assert arrival.lengths == [len("{"), len('{"a":true')]


def test_a_call_in_snake_case_is_one_and_one_of_another_candidate_is_none() -> None:
    parts = [{"function_call": {"name": "f", "args": {"a": 1}}}]
    other = {"index": 1, "content": {"parts": [{"functionCall": {"name": "g", "args": {}}}]}}
    body = frame({"candidates": [other, {"content": {"parts": parts}}]})
    (arrival,) = arrivals_of("gemini-generate", body)
    assert arrival.complete == len(body)


def test_pieces_of_a_call_that_never_began_are_none() -> None:
    body = chunk({"willContinue": True}) + chunk({}) + chunk({"name": "f", "args": {}})
    (arrival,) = arrivals_of("gemini-generate", body)
    assert arrival.complete == len(body)
