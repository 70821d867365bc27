"""The Anthropic session: turns read by the SDK from our bytes, and sent back so that the wire accepts them."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from harness.loop.session import (
    CallResult,
    Delta,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
    ToolCall,
)
from harness.wire import (
    Call,
    FinishReason,
    Rendered,
    ToolDeclaration,
    Turn,
    Usage,
)
from harness.wire.anthropic_messages import WIRE
from tests.loop.sessions.sdk_endpoint import is_read_and_goes_back
from tests.sdks import sessions
from tests.wire.anthropic_messages.replay import Chunks, Replay, client, cut, rendered, response
from tests.wire.anthropic_messages.turns import KINDS, READ

TOOLS = [ToolDeclaration("read_file", "Read one file.", {"type": "object", "properties": {}})]
PROMPT = [("system", "Be brief."), ("system", "Use tools."), ("user", "What is in src?")]


def config(*, stream: bool = True, base_url: str = "http://model.test/case/1") -> SessionConfig:
    return SessionConfig("claude-sonnet-4-6", PROMPT, TOOLS, base_url, api_key="own-key", stream=stream)


class Run:
    """A session over scripted answers."""

    def __init__(self, *answers: httpx2.Response | Exception, stream: bool = True) -> None:
        self.transport = Replay(*answers)
        self.client = client(self.transport)
        self.session = sessions.anthropic_messages.AnthropicMessagesSession(config(stream=stream), self.client)

    async def turn(self) -> ProviderTurn:
        return await self.session.stream_turn(_nobody)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.transport.requests]


async def _nobody(delta: Delta) -> None:
    pass


def answer(rendered: Rendered, size: int | None = None) -> httpx2.Response:
    chunks = list(rendered.frames) if size is None else cut(rendered.body, size)
    return response(chunks, rendered.content_type)


def stream_of(*events: dict[str, Any]) -> httpx2.Response:
    return response([b"event: %b\ndata: %b\n\n" % (str(e["type"]).encode(), json.dumps(e).encode()) for e in events])


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def whole_stream(*blocks: dict[str, Any], stop: str = "tool_use") -> httpx2.Response:
    usage = {"input_tokens": 5, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    return stream_of(
        {"type": "message_start", "message": head},
        *blocks,
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    )


# --- one turn -----------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_the_explanation_of_a_refusal() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "Declined."}
    events = [
        {
            "type": "message_delta",
            "delta": {"stop_reason": "refusal", "stop_details": details},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    ]
    turn = await Run(stream_of(*events)).turn()
    assert (turn.stop, turn.refusal, turn.usage) == (FinishReason.REFUSAL, "Declined.", Usage(0, 3))


# --- what goes back -----------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_the_request() -> None:
    run = Run(
        answer(rendered(Turn((Call("read_file", READ),), FinishReason.TOOL_CALLS))), answer(rendered(KINDS["text"]))
    )
    turn = await run.turn()
    call = turn.tool_calls[0]
    run.session.append_tool_results(turn, [CallResult(call, {"error": "é"}, False)])
    await run.turn()
    request = run.transport.requests[0]
    assert str(request.url) == "http://model.test/case/1/v1/messages"
    assert "own-key" in request.headers["authorization"]
    first, second = run.bodies
    assert first == {
        "model": "claude-sonnet-4-6",
        "max_tokens": 20_000,
        "stream": True,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "system": "Be brief.\n\nUse tools.",
        "messages": [{"role": "user", "content": "What is in src?"}],
        "tools": [
            {
                "name": "read_file",
                "description": "Read one file.",
                "input_schema": {"type": "object", "properties": {}},
                "eager_input_streaming": True,
            }
        ],
    }
    assert second["messages"][1] == {"role": "assistant", "content": turn.assistant_turn}
    assert second["messages"][2] == {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": call.id, "content": '{"error": "é"}', "is_error": True}],
    }


@pytest.mark.anyio
async def test_a_paused_turn_goes_back_alone() -> None:
    scripted = rendered(KINDS["pause"])
    run = Run(answer(scripted), answer(rendered(KINDS["text"])))
    turn = await run.turn()
    assert turn.stop is FinishReason.PAUSE
    run.session.append_tool_results(turn, [])
    await run.turn()
    assert run.bodies[1]["messages"][1:] == [{"role": "assistant", "content": list(scripted.reply.items)}]


# --- what other servers send --------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_call_that_begins_without_an_input_goes_back_with_one() -> None:
    """As llama.cpp's server sends it: all blocks are stopped at the end, and a call's start has no input."""
    whole = {"type": "tool_use", "id": "b", "name": "g"}
    pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in ('{"city":', ' "Paris"}')]
    first, second = block(0, {"type": "tool_use", "id": "a", "name": "f"}, *pieces), block(1, whole)
    events = [*first[:-1], *second[:-1], first[-1], second[-1]]
    turn = await Run(whole_stream(*events)).turn()
    assert turn.tool_calls == (ToolCall("a", "f", '{"city": "Paris"}'), ToolCall("b", "g", "{}"))
    assert turn.assistant_turn == [
        {"type": "tool_use", "id": "a", "name": "f", "input": {"city": "Paris"}},
        {**whole, "input": {}},
    ]
    body = b"".join([chunk async for chunk in whole_stream(*events).aiter_raw()])
    assert list(WIRE.parse("text/event-stream", body).items) == turn.assistant_turn


# --- failures -----------------------------------------------------------------------------------------------


def _event(kind: str, **members: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


CUT = httpx2.RemoteProtocolError("peer closed connection")
FRAMES = list(rendered(KINDS["tool"]).frames)
BROKEN: dict[str, list[bytes | Exception]] = {
    "an error event": list(rendered(KINDS["error"]).frames),
    "an error event at once": [
        b'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Bad"}}\n\n'
    ],
    "an error event that is no JSON": [*FRAMES[:3], b"event: error\ndata: upstream died\n\n"],
    "no terminal event": list(rendered(KINDS["eof"]).frames),
    "no message_stop": FRAMES[:-1],
    "nothing": [],
    "a cut": [*FRAMES[:4], CUT],
    "a cut before the first byte": [CUT],
    "a cut within an event": [*FRAMES[:4], FRAMES[4][:30], CUT],
    "data that is no JSON": [*FRAMES[:4], b"event: content_block_delta\ndata: {\n\n"],
    "data that is no UTF-8": [*FRAMES[:4], b"event: content_block_delta\ndata: \xff\n\n"],
    "a delta for no block": [
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":9,"delta":{}}\n\n'
    ],
    "a start without a block": [b'event: content_block_start\ndata: {"type":"content_block_start","index":0}\n\n'],
    "data that is no object": [b"event: content_block_delta\ndata: [1]\n\n"],
    "an event without a type": [b'event: content_block_delta\ndata: {"index":0,"delta":{"type":"text_delta"}}\n\n'],
    "a delta without its text": [*FRAMES[:2], _event("content_block_delta", index=0, delta={"type": "text_delta"})],
    "a delta whose text is a number": [
        *FRAMES[:2],
        _event("content_block_delta", index=0, delta={"type": "text_delta", "text": 1}),
    ],
    "a message that begins without content": [_event("message_start", message={"usage": {}})],
    "a message that begins without usage": [_event("message_start", message={"content": []})],
    "an end without usage": [*FRAMES[:-2], _event("message_delta", delta={"stop_reason": "end_turn"}), FRAMES[-1]],
}


@pytest.mark.anyio
@pytest.mark.parametrize("chunks", BROKEN.values(), ids=BROKEN)
async def test_broken_streams(chunks: list[bytes | Exception]) -> None:
    run = Run(response(chunks), answer(rendered(KINDS["text"])))
    with pytest.raises(StreamFailed):
        await run.turn()
    assert (await run.turn()).assistant_text == "The capital is Paris."
    assert run.bodies[0] == run.bodies[1], "nothing of a broken turn is kept"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "chunks",
    [
        [rendered(KINDS["error"], stream=False).body],
        [rendered(KINDS["text"], stream=False).body[:50]],
        [rendered(KINDS["text"], stream=False).body[:50], CUT],
        [b"[]"],
        [b'{"type":"message","content":[1]}'],
        [b""],
    ],
)
async def test_broken_documents(chunks: list[bytes | Exception]) -> None:
    run = Run(response(chunks, "application/json"), stream=False)
    with pytest.raises(StreamFailed):
        await run.turn()


class Closing(Chunks):
    closed = False

    async def aclose(self) -> None:
        self.closed = True


@pytest.mark.anyio
async def test_a_listener_that_fails_closes_the_stream() -> None:
    body = Closing(FRAMES)
    run = Run(httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=body))

    async def fail(delta: Delta) -> None:
        raise RuntimeError("listener")

    with pytest.raises(RuntimeError, match="listener"):
        await run.session.stream_turn(fail)
    assert body.closed


# --- the container of a program -----------------------------------------------------------------------------

CONTAINER = {"id": "container_1", "expires_at": "2026-11-25T00:00:00Z"}
PROGRAM = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "1"}}
CALLER = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
FROM_PROGRAM = {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}, "caller": CALLER}


def pausing(*, stream: bool, container: dict[str, Any] | None = CONTAINER) -> httpx2.Response:
    """A response that waits for the call of a program."""
    usage = {"input_tokens": 5, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": usage}
    if not stream:
        ended = {"stop_reason": "tool_use", "stop_sequence": None, "container": container}
        return response(
            [json.dumps({**head, "content": [PROGRAM, FROM_PROGRAM], **ended}).encode()], "application/json"
        )
    delta = {"stop_reason": "tool_use", "stop_sequence": None, "container": container}
    return stream_of(
        {"type": "message_start", "message": {**head, "content": []}},
        *block(0, PROGRAM),
        *block(1, FROM_PROGRAM),
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    )


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.anyio
async def test_a_program_goes_on_in_its_container(stream: bool) -> None:
    run = Run(pausing(stream=stream), pausing(stream=stream, container=None), pausing(stream=stream), stream=stream)
    for _ in range(3):
        await run.turn()
    assert [body.get("container") for body in run.bodies] == [None, "container_1", "container_1"]


@pytest.mark.anyio
async def test_a_container_keeps_its_skills() -> None:
    run = Run(pausing(stream=True), pausing(stream=True))
    skills = [{"type": "anthropic", "skill_id": "xlsx"}]
    run.session.set_params(container={"skills": skills})
    await run.turn()
    await run.turn()
    assert run.bodies[1]["container"] == {"skills": skills, "id": "container_1"}


@pytest.mark.anyio
async def test_a_streamed_turn() -> None:
    await is_read_and_goes_back("anthropic-messages", KINDS["any-order"])
