"""The socket driver: the gateway on a loopback port, for loops in any language.

asyncio streams with h11 for the protocol. Every planned chunk is a chunk of HTTP, and a write of its own where the
response is cut inside its events; a cut closes the connection inside the body, a reset aborts it with RST.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from http import HTTPStatus
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

import h11

from harness.errors import BadInput
from harness.gateway.case_endpoint import CaseEndpoint
from harness.gateway.encodings import LARGEST_BODY
from harness.gateway.gateway import Gateway, proxy_user
from harness.gateway.loopback import is_loopback
from harness.gateway.response_plan import ResponsePlan
from harness.gateway.source import Arriving, Broken, LiveResponse
from harness.trace import End

if TYPE_CHECKING:
    from harness.gateway.authority import Authority

__all__ = ["serving"]

_HOST = "127.0.0.1"
_READ = 64 * 1024
_WRITE = 64 * 1024
"""Bytes of a response after which the server waits for the client to take them."""

_REASONS: Final = {int(status): status.phrase for status in HTTPStatus}
_END: Final = h11.EndOfMessage()
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_GONE = (ConnectionError, asyncio.IncompleteReadError, h11.RemoteProtocolError)

Deliver = Callable[[Sequence[bytes]], None]
"""Takes pieces of a body that are about to reach the client."""


@contextlib.asynccontextmanager
async def serving(gateway: Gateway, port: int = 0, authority: Authority | None = None) -> AsyncIterator[str]:
    """Serve ``gateway`` on the loopback address while the block runs; gives ``http://127.0.0.1:PORT``.

    ``port`` 0 takes a free one. With an ``authority`` a client that uses the endpoint as its proxy reaches it under the
    providers' own hosts, too. Raises ``BadInput`` when the port is taken.
    """
    driver = _Driver(gateway, authority)
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


class _Driver:
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
        self._http = h11.Connection(h11.SERVER)

    async def serve(self) -> None:
        try:
            await self._serve()
        except h11.RemoteProtocolError as error:
            await self._protest(error)

    async def _serve(self) -> None:
        while (request := await self._request()) is not None:
            head, body = request
            method, target = head.method.decode("ascii"), head.target.decode("ascii")
            headers = _headers(head)
            if method == "CONNECT" and self._is_own(target):
                await self._tunnelled()
                return
            if method == "CONNECT" and self._authority is not None and self._authority.speaks_for(target):
                await self._as_provider(target, proxy_user(headers), self._authority)
                return
            if self._case is not None:
                target = f"/case/{self._gateway.case_of_tunnel(self._case)}{target}"
            desk, exchange, answer = self._gateway.answer(method, target, headers, body)
            if not await self._answered(desk, exchange, answer):
                return
            if self._http.our_state is h11.MUST_CLOSE:
                return
            self._http.start_next_cycle()

    def _is_own(self, target: str) -> bool:
        """Whether a client asks its proxy for a tunnel to this server: some tunnel whatever they ask."""
        host, _, port = target.rpartition(":")
        return is_loopback(host) and port == str(self._writer.get_extra_info("sockname")[1])

    async def _tunnelled(self) -> None:
        """Answer the requests that come through a tunnel."""
        await self._write(h11.Response(status_code=200, headers=[]))
        early, _ = self._http.trailing_data
        inner = _Connection(self._gateway, self._reader, self._writer)
        if early:
            inner._http.receive_data(early)
        await inner.serve()

    async def _as_provider(self, target: str, case: str, authority: Authority) -> None:
        """Answer the requests that come through a tunnel to a provider's host, within TLS."""
        await self._write(h11.Response(status_code=200, headers=[]))
        try:
            await self._writer.start_tls(authority.context)
        except OSError as error:  # of TLS, or of the connection
            reason = getattr(error, "reason", None) or str(error) or type(error).__name__
            self._gateway.distrusted(case, f"{target.rpartition(':')[0]}: {reason}")
            return
        await _Connection(self._gateway, self._reader, self._writer, case=case).serve()

    async def _protest(self, error: h11.RemoteProtocolError) -> None:
        """Answer what is no HTTP request, or one that is too large, and end the connection."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        body = json.dumps({"error": {"message": f"harness: {error}", "type": "invalid_request"}}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        await self._write(h11.Response(status_code=error.error_status_hint, headers=headers))
        await self._write(h11.Data(data=body))
        await self._write(h11.EndOfMessage())

    async def _request(self) -> tuple[h11.Request, bytes] | None:
        head = await self._event()
        if not isinstance(head, h11.Request):
            return None
        pieces: list[bytes] = []
        size = 0
        while isinstance(event := await self._event(), h11.Data):
            size += len(event.data)
            if size > LARGEST_BODY:
                why = f"the request body is larger than {LARGEST_BODY:,} bytes"
                raise h11.RemoteProtocolError(why, error_status_hint=413)
            pieces.append(bytes(event.data))
        return head, b"".join(pieces)

    async def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self._write(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self._reader.read(_READ))
        return event

    async def _answered(self, desk: CaseEndpoint | None, exchange: int, answer: ResponsePlan | LiveResponse) -> bool:
        """False when the connection is broken, on purpose or by either side."""
        if isinstance(answer, ResponsePlan):
            return await self._respond(desk, exchange, answer)
        assert desk is not None  # noqa: S101 - only the desk of a case has somebody else answer
        return await self._hand_on(desk, exchange, await answer.open())

    async def _hand_on(self, desk: CaseEndpoint, exchange: int, arriving: Arriving) -> bool:
        """Deliver a response while it comes in."""
        end: End = "closed"
        desk.recorder.respond(exchange, arriving.status, arriving.headers)
        try:
            await self._write(_head(arriving))
            async for chunk in arriving:
                desk.recorder.delivered(exchange, chunk)
                await self._write(h11.Data(data=chunk))
            await self._write(h11.EndOfMessage())
            end = "eof"
        except Broken:
            end = "cut"
        except ConnectionError:
            pass  # the loop went away
        finally:
            desk.ended(exchange, await arriving.close(end))
        return end == "eof"

    async def _respond(self, desk: CaseEndpoint | None, exchange: int, answer: ResponsePlan) -> bool:
        """Carry out the plan."""
        deliver = _to_nobody if desk is None else desk.recorder.respond(exchange, answer.status, answer.headers)
        end: End = "closed"
        try:
            written = [self._http.send(_head(answer)) or b""]
            if answer.apart or answer.waits or sum(map(len, answer.chunks)) >= _WRITE:
                await self._deliver(answer, deliver, written)
            else:
                deliver(answer.chunks)
                written += self._framed(answer.chunks)
            end = answer.end
            if end == "eof":
                written.append(self._http.send(_END) or b"")
            await self._send(written)
            return end == "eof"
        except ConnectionError:
            return False
        finally:
            if desk is not None:
                desk.ended(exchange, end)
            if end == "reset":
                self._reset()

    async def _deliver(self, answer: ResponsePlan, deliver: Deliver, written: list[bytes]) -> None:
        """Send the body piece by piece, but for the end of it, which is left in ``written``."""
        size = 0
        for chunk, wait in zip_longest(answer.chunks, answer.waits):
            if wait:
                await self._send(written)
                await asyncio.sleep(wait)
            deliver((chunk,))
            written += self._framed((chunk,))
            size += len(chunk)
            if answer.apart or size >= _WRITE:
                await self._send(written)
                size = 0

    async def _write(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            self._writer.write(data)
            await self._writer.drain()

    def _framed(self, chunks: Sequence[bytes]) -> list[bytes]:
        """Each of them as a chunk of HTTP.

        h11 takes 14 us for one and this 0.2, which was half of a request's time. h11 stays in charge of everything
        else: its state does not depend on how many chunks a body has.
        """
        if self._http.their_http_version != b"1.1":  # an older client gets the bytes as they are
            return [self._http.send(h11.Data(data=chunk)) or b"" for chunk in chunks]
        return [b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks if chunk]

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


def _headers(head: h11.Request) -> dict[str, str]:
    """By name; what has come in several lines is one list."""
    headers: dict[str, str] = {}
    for raw, value in head.headers:
        name, text = raw.decode("latin-1"), value.decode("latin-1")
        headers[name] = f"{headers[name]}, {text}" if name in headers else text
    return headers


def _head(answer: ResponsePlan | Arriving) -> h11.Response:
    reason = _REASONS.get(answer.status, "")
    headers = [*answer.headers.items(), ("transfer-encoding", "chunked")]
    return h11.Response(status_code=answer.status, headers=headers, reason=reason)
