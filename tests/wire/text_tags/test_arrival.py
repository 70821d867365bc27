"""When the arguments of a call in text had arrived: found in the text to the letter, or not at all."""

from __future__ import annotations

import json

import pytest

from harness.wire import Call, Conversation, FinishReason, Identity, Rendered, Text, Turn
from harness.wire.arrival import Arrival
from harness.wire.sse import frame
from harness.wire.text_tags import WIRE
from harness.wire.turn import Part

SMILE = "\U0001f600"


def render(*parts: Part, stop: FinishReason = FinishReason.END, deltas: str = "character") -> Rendered:
    turn = Turn(parts, stop, deltas=deltas)  # type: ignore[arg-type]
    return WIRE.render(turn, Identity("case"), Conversation("text-tags", "m", stream=True, messages=()))


def found(rendered: Rendered, body: bytes | None = None) -> tuple[Arrival, ...] | None:
    body = rendered.body if body is None else body
    arguments = [call.arguments for call in WIRE.parse(rendered.content_type, body).turn.calls]
    return WIRE.arrivals(rendered.content_type, body, arguments)


def content(body: bytes) -> str:
    """The text that a beginning of the body says, put together without our parsers."""
    chunks = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: {")]
    pieces = [chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk["choices"]]
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@pytest.mark.parametrize("deltas", ["character", "utf16", "token", "whole"])
def test_each_call_arrives_where_it_stands(deltas: str) -> None:
    arguments = ["{}", '{"x": "{}"}', f'{{"x": "{SMILE}"}}', '{"x": "{}"}']
    rendered = render(Text('An {} and "args":{} first.'), *(Call("a", each) for each in arguments), deltas=deltas)
    text, body = content(rendered.body), b""
    at = text.index("<tool_call>")
    places = []
    for each in arguments:
        at = text.index(f'"args":{each}}}</tool_call>', at) + len('"args":')
        places.append(at)
    told = found(rendered)
    assert told is not None
    for piece in rendered.frames:
        body += piece
        came = len(content(body))
        for arrival, place, each in zip(told, places, arguments, strict=True):
            here = min(max(came - place, 0), len(each))
            assert arrival.length(len(body)) == (None if here == len(each) else here), (each, came)


@pytest.mark.parametrize(
    "block", ['<|tool_call>call:a{"x": 1}<tool_call|>', '<tool_call>{args: {"x": 1}, name: "a"}</tool_call>']
)
def test_other_forms_are_found(block: str) -> None:
    rendered = render(Text(f"Hi {block} there."))
    (arrival,) = found(rendered) or ()
    assert arrival.lengths == list(range(1, len('{"x": 1}') + 1))
    assert arrival.complete == arrival.offsets[-1]


@pytest.mark.parametrize(
    "block",
    ["<tool_call>call:a{x: 1}</tool_call>", "<tool_call>nothing</tool_call>", '<tool_call>{"name":"a"}</tool_call>'],
)
def test_what_was_repaired_or_is_not_written_shows_nothing(block: str) -> None:
    assert found(render(Text(block))) is None


def test_arguments_that_break_off_are_never_complete() -> None:
    rendered = render(Call("a", '{"x": "y'), stop=FinishReason.MAX_TOKENS)
    (arrival,) = found(rendered) or ()
    assert arrival.lengths[-1] == len('{"x": "y')
    assert arrival.complete is None
    whole = render(Call("a", '{"x": "y"}'))
    (arrival,) = found(whole, b"".join(whole.frames[: -whole.terminal - len('"}}</tool_call>')])) or ()
    assert arrival.complete is None


def test_without_calls_nothing_arrives() -> None:
    assert found(render(Text("Done."))) == ()


CALL = '<tool_call>{"name": "f", "args": {"x": 1}}</tool_call>'


def test_calls_are_looked_for_in_the_text_of_the_one_answer_that_is_read() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": CALL}]}
    foreign = frame({"choices": [{"index": 1, "delta": {"content": CALL}}]})
    foreign += frame({"choices": [{"index": 0, "delta": {"content": [thought]}}]})
    body = foreign + frame({"choices": [{"index": 0, "delta": {"content": [{"type": "text", "text": CALL}]}}]})
    (arrival,) = WIRE.arrivals("text/event-stream", body, ['{"x": 1}']) or ()
    assert (arrival.lengths, arrival.complete) == ([8], len(body))
