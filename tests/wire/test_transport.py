"""Where frames end: found at once as by a reader that is fed byte by byte."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.wire import OWN_WIRES, Call, Conversation, FinishReason, Text, Turn, WireName, wire
from harness.wire.bedrock_converse.stream import EVENT_STREAM
from harness.wire.identity import Identity
from harness.wire.sse import SSE

TURN = Turn((Text("One moment."), Call("pay", '{"bill": "smith"}')), FinishReason.TOOL_CALLS)


def streamed(name: WireName) -> tuple[bytes, ...]:
    speaker = wire(name)
    conversation = Conversation(name, speaker.default_model, True, (), body=dict(speaker.settings))
    return speaker.render(TURN, Identity("frames"), conversation).frames


@pytest.mark.parametrize("name", OWN_WIRES)
@pytest.mark.parametrize("cut", [0, 1])
def test_frames_end_where_a_reader_has_read_them(name: WireName, cut: int) -> None:
    frames, transport = streamed(name), wire(name).transport
    body = b"".join(frames)[: -cut or None]
    ends = [sum(map(len, frames[: count + 1])) for count in range(len(frames))]
    assert transport.ends(body) == [end for end in ends if end <= len(body)]
    if b"\r\n\r\n" not in body:  # a reader need not wait for the last LF
        assert replace(transport, find_ends=None).ends(body) == transport.ends(body)


def test_nothing_ends_behind_bytes_that_are_no_frame() -> None:
    frames = streamed("bedrock-converse")
    assert EVENT_STREAM.ends(frames[0] + b"no frame at all" + frames[1]) == [len(frames[0])]


@pytest.mark.parametrize("line", [b"\n", b"\r", b"\r\n"])
def test_an_event_ends_with_a_blank_line(line: bytes) -> None:
    event = b"data: 1" + line * 2
    assert SSE.ends(event * 2 + b"data: 2" + line) == [len(event), 2 * len(event)]
