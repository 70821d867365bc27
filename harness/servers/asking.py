"""Sends the requests of our clients: over HTTP, with the raw answers, or on another channel, message by message."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

import httpx2

from harness.errors import BadInput
from harness.loop.sessions.wire_only import Answered
from harness.servers.preset import KEY
from harness.wire import Wire
from harness.wire.channels import on_channel

LATE: Final = "no answer within"
"""The beginning of the text for an answer that did not come."""

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


class TalkRefused(Exception):
    """A server opens no connection. Its text says what it did instead."""


class TalkOver(Exception):
    """A connection has ended, or nothing came in time. Its text says which."""


class Talk(Protocol):
    """An open connection of a channel. ``receive`` raises ``TalkOver``, as ``send`` does."""

    async def send(self, text: str) -> None:
        """Send a message."""

    async def receive(self) -> str:
        """The next message."""


class Asks(Protocol):
    """What reaches a server: ``Asking``, or a double of it in a test."""

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """The answer to a request, or the part of it that arrived."""

    def talk(self, path: str, headers: Mapping[str, str], channel: str) -> AbstractAsyncContextManager[Talk]:
        """A connection of a channel at the address of requests. Raises ``TalkRefused``."""


@dataclass(slots=True)
class Asking:
    """Posts to the server at ``base``; ``seconds`` is the time limit for a request or a message."""

    http: httpx2.AsyncClient
    base: str
    seconds: float
    _is_there: bool = field(default=False, init=False)

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """The answer, or the part of it that arrived.

        Raises ``BadInput`` if no request has reached a server yet: then no server is there, and there is no finding.
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

    def talk(self, path: str, headers: Mapping[str, str], channel: str) -> AbstractAsyncContextManager[Talk]:
        """A connection of a channel at the address of requests. Raises ``TalkRefused``."""
        opened: AbstractAsyncContextManager[Talk] = on_channel(__package__, channel).opened(
            f"{self.base}{path}", headers, self.seconds
        )
        return opened
