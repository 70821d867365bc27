"""What had arrived after how many bytes: against parsing each beginning of the body anew, by another parser."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from harness.wire import (
    NATIVE_WIRES,
    WIRES,
    Call,
    FinishReason,
    Identity,
    NativeWireName,
    Rendered,
    Text,
    Turn,
    WireName,
    wire,
)
from harness.wire.arrival import Arrival, events, lengths
from tests.recorded.corpus.shared_exchanges import answers
from tests.rules.build import CREATE, EDIT, LIST, PATHS, call, first_request
from tests.wire.arriving import arrivals_of, crlf

TURN = Turn((Text('An "arguments": "{" in the text.'), CREATE, EDIT, LIST), FinishReason.TOOL_CALLS)


def rendered(name: WireName, turn: Turn = TURN, *, stream: bool = True) -> Rendered:
    path = PATHS[name] if stream else PATHS[name].replace("streamGenerateContent?alt=sse", "generateContent")
    speaker, body = wire(name), first_request(name)
    if name != "gemini-generate":
        body["stream"] = stream
    route = speaker.route("POST", path)
    assert route is not None
    return speaker.render(turn, Identity("arrival"), speaker.read(route, json.dumps(body).encode()))


def arguments_of(answer: Rendered) -> list[str]:
    return [call.arguments for call in answer.reply.turn.calls]


def told(name: WireName, answer: Rendered, body: bytes | None = None) -> tuple[Arrival, ...]:
    found = wire(name).arrivals(answer.content_type, answer.body if body is None else body, arguments_of(answer))
    assert found is not None
    return found


@pytest.mark.parametrize("name", WIRES)
def test_arrivals_agree_with_parsing_every_beginning_of_the_body(name: WireName) -> None:
    answer = rendered(name)
    found = told(name, answer)
    assert len(found) == 3
    for place in range(1, len(answer.frames) + 1):
        body = b"".join(answer.frames[:place])
        calls = wire(name).parse(answer.content_type, body).turn.calls
        for index, arrival in enumerate(found):
            final = answer.reply.turn.calls[index].arguments
            came = calls[index].arguments if index < len(calls) else ""
            length = arrival.length(len(body))
            if name == "text-tags" and final[:length].startswith(came):
                # Its reader keeps back what a later character may change: a comma, half an escape, the last bracket.
                assert len(final[:length]) - len(came) < len("\\ud83e\\udd50")
            elif length is not None:
                assert final[:length] == came[: len(final)] or not length
            else:
                assert json.loads(came) == json.loads(final)


@pytest.mark.parametrize("name", WIRES)
def test_nothing_has_arrived_before_the_first_byte_and_all_at_the_end(name: WireName) -> None:
    answer = rendered(name)
    for arrival in told(name, answer):
        assert arrival.length(0) == 0
        assert arrival.length(len(answer.body)) is None


@pytest.mark.parametrize("name", WIRES)
def test_other_line_ends_and_spaces_are_read_alike(name: WireName) -> None:
    answer = rendered(name)
    spaced = answer.body.replace(b'":', b'" : ').replace(b"\n", b"\r\n") if name == "gemini-generate" else answer.body
    crlf = answer.body.replace(b"\n", b"\r\n")
    for body in (spaced, crlf):
        plain, other = told(name, answer), told(name, answer, body)
        assert [{0, *arrival.lengths} for arrival in plain] == [{0, *arrival.lengths} for arrival in other]
        assert all(arrival.length(len(body)) is None for arrival in other)


@pytest.mark.parametrize("name", WIRES)
def test_a_response_that_is_no_stream_arrives_at_once(name: WireName) -> None:
    answer = rendered(name, stream=False)
    first, *_ = told(name, answer)
    assert first.length(len(answer.body) - 1) == 0
    assert first.length(len(answer.body)) is None


def chat(*calls: tuple[int, str]) -> bytes:
    chunks = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}}]}
        for index, piece in calls
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return b"".join([f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks])


def test_interleaved_calls_are_told_apart_by_their_index() -> None:
    body = chat((0, '{"a"'), (1, '{"a"'), (0, ": 1}"), (1, ": 2}"))
    found = wire("openai-chat").arrivals("text/event-stream", body, ['{"a": 1}', '{"a": 2}'])
    assert found is not None
    assert [arrival.lengths for arrival in found] == [[4, 8], [4, 8]]
    assert found[0].offsets[1] > found[1].offsets[0]


def test_calls_that_cannot_be_told_apart_are_not_judged() -> None:
    body = chat((0, '{"a": 1}'), (0, '{"a": 2}'))
    assert wire("openai-chat").arrivals("text/event-stream", body, ['{"a": 3}', '{"a": 4}']) is None


def test_another_number_of_calls_than_the_reply_has_is_not_judged() -> None:
    body = chat((0, '{"a": 1}'), (1, '{"a": 2}'))
    assert wire("openai-chat").arrivals("text/event-stream", body, ['{"a": 1}']) is None
    assert wire("openai-chat").arrivals("text/event-stream", body, ['{"a": 1}', '{"a": 2}', "{}"]) is None


def test_a_call_without_arguments_is_complete_when_the_wire_says_so() -> None:
    answer = rendered("anthropic-messages", Turn((Call("list_files", ""), call("list_files")), FinishReason.TOOL_CALLS))
    first, second = told("anthropic-messages", answer)
    assert first.complete is not None
    assert second.complete is not None
    assert first.complete < second.complete


def test_a_cut_response_never_completes_its_call() -> None:
    answer = rendered("openai-chat", Turn((CREATE,), FinishReason.TOOL_CALLS))
    body = b"".join(answer.frames[: len(answer.frames) // 2])
    found = wire("openai-chat").arrivals("text/event-stream", body, [CREATE.arguments])
    assert found is not None
    assert found[0].complete is None
    assert 0 < (found[0].length(len(body)) or 0) < len(CREATE.arguments)


def test_a_call_that_came_to_the_last_byte_may_have_broken_off() -> None:
    answer = rendered("anthropic-messages", Turn((CREATE,), FinishReason.TOOL_CALLS))
    (whole,) = arrivals_of("anthropic-messages", answer.body)
    assert whole.complete is not None
    cut = answer.body[: whole.complete]
    (arrival,) = arrivals_of("anthropic-messages", cut, [CREATE.arguments])
    assert arrival.lengths == whole.lengths
    assert arrival.complete is None
    (arrival,) = arrivals_of("anthropic-messages", cut[:-1], [CREATE.arguments])
    assert arrival.lengths == whole.lengths[:-1]
    assert arrival.complete is None


@pytest.mark.parametrize("name", NATIVE_WIRES)
def test_line_ends_may_be_mixed(name: NativeWireName) -> None:
    answer = rendered(name)
    body = b"".join([crlf(frame) if number % 2 else frame for number, frame in enumerate(answer.frames)])
    for plain, mixed in zip(told(name, answer), told(name, answer, body), strict=True):
        assert mixed.complete is not None
        assert plain.complete is not None
        for offset, other in zip((*plain.offsets, plain.complete), (*mixed.offsets, mixed.complete), strict=True):
            assert body[:other].replace(b"\r", b"") == answer.body[:offset].replace(b"\r", b"")


def test_an_empty_piece_does_not_part_the_halves_of_a_character() -> None:
    assert list(lengths(["a\ud83d", "", "\ude00b", "\ude00"])) == [2, 2, 3, 4]


HALVES = Turn(
    (Call("create_file", '{"x": "\U0001f600\U0001f600\U0001f600"}'), Call("edit_file", '{"y": "\U0001f600"}')),
    FinishReason.TOOL_CALLS,
    deltas="utf16",
)


@pytest.mark.parametrize("name", NATIVE_WIRES)
def test_halves_of_a_character_that_come_apart_are_one(name: NativeWireName) -> None:
    answer = rendered(name, HALVES)
    for body in (answer.body, crlf(answer.body)):
        for arrival, arguments in zip(arrivals_of(name, body), arguments_of(answer), strict=True):
            assert arrival.complete is not None
            assert not arrival.lengths or arrival.lengths[-1] == len(arguments)
            came = wire(name).parse(answer.content_type, body[: arrival.complete]).turn.calls
            assert arguments in [call.arguments for call in came]


# --- recorded traffic ---------------------------------------------------------------------------------------


@cache
def recorded_streams(shared: Path, name: NativeWireName) -> list[tuple[bytes, list[str]]]:
    """Every recorded stream, with the arguments of its calls."""
    bodies = [exchange.response for exchange in answers(shared, name) if exchange.streamed and exchange.response]
    replies = [wire(name).parse("text/event-stream", body) for body in bodies]
    return [(body, [call.arguments for call in reply.turn.calls]) for body, reply in zip(bodies, replies, strict=True)]


def arrived(name: NativeWireName, body: bytes, arguments: str, index: int) -> bool:
    """Whether a beginning of a stream says these arguments of its call ``index``, and no more."""
    calls = wire(name).parse("text/event-stream", body).turn.calls
    return (calls[index].arguments if index < len(calls) else "") == arguments


CALLS = {"openai-responses": 122, "openai-chat": 214, "anthropic-messages": 72, "gemini-generate": 70}
"""How many calls the recorded streams have, at the least."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NATIVE_WIRES)
def test_recorded_calls_arrive_as_parsing_each_beginning_of_their_stream_shows(
    name: NativeWireName, shared: Path
) -> None:
    calls = 0
    for body, arguments in recorded_streams(shared, name):
        found = arrivals_of(name, body, arguments)
        calls += len(found)
        for offset in {offset for arrival in found for offset in (*arrival.offsets, arrival.complete) if offset}:
            for index, arrival in enumerate(found):
                assert arrived(name, body[:offset], arguments[index][: arrival.length(offset)], index)
                # One byte less, and the event has not ended; but Gemini's last one may lack its end.
                before = arguments[index][: arrival.length(offset - 1)]
                assert name == "gemini-generate" or arrived(name, body[: offset - 1], before, index)
    assert calls >= CALLS[name]


