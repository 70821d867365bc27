"""A transport that answers with a recorded response from memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import httpx2

from harness.cassette.forms import Response

_KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms")


class ReplayTransport(httpx2.AsyncBaseTransport):
    """Answers a request with the last response that ``answer`` was called with. ``asked`` is the body of the last
    request."""

    def __init__(self) -> None:
        self.asked = b""
        self._next = httpx2.Response(500)

    def answer(self, response: Response, pieces: Sequence[bytes] = ()) -> None:
        """Answer the next request with ``response``, its body in ``pieces`` or in one."""
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        if response.streamed or "content-type" not in headers:
            # Recorders leave it out, or name it after the file that they wrote.
            headers["content-type"] = "text/event-stream" if response.streamed else "application/json"
        self._next = httpx2.Response(response.status, headers=headers, stream=_Pieces(pieces or [response.body]))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Keep the request's body and return the response."""
        self.asked = await request.aread()
        return self._next


class _Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
