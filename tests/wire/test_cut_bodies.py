"""Bodies are read back as what they say, as far as they have come, in whatever framing; and what is none is refused."""

from __future__ import annotations

import pytest

from harness.wire import (
    OWN_NATIVE_WIRES,
    Call,
    FinishReason,
    Rendered,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    WireName,
    wire,
)
from harness.wire.sse import SSE
from tests.wire.cutting import cut_places
from tests.wire.spoken import rendered

EACH = pytest.mark.parametrize("name", OWN_NATIVE_WIRES)
STREAMED = pytest.mark.parametrize("name", [name for name in OWN_NATIVE_WIRES if wire(name).transport is SSE])
PARTS = (
    ThinkingPart("A folder \U0001f600."),
    Text("I look."),
    Call("list_files", '{"path":"src"}'),
    Call("read_file", '{"path":"ä \U0001f600"}'),
)
LONG = Turn(PARTS, FinishReason.TOOL_CALLS, deltas="utf16")
FAILING = Turn(PARTS, error=StreamError("rate_limit", "Slow down."))


def finished(answer: Rendered) -> int:
    """Where a stream has said that it ends: a mark may follow that is only for clients."""
    frames = list(answer.frames)
    while frames and b"[DONE]" in frames[-1]:
        frames.pop()
    return len(b"".join(frames).rstrip())


@pytest.mark.parametrize("turn", [LONG, FAILING], ids=["whole", "failing"])
@EACH
def test_a_cut_stream_gives_what_had_arrived(name: WireName, turn: Turn) -> None:
    answer = rendered(name, turn, stream=True)
    for at in cut_places(answer.body[: finished(answer)]):
        reply = wire(name).parse(answer.content_type, answer.body[:at])
        assert reply.turn.error is None or at > finished(answer) // 2
        assert (reply.complete, reply.turn.ending) in ((False, "eof"), (True, "complete"))
        assert not reply.complete or at >= len(b"".join(answer.frames[: -answer.terminal]))
        assert reply.id in ("", answer.reply.id)
        assert len(reply.turn.parts) <= len(answer.reply.turn.parts)
        for part, full in zip(reply.turn.parts, answer.reply.turn.parts, strict=False):
            assert type(part) is type(full)
            assert words(full).startswith(words(part).removesuffix("\ud83d"))
    assert wire(name).parse(answer.content_type, answer.body) == answer.reply


def words(part: object) -> str:
    return part.arguments if isinstance(part, Call) else part.text  # type: ignore[attr-defined, no-any-return]


@EACH
def test_a_cut_document_is_not_complete(name: WireName) -> None:
    answer = rendered(name, LONG, stream=False)
    for at in range(len(answer.body.rstrip())):
        reply = wire(name).parse(answer.content_type, answer.body[:at])
        assert (reply.complete, reply.items, reply.turn.ending) == (False, (), "eof")


@STREAMED
def test_framing_that_servers_vary_changes_nothing(name: WireName) -> None:
    answer = rendered(name, LONG, stream=True)
    plain = answer.body.replace(b"\r\n", b"\n")
    for varied in (
        plain,
        plain.replace(b"\n", b"\r\n"),
        plain.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + plain,
        b"\n\n\n" + plain,
        plain.replace(b"}\n\n", b"}   \n\n"),
        b": OPENROUTER PROCESSING\n\n" + plain.replace(b"\n\n", b"\n\n: keepalive\n\n"),
        plain.replace(b"\n\n", b"\n\nevent: ping\ndata: {}\n\n"),
        plain + b"data: [DONE]\n\n" * (name != "anthropic-messages"),
    ):
        assert wire(name).parse("text/event-stream; charset=utf-8", varied) == answer.reply, varied[:99]
    if name in ("anthropic-messages", "openai-chat", "openai-responses"):
        assert wire(name).parse("", plain) == answer.reply, "known by its first bytes"


NO_RESPONSES = [
    ("text/html", b"<html>"),
    ("text/plain", b"upstream connect error"),
    ("application/json", b"<html>502</html>"),
    ("application/json", b"[1]"),
    ("application/json", b"[]"),
    ("application/json", b'{"object": "list"}'),
    ("", b"<"),
    ("", b"[1]"),
    ("text/event-stream", b"data: nonsense\n\n"),
    ("text/event-stream", b"data: {x\n\n"),
]


PASSED_OVER: dict[WireName, tuple[bytes, ...]] = {
    "anthropic-messages": (b'{"object": "list"}',),
    "gemini-generate": (b"[]", b"data: nonsense\n\n", b"data: {x\n\n"),
    "openai-responses": (b"data: nonsense\n\n", b"data: {x\n\n"),
}
"""What some wires read as an answer that has not ended."""


@pytest.mark.parametrize(("kind", "body"), NO_RESPONSES)
@EACH
def test_what_is_no_response_is_refused(name: WireName, kind: str, body: bytes) -> None:
    if body in PASSED_OVER.get(name, ()):
        assert not wire(name).parse(kind, body).turn.parts
        return
    with pytest.raises(ValueError, match=r"."):
        wire(name).parse(kind, body)
