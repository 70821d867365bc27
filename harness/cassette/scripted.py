"""A scripted endpoint instead of an upstream, to record wires without an available model."""

from __future__ import annotations

import time

import httpx2

from harness.endpoint import CaseEndpoint, Conversations, Endpoints, Source
from harness.endpoint.transport import EndpointTransport
from harness.trace import Case


class ScriptedTransport(httpx2.AsyncBaseTransport):
    """Answers every request, whatever its host, with the next step of a script.

    ``apart`` distinguishes the conversations of the case, if side conversations have their own answers.
    """

    def __init__(self, case: Case, script: Source, apart: Conversations | None = None) -> None:
        endpoints = Endpoints()
        self._prefix = endpoints.open(case.id, CaseEndpoint(case, script, clock=time.perf_counter, apart=apart))
        self._transport = EndpointTransport(endpoints)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer the request in this process; its path is appended to the case's."""
        raw = self._prefix.encode() + request.url.raw_path
        url = request.url.copy_with(raw_path=raw)
        inner = httpx2.Request(
            request.method, url, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        return await self._transport.handle_async_request(inner)
