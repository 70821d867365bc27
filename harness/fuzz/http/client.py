"""A server on loopback, and its answers to the bytes of an example."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

from harness.endpoint import AutomaticModel, CaseEndpoint, Endpoints
from harness.endpoint.server import serving
from harness.fuzz.http.kinds import CASE
from harness.trace import Case

SILENCE: Final = 10.0
"""Seconds without a byte after which a connection counts as not answered."""

_MORE: Final = 1.0
"""Extra seconds: if the whole machine was stopped, the server has had no time yet."""

_READ: Final = 256 * 1024

Serving = Callable[[Endpoints], AbstractAsyncContextManager[str]]
"""Serves a gateway while its block runs, and yields the base URL."""


@dataclass(frozen=True, slots=True)
class FuzzedAnswer:
    """``data`` is what came back on the connection; ``closed``: then the connection ended. ``raised`` is what the
    server's event loop reported, ``left`` is what remained of the connection after its end. ``asked`` requests are
    in the case's record."""

    data: bytes
    closed: bool
    asked: int
    raised: Sequence[str] = ()
    left: int = 0


@dataclass(slots=True)
class FuzzedServer:
    """Our server, open as long as the process, or a user's server, opened anew for each example."""

    serving: Serving | None = None
    endpoints: Endpoints = field(default_factory=Endpoints)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _lasting: AbstractAsyncContextManager[str] | None = None
    _address: tuple[str, int] | None = None
    _raised: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._loop.set_exception_handler(lambda _, context: self._raised.append(_cause(context)))

    def answered(self, pieces: Sequence[bytes]) -> FuzzedAnswer:
        """Send the pieces on a new connection. A case is opened for them, and closed."""
        return self._loop.run_until_complete(self._answer_to(pieces))

    def close(self) -> None:
        """End the server, if it is still open, and its event loop."""
        if self._lasting is not None:
            self._loop.run_until_complete(self._lasting.__aexit__(None, None, None))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _answer_to(self, pieces: Sequence[bytes]) -> FuzzedAnswer:
        endpoint = CaseEndpoint(Case(CASE, CASE, "openai-chat", "event"), AutomaticModel(), clock=perf_counter)
        self.endpoints.open(CASE, endpoint, "gpt-4.1")
        self._raised.clear()
        try:
            if self.serving is None:
                data, closed = await self._sent(await self._ours(), pieces)
                left = await _left()
            else:
                async with self.serving(self.endpoints) as base:
                    data, closed = await self._sent(_address(base), pieces)
                    left = await _left()
        finally:
            self.endpoints.close(CASE)
        return FuzzedAnswer(data, closed, len(endpoint.recorder.trace().exchanges), tuple(self._raised), left)

    async def _ours(self) -> tuple[str, int]:
        if self._address is None:
            self._lasting = serving(self.endpoints)  # it ends with the process
            self._address = _address(await self._lasting.__aenter__())
        return self._address

    async def _sent(self, address: tuple[str, int], pieces: Sequence[bytes]) -> tuple[bytes, bool]:
        loop = asyncio.get_running_loop()
        with socket.socket() as client:
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.sock_connect(client, address)
            try:
                for piece in pieces:
                    await loop.sock_sendall(client, piece)
                    await asyncio.sleep(0)  # the server reads it by itself
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the server has ended the connection before: what it said is there to be read
            return await _read(loop, client)


async def _read(loop: asyncio.AbstractEventLoop, client: socket.socket) -> tuple[bytes, bool]:
    """All received bytes, and whether the connection ended after them."""
    parts: list[bytes] = []
    with suppress(ConnectionError):
        for seconds in (SILENCE, _MORE):
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    while part := await loop.sock_recv(client, _READ):
                        parts.append(part)
                    return b"".join(parts), True
    return b"".join(parts), False


async def _left() -> int:
    """How many other tasks remain after they have had time to end."""
    for _ in range(20):
        left = len(asyncio.all_tasks()) - 1
        if not left:
            return 0
        await asyncio.sleep(0)
    return left


def _address(base: str) -> tuple[str, int]:
    host, port = base.removeprefix("http://").split(":")
    return host, int(port)


def _cause(context: dict[str, Any]) -> str:
    error = context.get("exception")
    return f"{type(error).__name__}: {error}" if error is not None else str(context.get("message"))
