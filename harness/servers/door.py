"""A door through a seal: a port of this machine whose connections go to a port behind the seal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from socket import socket
from typing import Final

from harness.sealing.errors import SealRefused

_PIECE: Final = 64 * 1024


@asynccontextmanager
async def door(connect: Callable[[], socket]) -> AsyncIterator[int]:
    """Give a port of 127.0.0.1 while the block runs; for each of its connections ``connect`` makes one behind the seal.

    Where that is refused (``SealRefused``), the connection ends at once, as at a port where nothing listens.
    """
    passing: set[asyncio.Task[None]] = set()

    async def entered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - asyncio runs every connection callback in a task
        passing.add(task)
        try:
            await _carry_both(reader, writer, connect)
        except (OSError, SealRefused, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            passing.discard(task)
            writer.close()

    server = await asyncio.start_server(entered, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(passing):
            task.cancel()
        await asyncio.gather(*passing, return_exceptions=True)


async def _carry_both(outer: asyncio.StreamReader, writer: asyncio.StreamWriter, connect: Callable[[], socket]) -> None:
    """Carry both ways until both ends have said their last byte."""
    connection = connect()
    connection.setblocking(False)
    inner, inner_writer = await asyncio.open_connection(sock=connection)
    try:
        await asyncio.gather(_carry(outer, inner_writer), _carry(inner, writer))
    finally:
        inner_writer.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_PIECE):
        writer.write(data)
        await writer.drain()
    with contextlib.suppress(OSError):  # the other side has gone already
        writer.write_eof()
