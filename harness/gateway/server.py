"""The socket driver: the gateway on a loopback port, for loops in any language.

Every planned chunk is a chunk of HTTP, and a write of its own where the response is cut inside its events; a cut closes
the connection inside the body, a reset aborts it with RST.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from harness.errors import BadInput
from harness.gateway.case_endpoint import CaseEndpoint
from harness.gateway.gateway import Gateway, proxy_user
from harness.gateway.http_messages import (
    CONTINUE,
    TUNNEL_OPENED,
    HttpRequest,
    NotHttp,
    RequestReader,
    chunks_of,
    end_of,
    head_of,
)
from harness.gateway.loopback import is_loopback
from harness.gateway.response_plan import ResponsePlan
from harness.gateway.source import Arriving, ResponseBroken
from harness.trace import End

if TYPE_CHECKING:
    from harness.gateway.authority import Authority

__all__ = ["serving"]

_HOST = "127.0.0.1"
_READ = 64 * 1024
_WRITE = 64 * 1024
"""Bytes of a response after which the server waits for the client to take them."""

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_GONE = (ConnectionError, asyncio.IncompleteReadError)

Deliver = Callable[[Sequence[bytes]], None]
"""Takes pieces of a body that are about to reach the client."""


@contextlib.asynccontextmanager
async def serving(gateway: Gateway, port: int = 0, authority: Authority | None = None) -> AsyncIterator[str]:
    """Serve ``gateway`` on the loopback address while the block runs; gives ``http://127.0.0.1:PORT``.

    ``port`` 0 takes a free one. With an ``authority`` a client that uses the endpoint as its proxy reaches it under the
    providers' own hosts, too. Raises ``BadInput`` when the port is taken.
    """
    driver = _ProtocolDriver(gateway, authority)
    try:
        server = await asyncio.start_server(driver.connected, _HOST, port, limit=_READ)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(
            f"cannot listen on {_HOST}:{port}: {reason}; choose another --port, or 0 for a free one"
        ) from None
    try:
        yield f"http://{_HOST}:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await driver.stop()
        await server.wait_closed()


class _ProtocolDriver:
    def __init__(self, gateway: Gateway, authority: Authority | None) -> None:
        self._gateway = gateway
        self._authority = authority
        self._tasks: set[asyncio.Task[None]] = set()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - asyncio runs every connection callback in a task
        self._tasks.add(task)
        try:
            await _Connection(self._gateway, reader, writer, self._authority).serve()
        except _GONE:
            pass  # the loop went away; what it received is in the trace
        except asyncio.CancelledError:  # stopped: Python 3.11 reports a cancelled connection as an error
            writer.transport.abort()  # a TLS connection would wait for the client to close it
        finally:
            self._tasks.discard(task)
            writer.close()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class _Connection:
    """One client connection: requests one after another until either side closes it.

    ``case`` is None but for what came through a tunnel to a provider's host, where paths do not name the case: then it
    is the one that the client has named as the user of its proxy, or empty.
    """

    def __init__(
        self,
        gateway: Gateway,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        authority: Authority | None = None,
        case: str | None = None,
    ) -> None:
        self._gateway = gateway
        self._reader = reader
        self._writer = writer
        self._authority = authority
        self._case = case
        self._requests = RequestReader()

    async def serve(self) -> None:
        try:
            await self._serve()
        except NotHttp as problem:
            await self._protest(problem)

    async def _serve(self) -> None:
        while (request := await self._request()) is not None:
            if request.method == "CONNECT" and await self._opened(request):
                return
            answered = await self._answered(request)
            if not answered or not request.keeps_alive:
                return

    async def _opened(self, request: HttpRequest) -> bool:
        """Whether the client has got the tunnel that it asks for; all that came through it is answered."""
        if self._is_own(request.target):
            await self._tunnelled()
        elif self._authority is not None and self._authority.speaks_for(request.target):
            await self._as_provider(request.target, proxy_user(request.headers), self._authority)
        else:
            return False
        return True

    def _is_own(self, target: str) -> bool:
        """Whether a client asks its proxy for a tunnel to this server: some tunnel whatever they ask."""
        host, _, port = target.rpartition(":")
        return is_loopback(host) and port == str(self._writer.get_extra_info("sockname")[1])

    async def _tunnelled(self) -> None:
        """Answer the requests that come through a tunnel."""
        await self._send([TUNNEL_OPENED])
        inner = _Connection(self._gateway, self._reader, self._writer)
        inner._requests.feed(self._requests.after_tunnel)
        await inner.serve()

    async def _as_provider(self, target: str, case: str, authority: Authority) -> None:
        """Answer the requests that come through a tunnel to a provider's host, within TLS."""
        await self._send([TUNNEL_OPENED])
        try:
            await self._writer.start_tls(authority.context)
        except OSError as error:  # of TLS, or of the connection
            reason = getattr(error, "reason", None) or str(error) or type(error).__name__
            self._gateway.distrusted(case, f"{target.rpartition(':')[0]}: {reason}")
            return
        await _Connection(self._gateway, self._reader, self._writer, case=case).serve()

    async def _protest(self, problem: NotHttp) -> None:
        """Answer what is no HTTP request, or one that is too large, and end the connection."""
        body = json.dumps({"error": {"message": f"harness: {problem}", "type": "invalid_request"}}).encode()
        headers = {"content-type": "application/json"}
        unread = HttpRequest("", "", {}, b"", keeps_alive=False, chunked=False)
        await self._send([head_of(problem.status, headers, unread), body])

    async def _request(self) -> HttpRequest | None:
        """The next request; None where the client has closed the connection. Raises ``NotHttp``."""
        while (request := self._requests.next()) is None:
            data = await self._reader.read(_READ)
            if not data:
                return None
            self._requests.feed(data)
            if self._requests.takes_wait_for_100():
                await self._send([CONTINUE])
        return request

    async def _answered(self, request: HttpRequest) -> bool:
        """False when the connection is broken, on purpose or by either side."""
        target = request.target
        if self._case is not None:
            target = f"/case/{self._gateway.case_of_tunnel(self._case)}{target}"
        endpoint, exchange, answer = self._gateway.answer(request.method, target, request.headers, request.body)
        if isinstance(answer, ResponsePlan):
            return await self._respond(request, endpoint, exchange, answer)
        assert endpoint is not None  # noqa: S101 - only the endpoint of a case has somebody else answer
        return await self._hand_on(request, endpoint, exchange, await answer.open())

    async def _hand_on(self, request: HttpRequest, endpoint: CaseEndpoint, exchange: int, arriving: Arriving) -> bool:
        """Deliver a response while it comes in."""
        end: End = "closed"
        status = arriving.status
        endpoint.recorder.respond(exchange, status, arriving.headers)
        try:
            await self._send([head_of(status, arriving.headers, request)])
            async for chunk in arriving:
                endpoint.recorder.delivered(exchange, chunk)
                await self._send(chunks_of((chunk,), status, request))
            await self._send([end_of(status, request)])
            end = "eof"
        except ResponseBroken:
            end = "cut"
        except ConnectionError:
            pass  # the loop went away
        finally:
            endpoint.ended(exchange, await arriving.close(end))
        return end == "eof"

    async def _respond(
        self, request: HttpRequest, endpoint: CaseEndpoint | None, exchange: int, answer: ResponsePlan
    ) -> bool:
        """Carry out the plan."""
        deliver = _to_nobody if endpoint is None else endpoint.recorder.respond(exchange, answer.status, answer.headers)
        end: End = "closed"
        try:
            written = [head_of(answer.status, answer.headers, request)]
            if answer.apart or answer.waits or sum(map(len, answer.chunks)) >= _WRITE:
                await self._deliver(request, answer, deliver, written)
            else:
                deliver(answer.chunks)
                written += chunks_of(answer.chunks, answer.status, request)
            end = answer.end
            if end == "eof":
                written.append(end_of(answer.status, request))
            await self._send(written)
            return end == "eof"
        except ConnectionError:
            return False
        finally:
            if endpoint is not None:
                endpoint.ended(exchange, end)
            if end == "reset":
                self._reset()

    async def _deliver(
        self, request: HttpRequest, answer: ResponsePlan, deliver: Deliver, written: list[bytes]
    ) -> None:
        """Send the body piece by piece, but for the end of it, which is left in ``written``."""
        size = 0
        for chunk, wait in zip_longest(answer.chunks, answer.waits):
            if wait:
                await self._send(written)
                await asyncio.sleep(wait)
            deliver((chunk,))
            written += chunks_of((chunk,), answer.status, request)
            size += len(chunk)
            if answer.apart or size >= _WRITE:
                await self._send(written)
                size = 0

    async def _send(self, pieces: list[bytes]) -> None:
        """Write the pieces at once, and take them out of the list."""
        self._writer.write(b"".join(pieces))
        pieces.clear()
        await self._writer.drain()

    def _reset(self) -> None:
        raw = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self._writer.transport.abort()


def _to_nobody(chunks: Sequence[bytes]) -> None:
    """What belongs to no case is not recorded."""
