"""The server of the live view: a few files and one websocket, for this machine's user alone.

It listens on the loopback address, but any page that the user visits may send requests there. So it has the front door
of every server of the harness (``harness.endpoint.front_door``), and lets no page in but its own: a websocket is not
bound by the same-origin policy. Programs send no Origin and may connect.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from harness.endpoint.front_door import HERE, FrontDoor
from harness.endpoint.http_messages import HttpRequest, head_of
from harness.endpoint.limits import Limits
from harness.endpoint.loopback import listening
from harness.watch.files import PAGE, PageFile
from harness.watch.messages import Message, written
from harness.watch.visit import LIMITS, LOGGER, Reception, Visit

Perform = Callable[[Callable[[Message], None]], Awaitable[None]]
"""Runs a case once and sends every message, in order, as it comes."""

_EVENTS = "/events"
_LARGEST_IN = 1024  # bytes; a client has nothing to say
_LAST: Final = HttpRequest("", "", {}, b"", keeps_alive=True, chunked=False)
"""Used for every answer: a connection has no second request, and no answer is chunked."""


@contextlib.asynccontextmanager
async def watching(
    perform: Perform,
    *,
    port: int = 0,
    pace: float = 0.0,
    page: Mapping[str, PageFile] = PAGE,
    limits: Limits = LIMITS,
) -> AsyncIterator[str]:
    """Serve the page, and a run to every client that connects, while the block runs; yields ``http://127.0.0.1:PORT/``.

    ``port`` 0 takes a free one. ``pace`` is the least time in seconds between the messages of a run. ``limits`` says
    how long a request may take, and how many clients may be connected. Raises ``BadInput`` if the port is not free.
    """
    listener = listening(port)
    port = listener.getsockname()[1]
    watch = _Watch(perform, pace, page, FrontDoor(own_page=port))
    reception = Reception(watch.answer, limits)
    server = await serve(
        watch.connected,
        sock=listener,
        create_connection=partial(Visit, reception),  # type: ignore[arg-type] # any callable will do
        compression=None,
        max_size=_LARGEST_IN,
        open_timeout=None,  # a visit has a deadline of its own, and says so
        logger=LOGGER,
        server_header=None,
    )
    async with server:
        try:
            yield f"http://{HERE}:{port}/"
        finally:
            reception.close()


@dataclass(frozen=True, slots=True)
class _Watch:
    perform: Perform
    pace: float
    page: Mapping[str, PageFile]
    door: FrontDoor

    def answer(self, request: HttpRequest) -> bytes | None:
        """The answer to a request; None lets it become a websocket."""
        headers = request.headers
        hosts, origins = ([headers[name]] if name in headers else [] for name in ("host", "origin"))
        if refused := self.door.refusal(hosts, origins, headers.get("sec-fetch-site", "")):
            return _answer(request, 403, _text(refused))
        if request.method not in ("GET", "HEAD"):
            file = _text(f"nothing is changed by {request.method} here; send GET")
            return _answer(request, 405, PageFile({**file.headers, "Allow": "GET, HEAD"}, file.body))
        path = request.target.partition("?")[0]
        if path == _EVENTS:
            return _no_websocket(request)
        if path not in self.page:
            return _answer(request, 404, _text(f"nothing is served at {path}"))
        return _answer(request, 200, self.page[path])

    async def connected(self, connection: ServerConnection) -> None:
        """Run the case for this client, until the client has all messages or goes away."""
        performing = asyncio.create_task(self._perform_for(connection))
        leaving = asyncio.create_task(_left(connection))
        try:
            await asyncio.wait((performing, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            performing.cancel()
            leaving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await performing

    async def _perform_for(self, connection: ServerConnection) -> None:
        """Run and send side by side, so that a slow reader does not delay the loop."""
        waiting: asyncio.Queue[Message | None] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(self._send(waiting, connection))
            await self.perform(waiting.put_nowait)
            waiting.put_nowait(None)
            await sending

    async def _send(self, waiting: asyncio.Queue[Message | None], connection: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            while (message := await waiting.get()) is not None:
                await connection.send(written(message))
                await asyncio.sleep(self.pace)


async def _left(connection: ServerConnection) -> None:
    """Returns when the client has gone. Its messages are ignored."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await connection.recv()


def _no_websocket(request: HttpRequest) -> bytes | None:
    """The error for a request for the run that asks for no websocket; None for one that does."""
    if request.method == "GET" and "websocket" in request.headers.get("upgrade", "").lower():
        return None
    file = _text("a run goes over a websocket; connect with ws://, not with http://")
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade, close"}
    return _answer(request, 426, PageFile({**file.headers, **upgrade}, file.body))


def _text(text: str) -> PageFile:
    return PageFile({"Content-Type": "text/plain; charset=utf-8"}, f"{text}\n".encode())


def _answer(request: HttpRequest, status: int, file: PageFile) -> bytes:
    """The whole answer. The connection ends with it."""
    headers = {**file.headers, "Content-Length": str(len(file.body))}
    headers.setdefault("Connection", "close")
    return head_of(status, headers, _LAST) + (b"" if request.method == "HEAD" else file.body)
