"""What had arrived after how many bytes: against parsing each beginning of the body anew, by another parser."""

from __future__ import annotations

import json

import pytest

from harness.wire import WIRES, Call, Identity, Rendered, Stop, Text, Turn, WireName, wire
from harness.wire.arrival import Arrival
from tests.rules.build import CREATE, EDIT, LIST, PATHS, call, first_request

TURN = Turn((Text('An "arguments": "{" in the text.'), CREATE, EDIT, LIST), Stop.TOOL_CALLS)


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


def test_a_call_without_arguments_is_complete_when_the_wire_says_so() -> None:
    answer = rendered("anthropic-messages", Turn((Call("list_files", ""), call("list_files")), Stop.TOOL_CALLS))
    first, second = told("anthropic-messages", answer)
    assert first.complete is not None
    assert second.complete is not None
    assert first.complete < second.complete


def test_a_cut_response_never_completes_its_call() -> None:
    answer = rendered("openai-chat", Turn((CREATE,), Stop.TOOL_CALLS))
    body = b"".join(answer.frames[: len(answer.frames) // 2])
    found = wire("openai-chat").arrivals("text/event-stream", body, [CREATE.arguments])
    assert found is not None
    assert found[0].complete is None
    assert 0 < (found[0].length(len(body)) or 0) < len(CREATE.arguments)
