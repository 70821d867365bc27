"""The socket driver: the endpoint on a loopback port, for loops in any language."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from harness.endpoint.connection import READ, Connection, Idleness, Service
from harness.endpoint.endpoint import Endpoints
from harness.endpoint.entrance import Entrance
from harness.endpoint.front_door import new_key
from harness.endpoint.http_messages import NotHttp
from harness.endpoint.limits import Limits
from harness.endpoint.loopback import listening

if TYPE_CHECKING:
    from harness.endpoint.authority import Authority

_GONE = (ConnectionError, asyncio.IncompleteReadError)


@contextlib.asynccontextmanager
async def serving(
    endpoints: Endpoints,
    port: int = 0,
    authority: Authority | None = None,
    listener: socket.socket | None = None,
    *,
    keyed: bool = False,
    limits: Limits | None = None,
) -> AsyncIterator[str]:
    """Serve ``endpoints`` on the loopback address while the block runs; yields its base URL, ``http://127.0.0.1:PORT``.

    ``port`` 0 takes a free port. A ``listener`` that listens already replaces it, and is closed at the end. With an
    ``authority`` a client that uses the endpoint as its proxy reaches it under the providers' own hosts, too. ``keyed``
    puts a key that nobody can guess into the path of the base URL; without the key nothing is answered. Use it if
    answers cost something. Raises ``BadInput`` if the port is taken.
    """
    listener = listening(port) if listener is None else listener
    entrance = Entrance(key=new_key() if keyed else "")
    driver = _ProtocolDriver(Service(endpoints, entrance, limits or Limits(), authority))
    host, port = listener.getsockname()[:2]
    server = await asyncio.start_server(driver.connected, sock=listener, limit=READ)
    try:
        yield f"http://{host}:{port}{entrance.path}"
    finally:
        server.close()
        await driver.stop()
        await server.wait_closed()


class _ProtocolDriver:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._open: dict[asyncio.Task[None], tuple[Idleness, asyncio.StreamWriter]] = {}

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - asyncio runs every connection callback in a task
        idleness = Idleness()
        connection = Connection(self._service, reader, writer, idleness)
        self._open[task] = idleness, writer
        try:
            if self._has_room():
                await connection.serve()
            else:
                await connection.part(NotHttp(503, "too many connections are open; close some, or try again"))
        except _GONE:
            pass  # the loop went away; what it received is in the trace
        except asyncio.CancelledError:  # stopped: Python 3.11 reports a cancelled connection as an error
            writer.transport.abort()  # a TLS connection would wait for the client to close it
        finally:
            del self._open[task]
            writer.close()

    def _has_room(self) -> bool:
        """Whether one more connection can be served; to make room, the longest idle connection is closed."""
        if len(self._open) <= self._service.limits.connections:
            return True
        idle = [(idleness.since, writer) for idleness, writer in self._open.values() if idleness.since is not None]
        if not idle:
            return False
        _, writer = min(idle, key=lambda each: each[0])
        writer.close()
        return True

    async def stop(self) -> None:
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
