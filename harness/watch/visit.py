"""A connection to the live view, until it is a websocket.

A client's request is read as every server of the harness reads it (``harness.endpoint.request_reader``), so a malformed
request gets an answer. The package websockets takes over the connection from the handshake on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from websockets.asyncio.server import ServerConnection

from harness.endpoint.http_messages import CONTINUE, HttpRequest, NotHttp, protest
from harness.endpoint.limits import Limits
from harness.endpoint.request_reader import RequestReader

LIMITS: Final = Limits(connections=100)
"""A page needs one connection for each file and one for its run; every run may take a process."""

_HANDSHAKE: Final = (
    "Host",
    "Origin",
    "Connection",
    "Upgrade",
    "Sec-WebSocket-Key",
    "Sec-WebSocket-Version",
    "Sec-WebSocket-Protocol",
    "Sec-WebSocket-Extensions",
)
"""The headers that decide about a websocket. websockets takes fewer and shorter ones than a request may have."""

_LONGEST: Final = 4096
"""Characters of one of these headers."""


def _logger() -> logging.Logger:
    """The logger of websockets' server. A client that gets an error, or has gone, is no error of ours."""
    logger = logging.getLogger("harness.watch")
    logger.addFilter(lambda record: record.msg != "opening handshake failed")
    return logger


LOGGER: Final = _logger()


@dataclass(frozen=True, slots=True)
class Reception:
    """``answer`` gives the whole answer to a request, or None for one that becomes a websocket."""

    answer: Callable[[HttpRequest], bytes | None]
    limits: Limits = LIMITS
    waiting: set[Visit] = field(default_factory=set)
    """Connections that are no websocket yet, or that have had their answer and have not gone."""

    def close(self) -> None:
        """End these connections: browsers open some in advance, and nobody waits for them."""
        for visit in tuple(self.waiting):
            visit.transport.abort()


class Visit(ServerConnection):
    """A connection whose first request is answered, or becomes a websocket. There is no second one."""

    def __init__(self, reception: Reception, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._reception = reception
        self._requests = RequestReader()
        self._is_let_in = self._is_refused = False
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the request, for as long as a head may take. Refuse a client above the limit."""
        super().connection_made(transport)
        limits = self._reception.limits
        self._reception.waiting.add(self)
        self._deadline = self.loop.call_later(limits.head, self._late)
        if len(self.server.handlers) > limits.connections:
            self._part(protest(NotHttp(503, "too many connections are open; close some, or try again")))

    def data_received(self, data: bytes) -> None:
        """Take bytes of the request, or of the websocket."""
        if self._is_let_in:
            super().data_received(data)
        elif not self._is_refused:
            self._requests.feed(data)
            self._look()

    def eof_received(self) -> None:
        """The client sends nothing more."""
        if not self._is_let_in and not self._is_refused:
            self._requests.ended()
            self._look()
        super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the visit."""
        self._reception.waiting.discard(self)
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        """Answer the request if it is complete or malformed."""
        try:
            request = self._requests.next()
            if request is not None:
                self._answer_request(request)
            elif self._requests.takes_wait_for_100():
                self.transport.write(CONTINUE)
        except NotHttp as problem:
            self._part(protest(problem))

    def _answer_request(self, request: HttpRequest) -> None:
        answer = self._reception.answer(request)
        if answer is not None:
            self._part(answer)
            return
        handshake = _handshake(request)
        if self._deadline is not None:
            self._deadline.cancel()
        self._reception.waiting.discard(self)
        self._is_let_in = True
        super().data_received(handshake)

    def _late(self) -> None:
        self._part(protest(self._requests.late(self._reception.limits.head)))

    def _part(self, answer: bytes) -> None:
        """Answer, and end the connection. Read what the client still sends for a while, or else it could lose the
        answer."""
        self._is_refused = True
        if self._deadline is not None:
            self._deadline.cancel()
        self.transport.write(answer)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._deadline = self.loop.call_later(self._reception.limits.parting, self.transport.abort)


def _handshake(request: HttpRequest) -> bytes:
    """The request for a websocket as websockets reads it. Raises ``NotHttp`` for a header that is too long."""
    lines = [f"GET {request.target.partition('?')[0]} HTTP/1.1"]
    for name in _HANDSHAKE:
        value = request.headers.get(name.lower())
        if value is not None and len(value) > _LONGEST:
            raise NotHttp(431, f"the header {name} is longer than {_LONGEST:,} characters")
        lines += [] if value is None else [f"{name}: {value}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
