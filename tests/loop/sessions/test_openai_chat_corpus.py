"""What ``tests/corpus`` holds the session against, held against the SDK's own accumulation of recorded streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState

from harness_lab.corpus import openai_chat
from harness_lab.corpus.said import Said
from tests.corpus.shared_exchanges import first_streams
from tests.wire.openai_chat.chat_support import response, sdk

pytestmark = pytest.mark.anyio


async def test_the_reading_of_recorded_streams_agrees_with_the_accumulation_of_the_sdk(shared: Path) -> None:
    """Its helper raises on calls without index, null arguments and content that is a list: those are passed over."""
    agreed = passed_over = 0
    for exchange in first_streams(shared, "openai-chat"):
        body = exchange.response or b""
        if not isinstance(said := openai_chat.said(body, streamed=True), Said):
            continue
        message = await _accumulated_by_sdk(body)
        if message is None:
            passed_over += 1
            continue
        assert said.text == (message.content or ""), exchange.name
        calls = [(call.function.name or "", call.function.arguments or "") for call in message.tool_calls or ()]
        assert [(call.name, call.arguments) for call in said.calls] == calls, exchange.name
        agreed += 1
    assert (agreed, passed_over) == (161, 8)


async def _accumulated_by_sdk(body: bytes) -> Any:
    state: Any = ChatCompletionStreamState()
    stream = await sdk(lambda _: response([body])).chat.completions.create(model="m", messages=[], stream=True)
    async for chunk in stream:
        try:
            state.handle_chunk(chunk)
        except Exception:  # noqa: BLE001 - the helper fails in many ways on other servers' chunks
            return None
    return state.current_completion_snapshot.choices[0].message
