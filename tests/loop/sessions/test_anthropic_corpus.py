"""Every recorded response through the session's reader, against the SDK's own accumulation of the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message

from harness.loop.session import ProviderTurn, StreamFailed
from harness.loop.sessions.anthropic_messages import TurnReader, read_message
from harness.wire.anthropic_messages.blocks import stop_of
from harness.wire.sse import parse_events
from tests.wire.anthropic_messages.corpus import Exchange, exchanges
from tests.wire.anthropic_messages.replay import MODEL, Replay, client, cut, response, stream_events

ASKED: dict[str, Any] = {"model": MODEL, "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}


async def streamed(chunks: list[bytes]) -> ProviderTurn:
    reader = TurnReader()
    for event in await stream_events(chunks):
        reader.feed(event)
    return reader.finish()


def as_sent(body: bytes) -> list[bytes]:
    """The streams of a recording as a server sends them.

    Some recordings lost their ``event`` lines or the last blank line, some hold several responses in a row.
    """
    if not body.startswith(b"event:"):
        events = [(json.loads(event.data)["type"], event.data) for event in parse_events(body)]
        body = b"".join(f"event: {name}\ndata: {data}\n\n".encode() for name, data in events)
    start = b"event: message_start"
    return [start + rest.rstrip(b"\n") + b"\n\n" for rest in body.split(start)[1:]]


def recorded_streams(shared: Path) -> list[bytes]:
    recordings = [each.response for each in exchanges(shared) if each.status == 200 and each.streamed]
    return [body for recording in recordings for body in as_sent(recording)]


async def accumulated(body: bytes) -> Any:
    """What the SDK itself makes of a stream; its beta side knows the blocks of betas too."""
    async with client(Replay(response([body]))) as sdk, sdk.beta.messages.stream(**ASKED) as stream:
        return await stream.get_final_message()


async def whole(each: Exchange) -> Message:
    async with client(Replay(response([each.response], "application/json"))) as sdk:
        message: Message = await sdk.messages.create(**ASKED)
    return message


def native(block: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = block.model_dump(by_alias=True, exclude_unset=True, warnings=False)
    dumped.pop("parsed_output", None)
    return dumped


def check(turn: ProviderTurn, message: Any) -> None:
    blocks = [native(block) for block in message.content]
    calls = [block for block in blocks if block["type"] == "tool_use"]
    assert turn.assistant_text == "".join(block["text"] for block in blocks if block["type"] == "text")
    assert turn.thinking_text == "".join(block["thinking"] for block in blocks if block["type"] == "thinking")
    assert [(call.id, call.name) for call in turn.tool_calls] == [(block["id"], block["name"]) for block in calls]
    whole = {call.id: json.loads(call.arguments) for call in turn.tool_calls if _is_json(call.arguments)}
    assert whole == {block["id"]: block["input"] for block in calls if block["id"] in whole}
    assert (turn.stop, turn.usage.output) == (stop_of(message.stop_reason), message.usage.output_tokens)
    kept = [block for block in blocks if block.get("text") != ""]
    if any(block["type"] != "text" or block["text"].strip() for block in kept):
        assert [_comparable(block) for block in turn.assistant_turn] == [
            _comparable(block | ({"input": CUT} if block["type"] == "tool_use" and block["id"] not in whole else {}))
            for block in kept
        ]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


CUT: dict[str, str] = {}


def _comparable(block: dict[str, Any]) -> dict[str, Any]:
    """Without nulls, which the SDK's accumulator adds, and without arguments that max_tokens cut, which it guesses."""
    cut_short = isinstance(block.get("input"), dict) and "INVALID_JSON" in block["input"]
    said = {name: value for name, value in block.items() if value is not None}
    return said | ({"input": CUT} if cut_short else {})


@pytest.mark.anyio
async def test_streamed_responses(shared: Path) -> None:
    streams = recorded_streams(shared)
    assert len(streams) > 130
    for body in streams:
        check(await streamed([body]), await accumulated(body))


@pytest.mark.anyio
async def test_without_its_last_event_a_recording_is_no_turn(shared: Path) -> None:
    for body in recorded_streams(shared)[::10]:
        with pytest.raises(StreamFailed):
            await streamed([body[: body.rindex(b"event: message_stop")]])


@pytest.mark.anyio
async def test_responses_that_are_not_streamed(shared: Path) -> None:
    responses = [each for each in exchanges(shared) if each.status == 200 and not each.streamed]
    for each in responses:
        message = await whole(each)
        check(read_message(message), message)
    assert len(responses) > 200


@pytest.mark.anyio
@pytest.mark.parametrize("size", [1, 5, 64])
async def test_streamed_responses_cut_anew(shared: Path, size: int) -> None:
    sample = [body for body in recorded_streams(shared) if len(body) < 6000][::6]
    assert len(sample) > 8
    for body in sample:
        assert await streamed(cut(body, size)) == await streamed([body])
