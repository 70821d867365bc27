"""The official SDK over bytes in memory: what a test scripts is what the client reads."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any

import httpx2

from tests.sdks import genai


def config() -> genai.types.GenerateContentConfig:
    """The SDK sends one request, and runs no call itself."""
    calling = genai.types.AutomaticFunctionCallingConfig(disable=True)
    return genai.types.GenerateContentConfig(automatic_function_calling=calling, automatic_continuation=False)


class Chunks(httpx2.AsyncByteStream):
    """A body in the given pieces; ``failure`` breaks it after the last one."""

    def __init__(self, chunks: Iterable[bytes], failure: Exception | None = None) -> None:
        self._chunks = list(chunks)
        self._failure = failure

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._failure:
            raise self._failure


Answer = Callable[[httpx2.Request], httpx2.Response]


class Endpoint(httpx2.AsyncBaseTransport):
    """Answers with ``answer`` and keeps the requests, their bodies parsed."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.answer = answer or (lambda _: stream([b""]))
        self.requests: list[httpx2.Request] = []
        self.bodies: list[Any] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        self.bodies.append(json.loads(await request.aread()))
        return self.answer(request)


def stream(
    chunks: Iterable[bytes], failure: Exception | None = None, content_type: str = "text/event-stream"
) -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": content_type}, stream=Chunks(chunks, failure))


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


def generating(chunks: Iterable[bytes], content_type: str) -> genai.Client:
    """A client each of whose requests is answered with these bytes."""
    endpoint = Endpoint(lambda _: stream(chunks, content_type=content_type))
    options = genai.types.HttpOptions(httpx_async_client=httpx2.AsyncClient(transport=endpoint), base_url="http://gem")
    return genai.Client(vertexai=False, api_key="k", http_options=options)


async def read_stream(client: genai.Client, endpoint: Endpoint, chunks: Sequence[bytes]) -> list[Any]:
    """The response objects that the SDK makes of a streamed body."""
    endpoint.answer = lambda _: stream(chunks)
    answer = await client.aio.models.generate_content_stream(model="gemini-3.6-flash", contents="hi", config=config())
    return [chunk async for chunk in answer]


def accumulated(responses: Iterable[Any]) -> dict[str, Any]:
    """What the SDK's objects say, put together without any code of the harness."""
    said: dict[str, Any] = {"text": "", "thoughts": "", "calls": [], "finish": None, "signatures": [], "parts": 0}
    for response in responses:
        said["usage"] = response.usage_metadata
        for candidate in response.candidates or ():
            said["finish"] = candidate.finish_reason.value if candidate.finish_reason else said["finish"]
            for part in (candidate.content and candidate.content.parts) or ():
                said["parts"] += 1
                if part.thought_signature:
                    said["signatures"].append(part.thought_signature)
                if part.function_call:
                    call = part.function_call
                    said["calls"].append((call.name, call.args or {}, call.id or ""))
                elif part.text and not part.thought:
                    said["text"] += part.text
                elif part.text:
                    said["thoughts"] += part.text
    return said
