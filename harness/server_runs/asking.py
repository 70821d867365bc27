"""Requests of our clients: over HTTP, and the answers as they came, and over a WebSocket, message by message."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import httpx2

from harness.errors import BadInput
from harness.gateway.loopback import is_loopback
from harness.loop.sessions.wire_only import Answered
from harness.server_runs.preset import KEY
from harness.wire import Wire

__all__ = ["LATE", "Asking", "Asks", "SocketOver", "SocketRefused", "Talk", "headers_of"]

LATE: Final = "no answer within"
"""How the words begin by which an answer that did not come is known."""

_VERSIONS: Final = {"anthropic-version": "2023-06-01"}
"""What clients of the API that has versions send; the others do not mind."""


def headers_of(wire: Wire, key: str = KEY) -> dict[str, str]:
    """The headers of every request of a client of ``wire``."""
    provider = wire.provider
    return {
        "content-type": "application/json",
        "accept-encoding": "identity",
        **_VERSIONS,
        provider.key_header: provider.key_form.format(key),
    }


class SocketRefused(Exception):
    """A server opens no WebSocket. Its text says what it did instead."""


class SocketOver(Exception):
    """A WebSocket has ended, or nothing came in time. Its text says which."""


class Talk(Protocol):
    """An open WebSocket. ``receive`` raises ``SocketOver``, as ``send`` does."""

    async def send(self, text: str) -> None:
        """Send a message."""

    async def receive(self) -> str:
        """The next message."""


class Asks(Protocol):
    """What reaches a server: ``Asking``, or a double of it in a test."""

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """The answer to a request, as far as it came."""

    def talk(self, path: str, headers: Mapping[str, str]) -> AbstractAsyncContextManager[Talk]:
        """A WebSocket at the address of requests. Raises ``SocketRefused``."""


@dataclass(slots=True)
class Asking:
    """Posts to the server at ``base``; ``seconds`` are those that a request, or a message, may take."""

    http: httpx2.AsyncClient
    base: str
    seconds: float
    _is_there: bool = field(default=False, init=False)

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """The answer, as far as it came.

        Raises ``BadInput`` where no request has reached a server yet: then there is none, and nobody is to blame.
        """
        status, received = 0, bytearray()
        heard: dict[str, str] = {}
        try:
            async with self.http.stream("POST", f"{self.base}{path}", headers=headers, content=body) as response:
                self._is_there = True
                status = response.status_code
                heard = dict(response.headers.items())
                async for piece in response.aiter_bytes():
                    received += piece
        except httpx2.TimeoutException:
            return Answered(status, heard, bytes(received), f"{LATE} {self.seconds:g} s")
        except httpx2.HTTPError as error:
            why = str(error) or type(error).__name__
            if isinstance(error, httpx2.ConnectError) and not self._is_there:
                raise BadInput(f"{self.base}: no server answers ({why}); start it, or name another URL") from None
            return Answered(status, heard, bytes(received), why)
        return Answered(status, heard, bytes(received))

    @asynccontextmanager
    async def talk(self, path: str, headers: Mapping[str, str]) -> AsyncGenerator[Talk]:
        """A WebSocket at the address of requests. Raises ``SocketRefused``."""
        opened = await self._connected(path, headers)
        try:
            yield _SocketTalk(opened, self.seconds)
        finally:
            await opened.close()

    async def _connected(self, path: str, headers: Mapping[str, str]) -> Any:
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidHandshake, InvalidStatus

        own = {name: value for name, value in headers.items() if name not in ("content-type", "accept-encoding")}
        try:
            return await connect(
                f"ws{self.base.removeprefix('http')}{path}",
                additional_headers=own,
                open_timeout=self.seconds,
                close_timeout=1,
                max_size=None,
                **await _past_proxies(self.base),
            )
        except InvalidStatus as refused:
            raise SocketRefused(f"HTTP {refused.response.status_code}") from None
        except (InvalidHandshake, OSError, EOFError) as refused:  # a timeout is an OSError
            raise SocketRefused(str(refused) or type(refused).__name__) from None


async def _past_proxies(base: str) -> dict[str, Any]:
    """A connection to a server on this machine: no proxy of the environment may come between."""
    address = urlsplit(base)
    if not is_loopback(address.hostname or ""):
        return {}
    port = address.port or (443 if address.scheme == "https" else 80)
    return {"sock": await asyncio.to_thread(socket.create_connection, (address.hostname, port))}


@dataclass(frozen=True, slots=True)
class _SocketTalk:
    opened: Any
    seconds: float

    async def send(self, text: str) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self.opened.send(text)
        except ConnectionClosed as closed:
            raise SocketOver(f"the socket is closed: {closed}") from None

    async def receive(self) -> str:
        from websockets.exceptions import ConnectionClosed

        try:
            message = await asyncio.wait_for(self.opened.recv(), self.seconds)
        except TimeoutError:
            raise SocketOver(f"{LATE} {self.seconds:g} s") from None
        except ConnectionClosed as closed:
            raise SocketOver(f"the socket is closed: {closed}") from None
        return message if isinstance(message, str) else message.decode("utf-8", "replace")
