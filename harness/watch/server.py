"""The server of the live look: a few files and one websocket, for this machine's user alone.

It listens on the loopback address, but any page that the user visits may send requests there. So it has the front door
of every server of the harness (``harness.gateway.front_door``), and lets no page in but its own: a websocket is not
bound by the same-origin policy. Programs send no Origin and may connect.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from harness.gateway.front_door import HERE, FrontDoor
from harness.gateway.loopback import listening
from harness.watch.files import PAGE, PageFile
from harness.watch.messages import Message, written

__all__ = ["Perform", "watching"]

Perform = Callable[[Callable[[Message], None]], Awaitable[None]]
"""Runs a case once and tells every message, in order, as it comes."""

_EVENTS = "/events"
_LARGEST_IN = 1024  # bytes; a client has nothing to say


@contextlib.asynccontextmanager
async def watching(
    perform: Perform, *, port: int = 0, pace: float = 0.0, page: Mapping[str, PageFile] = PAGE
) -> AsyncIterator[str]:
    """Serve the page, and a run to everybody who connects, while the block runs; gives ``http://127.0.0.1:PORT/``.

    ``port`` 0 takes a free one. ``pace`` is how many seconds the messages of a run are apart at least. Raises
    ``BadInput`` when the port cannot be had.
    """
    listener = listening(port)
    port = listener.getsockname()[1]
    watch = _Watch(perform, pace, page, FrontDoor(own_page=port))
    server = await serve(
        watch.connected,
        sock=listener,
        process_request=watch.requested,
        compression=None,
        max_size=_LARGEST_IN,
        server_header=None,
    )
    async with server:
        yield f"http://{HERE}:{port}/"


@dataclass(frozen=True, slots=True)
class _Watch:
    perform: Perform
    pace: float
    page: Mapping[str, PageFile]
    door: FrontDoor

    def requested(self, connection: ServerConnection, request: Request) -> Response | None:
        """The answer to a request; None lets it become a websocket."""
        headers = request.headers
        site = ", ".join(headers.get_all("Sec-Fetch-Site"))
        if refused := self.door.refusal(headers.get_all("Host"), headers.get_all("Origin"), site):
            return connection.respond(HTTPStatus.FORBIDDEN, f"{refused}\n")
        path = request.path.partition("?")[0]
        if path == _EVENTS:
            return None
        if path not in self.page:
            return connection.respond(HTTPStatus.NOT_FOUND, f"nothing is served at {path}\n")
        found = self.page[path]
        answered = Headers({**found.headers, "Content-Length": str(len(found.body)), "Connection": "close"})
        return Response(HTTPStatus.OK, "OK", answered, found.body)

    async def connected(self, connection: ServerConnection) -> None:
        """Perform for this client, until it has had everything or goes away."""
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
        """The run and the sending go side by side: a slow reader holds up no loop."""
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
    """Returns when the client has gone. What it says meanwhile is of no interest."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await connection.recv()
