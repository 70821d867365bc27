"""The in-process driver: an httpx2 transport that hands an SDK's requests to the endpoint without a socket.

The response streams chunk by chunk, exactly as planned (httpx2's own ASGITransport joins the body), and a cut or
reset surfaces as the exception that the real network stack raises.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence

import httpx2

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.endpoint import Endpoints
from harness.endpoint.response_plan import ResponsePlan
from harness.endpoint.source import Arriving, LiveResponse, ResponseBroken
from harness.trace import End
from harness.wire.chunking import by_lines


class EndpointTransport(httpx2.AsyncBaseTransport):
    """Use it as ``httpx2.AsyncClient(transport=...)``; one may serve many clients and cases.

    With ``whole_lines`` the client gets the pieces of a line together, when the line is complete. The trace still has
    every piece. Use it for a loop that reads lines: for a body in pieces of one byte, the line decoders of the SDKs
    take longer than the rest of the case.
    """

    def __init__(self, endpoints: Endpoints, *, whole_lines: bool = False) -> None:
        self._endpoints = endpoints
        self._whole_lines = whole_lines

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer the request by the endpoint; the body of the response streams piece by piece."""
        body = await request.aread()
        path = request.url.raw_path.decode("ascii")
        headers = dict(request.headers.items())  # not of the mapping itself: it looks through all names for each
        endpoint, exchange, answer = self._endpoints.answer(request.method, path, headers, body)
        if isinstance(answer, LiveResponse):
            assert endpoint is not None  # noqa: S101 - only the endpoint of a case has somebody else answer
            arriving = await answer.open()
            endpoint.recorder.respond(exchange, arriving.status, arriving.headers)
            return _StreamedResponse(
                arriving.status, arriving.headers, _ArrivingStream(endpoint, exchange, arriving, request)
            )
        chunks = _ChunkStream(endpoint, exchange, answer, request, whole_lines=self._whole_lines)
        if not answer.status:
            raise await chunks.unanswered()
        return _StreamedResponse(answer.status, answer.headers, chunks)


class _StreamedResponse(httpx2.Response):
    """Passes its body on as it is delivered.

    httpx2 passes every piece through five generators, which decode it, cut it to size and measure the time. If there is
    nothing to decode or cut, they change nothing, but with one piece per byte they take as long as the SDK itself.
    """

    def __init__(self, status: int, headers: Mapping[str, str], pieces: httpx2.AsyncByteStream) -> None:
        super().__init__(status, headers=dict(headers), stream=pieces)
        self._pieces = pieces

    def aiter_bytes(self, chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        """The pieces of the body, decoded (``httpx2.Response``)."""
        changed = chunk_size is not None or "content-encoding" in self.headers or hasattr(self, "_content")
        return super().aiter_bytes(chunk_size) if changed else self.aiter_raw()

    async def aiter_raw(self, chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        """The pieces of the body as delivered. The Gemini session recognises a broken body by this frame's name."""
        if chunk_size is not None or self.is_stream_consumed or self.is_closed:
            async for piece in super().aiter_raw(chunk_size):  # or its refusal of a body that was read before
                yield piece
            return
        self.is_stream_consumed = True
        try:
            if isinstance(self._pieces, _ChunkStream) and not self._pieces.is_slow:
                for piece in self._pieces.at_once():
                    yield piece
            else:
                async for piece in self._pieces:
                    yield piece
        finally:
            await self.aclose()


class _ChunkStream(httpx2.AsyncByteStream):
    def __init__(
        self,
        endpoint: CaseEndpoint | None,
        exchange: int,
        answer: ResponsePlan,
        request: httpx2.Request,
        *,
        whole_lines: bool = False,
    ) -> None:
        self._waits = deque(answer.waits)
        self._pauses = deque(answer.pauses)
        self._yielded = 0
        self._endpoint = endpoint
        self._exchange = exchange
        joined = whole_lines and answer.apart and not answer.waits and not answer.pauses
        self._left: deque[Sequence[bytes]] = deque(by_lines(answer.chunks) if joined else zip(answer.chunks))
        self._last = answer.end
        self._request = request
        self._end: End = "closed"
        self._deliver = (
            _to_nobody if endpoint is None else endpoint.recorder.respond(exchange, answer.status, answer.headers)
        )

    @property
    def is_slow(self) -> bool:
        """Whether something is awaited between the remaining pieces."""
        return bool(self._waits or self._pauses)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # A new iteration continues where the last one stopped, like a connection: an SDK drains the rest of a stream.
        pieces = self.at_once()
        while True:
            await self._pause()
            if self._waits and self._left:
                await asyncio.sleep(self._waits.popleft())
            try:
                piece = next(pieces)
            except StopIteration:
                return
            self._yielded += 1
            if not self._left:
                for pause in self._pauses:
                    pause.reached()
            yield piece

    async def _pause(self) -> None:
        while self._left and self._pauses and self._pauses[0].after <= self._yielded:
            if (over := self._pauses.popleft().reached()) is not None:
                await over

    def at_once(self) -> Iterator[bytes]:
        """The remaining pieces, without the waits before them; then the error, if the connection broke."""
        left, deliver = self._left, self._deliver
        while left:
            piece = deliver(left.popleft())
            if not left and self._last == "eof":
                self._end = "eof"  # a client that has every byte need not ask for more
            yield piece
        self._end = self._last
        if self._end == "cut":
            raise _cut(self._request)
        if self._end == "reset":
            raise _reset(self._request)

    async def unanswered(self) -> httpx2.TransportError:
        """The error of a connection that ends before the first byte of an answer."""
        for pause in self._pauses:
            pause.reached()
        self._end = self._last
        await self.aclose()
        if self._end == "reset":
            return _reset(self._request)
        return httpx2.RemoteProtocolError("Server disconnected without sending a response.", request=self._request)

    async def aclose(self) -> None:
        if self._endpoint is not None:
            self._endpoint.ended(self._exchange, self._end)


class _ArrivingStream(httpx2.AsyncByteStream):
    """A response that is passed on while it arrives."""

    def __init__(self, endpoint: CaseEndpoint, exchange: int, arriving: Arriving, request: httpx2.Request) -> None:
        self._endpoint = endpoint
        self._exchange = exchange
        self._arriving = arriving
        self._pieces = aiter(arriving)
        self._request = request
        self._end: End = "closed"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._pieces:
                self._endpoint.recorder.delivered(self._exchange, chunk)
                yield chunk
        except ResponseBroken:
            self._end = "cut"
            raise _cut(self._request) from None
        self._end = "eof"

    async def aclose(self) -> None:
        self._endpoint.ended(self._exchange, await self._arriving.close(self._end))


def _to_nobody(pieces: Sequence[bytes]) -> bytes:
    """Join the pieces without recording them: they belong to no case."""
    return b"".join(pieces)


def _cut(request: httpx2.Request) -> httpx2.RemoteProtocolError:
    return httpx2.RemoteProtocolError(
        "peer closed connection without sending complete message body (incomplete chunked read)", request=request
    )


def _reset(request: httpx2.Request) -> httpx2.ReadError:
    """The error of a reset connection, without a message, as over a socket."""
    return httpx2.ReadError("", request=request)
