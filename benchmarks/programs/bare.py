"""The provider SDKs alone: recorded requests sent again, ready answers read to their end, nothing done with them.

    python bare.py CONVERSATIONS.json

The file is ``{wire: [[[request body, content type, response body], ...], ...]}``: per wire its conversations, one per
case. Nothing of the harness is imported, and one client per wire serves all of its conversations.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import chain
from pathlib import Path
from typing import Any

import httpx2

Send = Callable[[], Awaitable[AsyncIterator[Any]]]


class Ready(httpx2.AsyncBaseTransport):
    """Answers each request with the next ready answer, in one chunk."""

    def __init__(self) -> None:
        self.answers: deque[tuple[str, bytes]] = deque()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        content_type, body = self.answers.popleft()
        return httpx2.Response(200, headers={"content-type": content_type}, stream=_Whole(body))


class _Whole(httpx2.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body


def sender(
    wire: str, transport: httpx2.AsyncBaseTransport, base: str = "http://bare", *, streamed: bool = True
) -> Callable[[Any], Send]:
    """Makes of a request body what sends it through the SDK of ``wire``, on one client, and gives the stream.

    A body that does not ask for a stream gives the whole answer in its place. Gemini's bodies do not say: ``streamed``
    does.
    """
    http = httpx2.AsyncClient(transport=transport)
    if wire == "gemini-generate":
        return _google(http, streamed)
    if wire == "anthropic-messages":
        from anthropic import AsyncAnthropic

        anthropic = AsyncAnthropic(api_key="k", base_url=base, http_client=http, max_retries=0)
        return lambda body: lambda: anthropic.messages.create(**body)
    from openai import AsyncOpenAI

    openai = AsyncOpenAI(api_key="k", base_url=f"{base}/v1", http_client=http, max_retries=0)
    resource: Any = openai.responses if wire == "openai-responses" else openai.chat.completions
    return lambda body: lambda: resource.create(**body)


def _google(http: httpx2.AsyncClient, streamed: bool) -> Callable[[Any], Send]:
    from google.genai import Client
    from google.genai.types import AutomaticFunctionCallingConfig, GenerateContentConfig, HttpOptions

    models: Any = Client(
        api_key="k", http_options=HttpOptions(base_url="http://bare", httpx_async_client=http)
    ).aio.models
    ask = models.generate_content_stream if streamed else models.generate_content

    def send(body: Any) -> Send:
        config = GenerateContentConfig(
            system_instruction=body["systemInstruction"]["parts"][0]["text"],
            tools=body["tools"],
            automatic_function_calling=AutomaticFunctionCallingConfig(disable=True),
        )
        contents = body["contents"]
        return lambda: ask(model="gemini", contents=contents, config=config)

    return send


async def _read(conversations: dict[str, list[list[tuple[str, str, str]]]]) -> None:
    for wire, cases in conversations.items():
        transport = Ready()
        send = sender(wire, transport)
        for request, content_type, response in chain.from_iterable(cases):
            transport.answers.append((content_type, response.encode()))
            async for _ in await send(json.loads(request))():
                pass


if __name__ == "__main__":
    asyncio.run(_read(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
