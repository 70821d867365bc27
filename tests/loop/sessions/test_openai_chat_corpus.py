"""Every recorded Chat answer through the session, against a second reading of the raw JSON and against the SDK."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState

from harness.loop.session import (
    AssistantDelta,
    Delta,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
    ThinkingDelta,
    ToolCallDelta,
)
from harness.loop.sessions.openai_chat import OpenAIChatSession
from harness.wire import Stop
from tests.wire.openai_chat.chat_corpus import Recorded, Said, recorded, said
from tests.wire.openai_chat.chat_support import Answers, cut, response, sdk

pytestmark = pytest.mark.anyio


async def replay(exchange: Recorded, size: int = 1 << 20) -> tuple[ProviderTurn, list[Delta]]:
    """The session's reading of a recorded answer that arrives in pieces of ``size`` bytes."""
    body = (exchange.response or "").encode()
    kind = "text/event-stream" if exchange.is_stream else "application/json"
    transport = Answers(lambda _: response(cut(body, size), kind))
    told: list[Delta] = []

    async def hear(delta: Delta) -> None:
        told.append(delta)

    config = SessionConfig("m", [("user", "U")], (), "http://model.test", stream=exchange.is_stream)
    return await OpenAIChatSession(config, sdk(transport)).stream_turn(hear), told


def assert_agrees(turn: ProviderTurn, told: list[Delta], expected: Said, file: str) -> None:
    assert turn.assistant_text == expected.text, file
    assert turn.thinking_text == expected.thinking, file
    assert turn.refusal == expected.refusal, file
    assert [(call.name, call.arguments) for call in turn.tool_calls] == expected.named_calls, file
    ids = [call.id for call in turn.tool_calls]
    assert len(set(ids)) == len(ids), file
    assert all(call_id == sent for call_id, (sent, _, _) in zip(ids, expected.calls, strict=True) if sent), file
    assert (turn.usage.input, turn.usage.output) == expected.total_tokens, file
    assert (turn.stop is Stop.MAX_TOKENS) == (expected.finish_reason == "length"), file
    assert (turn.stop is Stop.TOOL_CALLS) == (bool(ids) and expected.finish_reason != "length"), file
    assert "".join(delta.text for delta in told if isinstance(delta, AssistantDelta)) == expected.text, file
    assert "".join(delta.text for delta in told if isinstance(delta, ThinkingDelta)) == expected.thinking, file
    for call in turn.tool_calls:
        pieces = [delta.arguments for delta in told if isinstance(delta, ToolCallDelta) and delta.id == call.id]
        assert "".join(pieces) == call.arguments, file


async def test_every_recorded_answer_agrees_with_its_raw_json(shared: Path) -> None:
    counts: Counter[str] = Counter()
    for exchange in recorded(shared):
        if not exchange.is_answer:
            continue
        expected = said(exchange)
        if not expected.is_whole:
            with pytest.raises(StreamFailed, match="." if expected.failed else "finish_reason"):
                await replay(exchange)
            counts["in-stream error" if expected.failed else "no finish_reason"] += 1
            continue
        turn, told = await replay(exchange)
        assert_agrees(turn, told, expected, exchange.file)
        counts["streamed" if exchange.is_stream else "whole"] += 1
    assert counts == {"streamed": 355, "whole": 398, "in-stream error": 8, "no finish_reason": 3}


@pytest.mark.parametrize("size", [1, 7])
async def test_recorded_streams_agree_in_any_chunks(size: int, shared: Path) -> None:
    streams = [e for e in recorded(shared) if e.is_answer and e.is_stream and said(e).is_whole]
    sample = [exchange for exchange in streams if len(exchange.response or "") < 20_000][:: 20 // size]
    for exchange in sample:
        assert await replay(exchange, size) == await replay(exchange), exchange.file
    assert len(sample) >= 10


async def test_recorded_streams_agree_with_the_accumulation_of_the_sdk(shared: Path) -> None:
    """Its helper raises on calls without index, null arguments and content that is a list: those are passed over."""
    agreed = passed_over = 0
    for exchange in recorded(shared):
        if not (exchange.is_answer and exchange.is_stream) or not said(exchange).is_whole:
            continue
        message = await _accumulated_by_sdk(exchange)
        if message is None:
            passed_over += 1
            continue
        turn, _ = await replay(exchange)
        assert turn.assistant_text == (message.content or ""), exchange.file
        calls = [(call.function.name or "", call.function.arguments or "") for call in message.tool_calls or ()]
        assert [(call.name, call.arguments) for call in turn.tool_calls] == calls, exchange.file
        agreed += 1
    assert (agreed, passed_over) == (347, 8)


async def _accumulated_by_sdk(exchange: Recorded) -> Any:
    body = (exchange.response or "").encode()
    state: Any = ChatCompletionStreamState()
    stream = await sdk(lambda _: response([body])).chat.completions.create(model="m", messages=[], stream=True)
    async for chunk in stream:
        try:
            state.handle_chunk(chunk)
        except Exception:  # noqa: BLE001 - the helper fails in many ways on other servers' chunks
            return None
    return state.current_completion_snapshot.choices[0].message
