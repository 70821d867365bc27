"""The official SDK over bytes in memory: what a test scripts is what the client reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import httpx2

from tests.sdks import genai
from tests.wire.openai_anthropic.transport import response as answered


def config() -> genai.types.GenerateContentConfig:
    """The SDK sends one request, and runs no call itself."""
    calling = genai.types.AutomaticFunctionCallingConfig(disable=True)
    return genai.types.GenerateContentConfig(automatic_function_calling=calling, automatic_continuation=False)


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
    return answered(chunks, content_type, failure)


async def responses_of(chunks: Iterable[bytes], content_type: str = "text/event-stream") -> list[Any]:
    """The response objects that the SDK makes of a body: one of a document, and of a stream one of each event."""
    endpoint = Endpoint(lambda _: stream(chunks, content_type=content_type))
    options = genai.types.HttpOptions(httpx_async_client=httpx2.AsyncClient(transport=endpoint), base_url="http://gem")
    models = genai.Client(vertexai=False, api_key="k", http_options=options).aio.models
    asked: dict[str, Any] = {"model": "gemini-3.6-flash", "contents": "hi", "config": config()}
    if content_type != "text/event-stream":
        return [await models.generate_content(**asked)]
    return [chunk async for chunk in await models.generate_content_stream(**asked)]


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
