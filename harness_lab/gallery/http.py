"""Servers with one mistake, for the campaign ``http``: ours with one part replaced, each a mistake of other servers.

All are ``serving(gateway)`` of the signature: ``--target harness_lab.gallery.http:any_host`` fuzzes one.
``right`` makes none.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, Final
from unittest.mock import patch

from harness.endpoint import Endpoints, delivery
from harness.endpoint.connection import Connection
from harness.endpoint.front_door import FrontDoor
from harness.endpoint.http_messages import HttpRequest, chunks_of, end_of
from harness.endpoint.request_reader import RequestReader
from harness.endpoint.server import serving

BrokenServer = Callable[[Endpoints], AbstractAsyncContextManager[str]]


@asynccontextmanager
async def right(endpoints: Endpoints) -> AsyncIterator[str]:
    """Ours, without a mistake."""
    async with serving(endpoints) as base:
        yield base


def _with(*parts: tuple[Any, str, Any]) -> BrokenServer:
    """Our server with these members of classes or modules replaced."""

    @contextmanager
    def replaced() -> Iterator[None]:
        with ExitStack() as stack:
            for owner, name, value in parts:
                stack.enter_context(patch.object(owner, name, value))
            yield

    @asynccontextmanager
    async def broken(endpoints: Endpoints) -> AsyncIterator[str]:
        with replaced():
            async with serving(endpoints) as base:
                yield base

    return broken


# --- what is answered -------------------------------------------------------------------------------------------------


async def _silent(self: Connection, problem: Exception) -> None:
    """A malformed request is closed without an answer."""


def _without_end(self: RequestReader) -> None:
    """A request that has begun and never ends is ignored."""
    self.awaited = "request"


def _only_first(self: RequestReader) -> HttpRequest | None:
    """If several requests come in one read, only the first is answered."""
    requests = self._requests
    found = requests.popleft() if requests else None
    requests.clear()
    if found is None and self._broken is not None:
        raise self._broken
    return found


async def _at_once(self: Connection) -> None:
    """The connection is closed while the client still sends: it is reset, and the answer may be lost."""


silent_refusals = _with((Connection, "part", _silent))
half_requests_ignored = _with((RequestReader, "ended", _without_end))
pipelined_requests_lost = _with((RequestReader, "next", _only_first))
closed_at_once = _with((Connection, "_linger", _at_once))

# --- what is let in ---------------------------------------------------------------------------------------------------


def _nobody_refused(self: FrontDoor, *asked: Any) -> None:
    """Nobody is refused."""


def _unchecked(self: RequestReader) -> None:
    """Everything that the parser accepts is accepted."""


def _every_header(self: RequestReader, name: bytes, value: bytes) -> None:
    """Lines after a body count as headers, too."""
    self._headers[name.decode("latin-1").lower()] = value.decode("latin-1").strip()


any_host = _with((FrontDoor, "refusal", _nobody_refused))
heads_unchecked = _with((RequestReader, "_check_head", _unchecked))
trailers_are_headers = _with((RequestReader, "on_header", _every_header))

# --- how it is written ------------------------------------------------------------------------------------------------


def _as_get(request: HttpRequest) -> HttpRequest:
    return replace(request, method="GET")


bodies_for_head = _with(
    (delivery, "chunks_of", lambda pieces, status, request: chunks_of(pieces, status, _as_get(request))),
    (delivery, "end_of", lambda status, request: end_of(status, _as_get(request))),
)
bodies_without_end = _with((delivery, "end_of", lambda *_: b""))
lengths_in_decimal = _with(
    (delivery, "chunks_of", lambda pieces, *_: [b"%d\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece])
)

# --- what it costs ----------------------------------------------------------------------------------------------------

deep_bodies_followed = _with((import_module("harness.wire.openai_chat.read"), "loads", json.loads))


@asynccontextmanager
async def tasks_left(endpoints: Endpoints) -> AsyncIterator[str]:
    """Each connection starts a task that nobody ends."""
    left: list[asyncio.Task[Any]] = []

    async def serve(self: Connection) -> None:
        left.append(asyncio.create_task(asyncio.Event().wait()))
        await plain(self)

    plain = Connection.serve
    with patch.object(Connection, "serve", serve):
        async with serving(endpoints) as base:
            yield base
    for task in left:
        task.cancel()


GALLERY: Final[dict[str, BrokenServer]] = {
    "silent_refusals": silent_refusals,
    "half_requests_ignored": half_requests_ignored,
    "pipelined_requests_lost": pipelined_requests_lost,
    "closed_at_once": closed_at_once,
    "any_host": any_host,
    "heads_unchecked": heads_unchecked,
    "trailers_are_headers": trailers_are_headers,
    "bodies_for_head": bodies_for_head,
    "bodies_without_end": bodies_without_end,
    "lengths_in_decimal": lengths_in_decimal,
    "deep_bodies_followed": deep_bodies_followed,
    "tasks_left": tasks_left,
}
"""The wrong ones by name."""
