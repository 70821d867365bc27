"""One request to a server of AG-UI, and its answer as it arrives.

The answer is read from the socket itself, so that everything that has arrived can be read before a request of the
loop is recorded. Otherwise events would seem to come later than they did.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

import httptools

from harness.targets.failed import TargetFailed

MOST_ANSWERED: Final = 64 * 1024 * 1024
"""Bytes that may answer one request."""

_PIECE: Final = 64 * 1024
_QUOTED: Final = 1_000
_REFUSED: Final = 400


def request_bytes(host: str, path: str, body: bytes) -> bytes:
    """A request for one run."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


class PostedRun:
    """A request on a connection of its own. ``take`` is called with each piece of the answer's body.

    An exception of ``take`` ends the wait for the answer. Whoever makes a ``PostedRun`` awaits ``over`` and closes it.
    """

    def __init__(self, connection: socket.socket, take: Callable[[bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._take = take
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._parser = httptools.HttpResponseParser(self)
        self._received = 0
        self._begun = False
        self._complete = False
        self._bodies: list[bytes] = []
        self._refusal = bytearray()
        connection.setblocking(False)

    async def over(self, request: bytes) -> None:
        """Send the request, and wait until the answer has ended. Raises ``TargetFailed`` where it is none."""
        await self._loop.sock_sendall(self._connection, request)
        self._loop.add_reader(self._connection, self._readable)
        await self._over

    def catch_up(self) -> None:
        """Read everything that has arrived."""
        while not self._over.done() and self._read():
            pass

    def close(self) -> None:
        """Close the connection."""
        self._loop.remove_reader(self._connection)
        self._connection.close()
        self._over.cancel()

    def _readable(self) -> None:
        self._read()

    def _read(self) -> bool:
        """Read one piece. Returns whether there was one."""
        try:
            data = self._connection.recv(_PIECE)
        except BlockingIOError:
            return False
        except OSError:  # as if it had ended here
            data = b""
        try:
            self._feed(data)
        except Exception as error:  # noqa: BLE001 - whoever waits gets it
            if not self._over.done():
                self._over.set_exception(error)
        return bool(data)

    def _feed(self, data: bytes) -> None:
        if not data:
            self._note_end()
            return
        self._received += len(data)
        if self._received > MOST_ANSWERED:
            raise TargetFailed(f"The answer of its server has more than {MOST_ANSWERED // 1024**2} MiB.")
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            raise TargetFailed(f"The answer of its server is no HTTP: {error}") from None
        self._pass_on()
        if self._complete:
            self._finish()

    def _pass_on(self) -> None:
        """Pass on what the parser has found. This is done outside of the parser, which would replace any exception."""
        bodies, self._bodies = self._bodies, []
        for body in bodies:
            if self._parser.get_status_code() >= _REFUSED:
                self._refusal += body
            else:
                self._take(body)

    def _note_end(self) -> None:
        """The connection has ended. Rules judge a stream that ends too early, because the user gets it like that."""
        if not self._begun:
            raise TargetFailed("Its server has closed the connection without an answer.")
        self._finish()

    def _finish(self) -> None:
        if self._over.done():
            return
        status = self._parser.get_status_code()
        if status < _REFUSED:
            self._over.set_result(None)
            return
        text = self._refusal[:_QUOTED].decode("utf-8", "replace")
        self._over.set_exception(TargetFailed(f"Its server has answered with HTTP status {status}: {text}"))

    # --- what the parser calls ------------------------------------------------------------------------------------

    def on_headers_complete(self) -> None:
        """The status is known."""
        self._begun = True

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._bodies.append(body)

    def on_message_complete(self) -> None:
        """The answer has ended."""
        self._complete = True
