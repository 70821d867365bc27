"""The in-process driver: an httpx2 transport that hands an SDK's requests to the gateway without a socket.

The response streams chunk by chunk, exactly as planned (httpx2's own ASGITransport joins the body), and a cut or
reset surfaces as the exception that the real network stack raises.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from harness.gateway.answer import Answer
from harness.gateway.desk import Desk
from harness.gateway.gateway import Gateway
from harness.trace import End

__all__ = ["GatewayTransport"]


class GatewayTransport(httpx2.AsyncBaseTransport):
    """Give it to ``httpx2.AsyncClient(transport=...)``; one may serve many clients and cases."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        path = request.url.raw_path.decode("ascii")
        desk, exchange, answer = self._gateway.answer(request.method, path, dict(request.headers), body)
        return httpx2.Response(
            answer.status, headers=dict(answer.headers), stream=_ChunkStream(desk, exchange, answer, request)
        )


class _ChunkStream(httpx2.AsyncByteStream):
    def __init__(self, desk: Desk | None, exchange: int, answer: Answer, request: httpx2.Request) -> None:
        self._desk = desk
        self._exchange = exchange
        self._answer = answer
        self._request = request
        self._delivered = 0
        self._ended: End = "closed"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        recorder = self._desk.recorder if self._desk else None
        for chunk in self._answer.chunks:
            self._delivered += 1
            if recorder is not None:
                recorder.delivered(len(chunk))
            yield chunk
        self._ended = self._answer.end
        if self._ended == "cut":
            raise httpx2.RemoteProtocolError(
                "peer closed connection without sending complete message body (incomplete chunked read)",
                request=self._request,
            )
        if self._ended == "reset":
            raise httpx2.ReadError("connection reset by peer", request=self._request)

    async def aclose(self) -> None:
        desk, self._desk = self._desk, None
        if desk is not None:
            chunks = self._answer.chunks[: self._delivered]
            desk.recorder.response(self._exchange, self._answer.status, self._answer.headers, chunks, self._ended)
