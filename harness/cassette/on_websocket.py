"""The WebSockets of a case to its upstream: one for each of the loop's, because responses belong to a connection.

Incoming frames are passed on as a stream of server-sent events with the same data. An error that answers a request is
passed on as the HTTP answer for it. So the endpoint treats both like any other live answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.http11 import Response

from harness.cassette import Headers, Interaction, OverSocket
from harness.cassette.framing import FRAMING_OF_PLAIN
from harness.cassette.over_socket import closed_with
from harness.cassette.pieces import ReceivedPieces
from harness.cassette.upstream import Upstream
from harness.endpoint import Arriving, ModelRequest, ResponseBroken
from harness.ground.bounded_json import loads
from harness.trace import End
from harness.wire import ErrorAnswer
from harness.wire.sse import SSE
from harness.wire.websocket import HeardFrame, SocketMode

_NOT_HERE: Final = frozenset({404, 405, 426, 501})
"""The statuses by which a server shows that it has no WebSockets."""

_SECONDS: Final = 30.0


class UpstreamSockets:
    """Opens a WebSocket when the loop first asks on one of its WebSockets, and closes all of them at the end.

    ``keep`` takes what is to be recorded, ``clock`` returns seconds.
    """

    def __init__(self, upstream: Upstream, clock: Callable[[], float], keep: Callable[[Interaction], None]) -> None:
        self._upstream = upstream
        self._clock = clock
        self._keep = keep
        self._open: dict[int, _UpstreamSocket] = {}
        self._opening = asyncio.Lock()
        self._has_none = False

    async def ask(self, asked: ModelRequest, mode: SocketMode) -> Arriving | None:
        """The answer to a request that came over a WebSocket; None if the upstream has no WebSockets.

        Raises ``OSError``, also if the server speaks another protocol.
        """
        try:
            return await self._ask(asked, mode)
        except WebSocketException as error:
            raise ConnectionError(str(error)) from error

    async def _ask(self, asked: ModelRequest, mode: SocketMode) -> Arriving | None:
        place = OverSocket(asked.conversation.connection, asked.conversation.lane)
        pieces, leave = ReceivedPieces(self._clock, self._clock()), _nothing
        try:
            socket = await self._socket(asked, mode)
        except InvalidStatus as refused:
            if refused.response.status_code in _NOT_HERE:
                self._has_none = True
                return None
            frames = _refusal_frames(refused.response)
        else:
            if socket is None:
                return None
            frames, leave = socket.ask(mode.asks(loads(asked.body), place.lane), place.lane), socket.close
        return await _begun(frames, pieces, leave, partial(self._record_exchange, asked, place))

    async def close(self) -> None:
        """Close what is open."""
        for each in self._open.values():
            await each.close()

    async def _socket(self, asked: ModelRequest, mode: SocketMode) -> _UpstreamSocket | None:
        number = asked.conversation.connection
        async with self._opening:  # two lanes may ask at once
            if self._has_none:
                return None
            if number not in self._open:
                self._open[number] = await self._open_socket(asked, mode)
            return self._open[number]

    async def _open_socket(self, asked: ModelRequest, mode: SocketMode) -> _UpstreamSocket:
        pieces = ReceivedPieces(self._clock, self._clock())
        url = f"ws{self._upstream.url(asked.path).removeprefix('http')}"
        headers = self._upstream.headers(asked.headers)
        del headers["accept-encoding"]
        options: dict[str, Any] = {"proxy": None} if self._upstream.is_local else {}
        opened = await connect(
            url,
            additional_headers=headers,
            user_agent_header=None,
            compression=None,
            open_timeout=_SECONDS,
            close_timeout=1,
            max_size=None,
            max_queue=None,
            **options,
        )
        assert opened.response is not None  # noqa: S101 - it is what has opened it
        place = OverSocket(asked.conversation.connection)
        answered = opened.response.status_code, _headers(opened.response), b""
        self._keep(Interaction("GET", url, _sent(headers), None, *answered, delivery=pieces.delivery("eof", place)))
        return _UpstreamSocket(opened, mode)

    def _record_exchange(self, asked: ModelRequest, place: OverSocket, answer: _HeardAnswer, end: End) -> None:
        """Record an exchange in the form of HTTP."""
        place = OverSocket(place.connection, place.lane, answer.code)
        self._keep(
            Interaction(
                method=asked.method,
                url=self._upstream.url(asked.path),
                request_headers=_sent(self._upstream.headers(asked.headers)),
                request=asked.body,
                status=answer.status,
                response_headers=_sent(answer.headers),
                response=answer.pieces.body,
                delivery=answer.pieces.delivery(end, place),
            )
        )


connections = UpstreamSockets
"""The class that opens the connections (``harness.cassette.record.Connections``)."""

# --- one WebSocket ------------------------------------------------------------------------------------------


class _UpstreamSocket:
    """One WebSocket. Its frames go to the request on their lane.

    An unsolicited error becomes the answer to the next request: so a loop learns late, but surely, what a server sends
    between two answers.
    """

    def __init__(self, opened: ClientConnection, mode: SocketMode) -> None:
        self._opened = opened
        self._mode = mode
        self._waiting: dict[str, asyncio.Queue[HeardFrame | None]] = {}
        self._unasked: HeardFrame | None = None
        self._is_over = False
        self._listener = asyncio.get_running_loop().create_task(self._read())

    async def ask(self, frame: str, lane: str) -> AsyncGenerator[HeardFrame]:
        """The frames of the answer. Raises ``ResponseBroken`` if the connection ends before the answer."""
        if self._unasked is not None:
            unasked, self._unasked = self._unasked, None
            yield unasked
            return
        queue = self._waiting[lane] = asyncio.Queue()
        try:
            await self._send(frame)
            while (heard := await queue.get()) is not None:
                yield heard
                if heard.ends:
                    return
            raise self._broken()
        finally:
            if self._waiting.get(lane) is queue:  # the loop has left before the end
                del self._waiting[lane]

    async def close(self) -> None:
        """Close the connection; no more requests follow."""
        await self._opened.close()
        await self._listener

    async def _send(self, frame: str) -> None:
        try:
            await self._opened.send(frame)
        except ConnectionClosed:
            raise self._broken() from None
        if self._is_over:
            raise self._broken()

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            async for message in self._opened:
                text = message if isinstance(message, str) else message.decode("utf-8", "replace")
                self._take(self._mode.heard(text))
        self._is_over = True
        for queue in self._waiting.values():
            queue.put_nowait(None)

    def _take(self, heard: HeardFrame) -> None:
        queue = self._waiting.pop(heard.lane, None) if heard.ends else self._waiting.get(heard.lane)
        if queue is not None:
            queue.put_nowait(heard)
        elif heard.error is not None:
            self._unasked = heard

    def _broken(self) -> ResponseBroken:
        code = self._opened.close_code or 0
        return ResponseBroken(f"the upstream has closed the WebSocket ({code})", closed_with(code))


# --- one answer ---------------------------------------------------------------------------------------------


class _HeardAnswer:
    """An answer that is arriving (``Arriving``). ``first`` is its first frame, None if it broke before that.

    ``leave`` closes the connection: nothing else stops an answer. ``code`` is the code with which it was closed.
    """

    def __init__(
        self,
        first: HeardFrame | None,
        rest: AsyncGenerator[HeardFrame],
        pieces: ReceivedPieces,
        leave: Callable[[], Awaitable[None]],
        keep: Callable[[_HeardAnswer, End], None],
        broken: ResponseBroken | None = None,
    ) -> None:
        error = first.error if first is not None else None
        self.status = error.status if error is not None else 200
        self.headers: Mapping[str, str] = error.headers if error is not None else {"content-type": SSE.content_type}
        self.pieces = pieces
        self.code = 0
        self._first = first
        self._rest = rest
        self._leave = leave
        self._keep = keep
        self._broken = broken
        self._is_whole = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            if self._broken is not None:
                raise self._broken
            async for heard in self._frames():
                self._is_whole = heard.ends
                yield self.pieces.add(heard.event if self.status < 400 or heard.error is None else heard.error.body)
        except ResponseBroken as broken:
            self.code = broken.cut.code if broken.cut.how == "close" else 0
            raise

    async def close(self, end: End) -> End:
        """End the answer, delivered or abandoned (``Arriving.close``)."""
        if end == "closed" and self._is_whole:
            end = "eof"
        await self._rest.aclose()
        if end == "closed":
            await self._leave()
        self._keep(self, end)
        return end

    async def _frames(self) -> AsyncIterator[HeardFrame]:
        assert self._first is not None  # noqa: S101 - else it is broken
        yield self._first
        if not self._first.ends:
            async for heard in self._rest:
                yield heard


async def _begun(
    frames: AsyncGenerator[HeardFrame],
    pieces: ReceivedPieces,
    leave: Callable[[], Awaitable[None]],
    keep: Callable[[_HeardAnswer, End], None],
) -> _HeardAnswer:
    """The answer made of these frames, once the first has come."""
    try:
        return _HeardAnswer(await anext(frames), frames, pieces, leave, keep)
    except ResponseBroken as broken:
        return _HeardAnswer(None, frames, pieces, leave, keep, broken)


async def _refusal_frames(answered: Response) -> AsyncGenerator[HeardFrame]:
    """The frames for a request whose connection was refused: the answer to the opening."""
    headers = {name: ", ".join(values) for name, values in _headers(answered).items() if name not in FRAMING_OF_PLAIN}
    yield HeardFrame(b"", ends=True, error=ErrorAnswer(answered.status_code, headers, bytes(answered.body or b"")))


async def _nothing() -> None:
    """Do nothing: there is no connection to leave."""


def _sent(headers: Mapping[str, str]) -> Headers:
    return {name: (value,) for name, value in headers.items()}


def _headers(answered: Response) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, value in answered.headers.raw_items():
        found[name.lower()] = (*found.get(name.lower(), ()), value)
    return found
