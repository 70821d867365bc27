"""Where requests end up that should never be made: a server that remembers who was asked for.

A visit of our own shows that the trap works. It goes to a server of its own, because a browser under load opens a
second connection for one request, and such a connection says of no host that it was for that one.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

NAMES = "hostile.test"
CONTROL = f"control.{NAMES}"
NO_REQUEST = "a connection without a request"

# To a request for a script this script comes back; to any other, something that cannot be used.
_ANSWER = b"top.postMessage('loaded-script', '*')"


@dataclass
class Visit:
    """One connection: the first part of the host that was asked for, or NO_REQUEST."""

    host: str = NO_REQUEST


@dataclass
class Trap:
    """The visits since somebody last forgot them. Forgetting may happen while a connection is still open.

    ``control`` is the port for visits of our own, which count apart.
    """

    port: int = 0
    control: int = 0
    _visits: list[Visit] = field(default_factory=list)
    _controls: list[Visit] = field(default_factory=list)

    @property
    def visits(self) -> list[str]:
        return [visit.host for visit in self._visits]

    @property
    def works(self) -> bool:
        """Whether a visit of our own has come."""
        return any(f"{visit.host}.{NAMES}" == CONTROL for visit in self._controls)

    def forget(self) -> None:
        self._visits.clear()
        self._controls.clear()

    async def visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._connected(self._visits, reader, writer)

    async def controlled(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._connected(self._controls, reader, writer)

    async def _connected(self, visits: list[Visit], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = Visit()
        visits.append(visit)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            if host := re.search(rf"(?mi)^host: (.*)\.{re.escape(NAMES)}\s*$", head):
                visit.host = host[1]
            kind = b"HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nAccess-Control-Allow-Origin: *\r\n"
            writer.write(kind + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(_ANSWER) + _ANSWER)
            await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def setting_a_trap() -> AsyncIterator[Trap]:
    trap = Trap()
    server = await asyncio.start_server(trap.visited, "127.0.0.1", 0)
    control = await asyncio.start_server(trap.controlled, "127.0.0.1", 0)
    trap.port = server.sockets[0].getsockname()[1]
    trap.control = control.sockets[0].getsockname()[1]
    yield trap
    server.close()
    control.close()
