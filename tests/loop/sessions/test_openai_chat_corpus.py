"""The independent reading of ``tests/recorded/corpus``, compared with the SDK's own accumulation of streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness_lab.recorded.sessions import openai_chat
from harness_lab.recorded.sessions.recorded_turn import RecordedTurn
from tests.recorded.corpus.shared_exchanges import first_streams
from tests.sdks import openai
from tests.wire.openai_chat.chat_support import response, sdk

pytestmark = pytest.mark.anyio


@pytest.mark.exhaustive
async def test_the_reading_of_recorded_streams_agrees_with_the_accumulation_of_the_sdk(shared: Path) -> None:
    """Its helper raises on calls without index, null arguments and content that is a list: those are passed over."""
    agreed = passed_over = 0
    for exchange in first_streams(shared, "openai-chat"):
        body = exchange.response or b""
        if not isinstance(said := openai_chat.recorded_turn(body, streamed=True), RecordedTurn):
            continue
        message = await _accumulated_by_sdk(body)
        if message is None:
            passed_over += 1
            continue
        assert said.text == (message.content or ""), exchange.name
        calls = [(call.function.name or "", call.function.arguments or "") for call in message.tool_calls or ()]
        assert [(call.name, call.arguments) for call in said.calls] == calls, exchange.name
        agreed += 1
    assert (agreed, passed_over) == (162, 8)


async def _accumulated_by_sdk(body: bytes) -> Any:
    state: Any = openai.lib.streaming.chat.ChatCompletionStreamState()
    stream = await sdk(lambda _: response([body])).chat.completions.create(model="m", messages=[], stream=True)
    async for chunk in stream:
        try:
            state.handle_chunk(chunk)
        except Exception:  # noqa: BLE001 - the helper fails in many ways on other servers' chunks
            return None
    return state.current_completion_snapshot.choices[0].message
