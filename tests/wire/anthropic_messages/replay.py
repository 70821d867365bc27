"""The official SDK over bytes in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx2

from harness.wire import Conversation, Identity, Rendered, Turn
from harness.wire.anthropic_messages import WIRE
from tests.sdks import anthropic
from tests.wire.openai_anthropic.transport import Chunks, cut, response

__all__ = ["Chunks", "cut", "response"]

MODEL = "claude-sonnet-4-6"


def conversation(*, stream: bool = True) -> Conversation:
    return Conversation("anthropic-messages", MODEL, stream, ())


def rendered(turn: Turn, *, stream: bool = True, seed: str = "seed") -> Rendered:
    return WIRE.render(turn, Identity(seed), conversation(stream=stream))


class Replay(httpx2.AsyncBaseTransport):
    """Answers each request with the next of the given responses and keeps the requests."""

    def __init__(self, *answers: httpx2.Response | Exception) -> None:
        self._answers = list(answers)
        self.requests: list[httpx2.Request] = []
        self.closed = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def aclose(self) -> None:
        self.closed = True


def client(transport: httpx2.AsyncBaseTransport) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(
        api_key="key", base_url="http://model.test", max_retries=0, http_client=httpx2.AsyncClient(transport=transport)
    )


async def stream_events(chunks: Sequence[bytes | Exception]) -> list[Any]:
    """The events that ``create(stream=True)`` yields."""
    async with client(Replay(response(chunks))) as sdk:
        stream = await sdk.messages.create(
            model=MODEL, max_tokens=10, messages=[{"role": "user", "content": "hi"}], stream=True
        )
        return [event async for event in stream]