FRAMES = {
    b'data: {"a": 1}': {"a": 1},
    b'data:{"a": 1}': {"a": 1},
    b'data: {"a": 1} ': {"a": 1},
    b'event: message\ndata: {"a": 1}': {"a": 1},
    b'id: 7\ndata: {"a": 1}\nretry: 5': {"a": 1},
    b': a comment\ndata: {"a": 1}': {"a": 1},
    b'data: {"a":\ndata: 1}': {"a": 1},
    b'data:\ndata: {"a": 1}': {"a": 1},
    b'data: 5\ndata: {"a": 1}': None,
    b'event: message\ndata: {"a": 1}\ndata: {"b": 2}': None,
    b'data: {"a": 1} {}': None,
    b"data: [DONE]": None,
    b"data: [1]": None,
    b'data: {"a": "\xff"}': None,
    'data: {"a": "\u00e9"}'.encode(): {"a": "\u00e9"},
    b'data: {"a": "\xed\xa0\xbd"}': {"a": "\ud83d"},
    b'data: {"a": ' + b"[" * 500 + b"]" * 500 + b"}": None,
    b"event: message": None,
    b"": None,
}
"""Frames of an event, and the object that they say; None where they say none."""


@pytest.mark.parametrize(("frame", "said"), FRAMES.items())
@pytest.mark.parametrize("line", [b"\n", b"\r\n"])
def test_an_event_says_the_same_however_it_is_framed(frame: bytes, said: object, line: bytes) -> None:
    framed = b"data: {}\n\n" + frame + b"\n\ndata: {}\n\ndata: {"
    body = framed.replace(b"\n", line)
    between = [] if said is None else [(len((b"data: {}\n\n" + frame + b"\n\n").replace(b"\n", line)), said)]
    first, last = len(b"data: {}" + 2 * line), len(body) - len(b"data: {")
    assert list(events(body)) == [(first, {}), *between, (last, {})]


@pytest.mark.parametrize("name", NATIVE_WIRES)
def test_recorded_calls_arrive_alike_with_other_line_ends(name: NativeWireName, shared: Path) -> None:
    """So both readings say the same: by the pattern over the bytes, and event by event."""
    compared = 0
    for body, arguments in recorded_streams(shared, name):
        if b"\r" in body:
            continue
        other = crlf(body)
        for arrival, again in zip(arrivals_of(name, body, arguments), arrivals_of(name, other, arguments), strict=True):
            compared += 1
            assert again.lengths == arrival.lengths
            assert [offset - other.count(b"\r", 0, offset) for offset in again.offsets] == arrival.offsets
            assert (again.complete is None) == (arrival.complete is None)
            if again.complete is not None:
                assert again.complete - other.count(b"\r", 0, again.complete) == arrival.complete
    assert compared or name == "gemini-generate"
