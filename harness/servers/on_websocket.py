"""Tests a server's WebSocket: the events of a stream, one response at a time, and the behaviour after an error."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from harness.endpoint.loopback import is_loopback
from harness.ground.bounded_json import loads
from harness.loop.sessions.wire_only import Answered
from harness.servers.asking import LATE, Talk, TalkOver, TalkRefused
from harness.wire.base import Json
from harness.wire.sse import frame
from harness.wire.websocket import SocketMode

_SHOWN: Final = 200
"""Characters of an error that a finding shows."""

_MOST_FRAMES: Final = 20_000
"""A server that never ends its answer is not listened to for ever."""


@dataclass(frozen=True, slots=True)
class SocketSide:
    """What was sent, and the frames that came back for it."""

    sent: tuple[str, ...]
    frames: tuple[Json, ...]

    @property
    def answered(self) -> Answered:
        """The frames as the stream that says the same over HTTP."""
        stream = b"".join(frame(each, str(each.get("type"))) for each in self.frames)
        return Answered(200, {"content-type": "text/event-stream"}, stream)


@dataclass(slots=True)
class SocketShown:
    """The outcome of a talk: ``sides`` in their order, what was ``wrong``, and in ``formless`` an error in a form that
    no client knows. The last two are pairs of what was expected and what came."""

    sides: list[SocketSide] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    formless: list[tuple[str, str]] = field(default_factory=list)

    def look_at_errors(self, frames: Sequence[Json], mode: SocketMode) -> None:
        """Note the first error frame whose form is not that of a WebSocket."""
        wrong = next((each for each in frames if mode.is_error(each) and not mode.is_whole_error(each)), None)
        if wrong is not None and not self.formless:
            self.formless.append(("an error that is nested, with its status", json.dumps(wrong)[:_SHOWN]))

    @property
    def first(self) -> Answered | None:
        """The first response as an HTTP stream, without other messages in between; None without a response."""
        return self.sides[0].answered if self.sides else None


async def talked(talk: Talk, mode: SocketMode, body: Json) -> SocketShown:
    """Ask for two responses at once, then send what is wrong, and ask once more."""
    shown = SocketShown()
    asks = mode.asks(body, "")
    try:
        await _at_once(talk, mode, asks, shown)
        await _behind_an_error(talk, mode, asks, shown)
    except TalkOver as over:
        shown.wrong.append(("an answer on a socket that stays open", str(over)))
    return shown


async def _at_once(talk: Talk, mode: SocketMode, asks: str, shown: SocketShown) -> None:
    """A server may queue the second request or refuse it; it may not mix the two answers."""
    await talk.send(asks)
    await talk.send(asks)
    frames = await _until(talk, mode, 2)
    shown.look_at_errors(frames, mode)
    is_open = mixed = False
    for each in frames:
        mixed = mixed or (is_open and mode.begins(each))
        is_open = mode.begins(each) or (is_open and not mode.ends(each))
    if mixed:
        shown.wrong.append(("one response at a time", "a response that begins before the one before it has ended"))
    else:
        shown.sides.append(SocketSide((asks,), _first(frames, mode)))


def _first(frames: Sequence[Json], mode: SocketMode) -> tuple[Json, ...]:
    """The frames of the first response; the error of a refused second one may be among them."""
    own: list[Json] = []
    for each in frames:
        if own or not mode.is_error(each):
            own.append(each)
        if mode.ends(each):
            break
    return tuple(each for each in own if not mode.is_error(each)) or tuple(frames)


async def _behind_an_error(talk: Talk, mode: SocketMode, asks: str, shown: SocketShown) -> None:
    await talk.send(mode.wrong)
    await talk.send(asks)
    frames = await _until(talk, mode, 1, errors=False)
    shown.look_at_errors(frames, mode)
    shown.sides.append(SocketSide((mode.wrong, asks), frames))
    if not any(map(mode.is_error, frames)):
        shown.wrong.append(("an error frame for a message of an unknown type", "none"))


async def _until(talk: Talk, mode: SocketMode, ends: int, *, errors: bool = True) -> tuple[Json, ...]:
    """The frames until so many responses are over; with ``errors`` a refused one counts, too.

    Raises ``TalkOver``.
    """
    frames: list[Json] = []
    while ends and len(frames) < _MOST_FRAMES:
        frames.append(_object(await talk.receive()))
        ends -= mode.ends(frames[-1]) or (errors and mode.is_error(frames[-1]))
    return tuple(frames)


def _object(text: str) -> Json:
    """A frame; what is no JSON object is one that says so, and breaks the grammar."""
    try:
        value: Any = loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"no object": json.dumps(text[:200])}


# --- a connection -------------------------------------------------------------------------------------------


@asynccontextmanager
async def opened(url: str, headers: Mapping[str, str], seconds: float) -> AsyncGenerator[Talk]:
    """A WebSocket at this address of requests, on which a message may take so many seconds. Raises ``TalkRefused``."""
    connection = await _open_connection(url, headers, seconds)
    try:
        yield _SocketTalk(connection, seconds)
    finally:
        await connection.close()


async def _open_connection(url: str, headers: Mapping[str, str], seconds: float) -> ClientConnection:
    own = {name: value for name, value in headers.items() if name not in ("content-type", "accept-encoding")}
    try:
        return await connect(
            f"ws{url.removeprefix('http')}",
            additional_headers=own,
            open_timeout=seconds,
            close_timeout=1,
            max_size=None,
            **await _past_proxies(url),
        )
    except InvalidStatus as refused:
        raise TalkRefused(f"HTTP {refused.response.status_code}") from None
    except (InvalidHandshake, OSError, EOFError) as refused:  # a timeout is an OSError
        raise TalkRefused(str(refused) or type(refused).__name__) from None


async def _past_proxies(url: str) -> dict[str, Any]:
    """A connection to a server on this machine: no proxy of the environment may come between."""
    address = urlsplit(url)
    if not is_loopback(address.hostname or ""):
        return {}
    port = address.port or (443 if address.scheme == "https" else 80)
    return {"sock": await asyncio.to_thread(socket.create_connection, (address.hostname, port))}


@dataclass(frozen=True, slots=True)
class _SocketTalk:
    connection: ClientConnection
    seconds: float

    async def send(self, text: str) -> None:
        try:
            await self.connection.send(text)
        except ConnectionClosed as closed:
            raise TalkOver(f"the socket is closed: {closed}") from None

    async def receive(self) -> str:
        try:
            message = await asyncio.wait_for(self.connection.recv(), self.seconds)
        except TimeoutError:
            raise TalkOver(f"{LATE} {self.seconds:g} s") from None
        except ConnectionClosed as closed:
            raise TalkOver(f"the socket is closed: {closed}") from None
        return message if isinstance(message, str) else message.decode("utf-8", "replace")
