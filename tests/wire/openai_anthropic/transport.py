"""The official SDKs over bytes in memory: responses in pieces, and a transport that answers with them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any

import httpx2


def cut(body: bytes, size: int) -> list[bytes]:
    """``body`` in pieces of ``size`` bytes, wherever they fall."""
    return [body[at : at + size] for at in range(0, len(body), size)]


class Chunks(httpx2.AsyncByteStream):
    """A response body in the given pieces; an exception among them is raised in its place."""

    def __init__(self, chunks: Iterable[bytes | Exception]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk


def response(
    chunks: Iterable[bytes | Exception],
    content_type: str = "text/event-stream; charset=utf-8",
    end: Exception | None = None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> httpx2.Response:
    """A response of these pieces, and then ``end`` if there is one."""
    pieces = [*chunks, *([end] if end is not None else [])]
    return httpx2.Response(status, headers={"content-type": content_type, **(headers or {})}, stream=Chunks(pieces))


class Answers(httpx2.AsyncBaseTransport):
    """Answers every request in process; remembers the bodies that were sent."""

    def __init__(self, answer: Callable[[bytes], httpx2.Response]) -> None:
        self._answer = answer
        self.requests: list[httpx2.Request] = []
        self.bodies: list[dict[str, Any]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        self.requests.append(request)
        self.bodies.append(json.loads(body))
        return self._answer(body)
