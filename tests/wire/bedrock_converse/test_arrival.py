"""When the arguments of calls arrive: after each frame, as much as parsing what has come so far shows."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import get_args

import pytest

from harness.wire import Call, Conversation, FinishReason, Identity, Text, Turn, wire
from harness.wire.aws_events import AWS_EVENTS
from harness.wire.characters import joined
from harness.wire.turn import Deltas

WIRE = wire("bedrock-converse")
CALLS = (Call("look", '{"path": "src/\U0001f600ä.py"}'), Call("list", ""), Call("look", '{"a": [1, 2]}'))
DELTAS = get_args(Deltas)


def frames_of(*parts: Text | Call, deltas: Deltas) -> tuple[bytes, ...]:
    turn = Turn(parts, FinishReason.TOOL_CALLS, deltas=deltas)
    return WIRE.render(turn, Identity("a"), Conversation(WIRE.name, WIRE.default_model, True, ())).frames


@pytest.mark.parametrize("deltas", DELTAS)
def test_what_has_arrived_is_what_parsing_shows(deltas: Deltas) -> None:
    frames = frames_of(Text("I look."), *CALLS, deltas=deltas)
    body = b"".join(frames)
    whole = [call.arguments for call in WIRE.parse(AWS_EVENTS, body).turn.calls]
    arrived = WIRE.arrivals(AWS_EVENTS, body, whole)
    assert arrived is not None
    for offset in accumulate(len(frame) for frame in frames):
        shown = [call.arguments for call in WIRE.parse(AWS_EVENTS, body[:offset]).turn.calls]
        for number, arrival in enumerate(arrived):
            length = arrival.length(offset)
            text = joined(shown[number] if number < len(shown) else "")
            text = text.removesuffix(text[-1:]) if "\ud800" <= text[-1:] <= "\udbff" else text
            assert text == (whole[number] if length is None else whole[number][: len(text)])
            assert length is None or abs(length - len(text)) <= 1, "halves of a character may be one or two"


def test_a_call_is_complete_with_its_stop_and_not_before() -> None:
    frames = frames_of(CALLS[0], deltas="whole")
    ends = list(accumulate(len(frame) for frame in frames))
    (arrival,) = WIRE.arrivals(AWS_EVENTS, b"".join(frames), [CALLS[0].arguments]) or ()
    assert arrival.length(ends[2]) == 0, "the first piece of a call is empty"
    assert arrival.complete in ends
    assert all(before < after for before, after in pairwise(arrival.offsets))


def test_a_stream_that_breaks_off_leaves_a_call_open() -> None:
    frames = frames_of(CALLS[0], deltas="token")
    cut = b"".join(frames[:6])
    (call,) = WIRE.parse(AWS_EVENTS, cut).turn.calls
    (arrival,) = WIRE.arrivals(AWS_EVENTS, cut, [call.arguments]) or ()
    assert arrival.complete is None


def test_a_document_arrives_at_once_and_other_bytes_are_unknown() -> None:
    (arrival,) = WIRE.arrivals("application/json", b"{}", ["{}"]) or ()
    assert (arrival.complete, arrival.length(1)) == (2, 0)
    assert WIRE.arrivals(AWS_EVENTS, b"no frames at all", ["{}"]) is None
