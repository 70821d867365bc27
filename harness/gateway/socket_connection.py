"""One WebSocket of a client: frames in, the answers of its case out, as many at once as it has lanes.

The protocol is that of ``websockets`` without its I/O, so that the port of the endpoint serves both: it is handed the
connection once a request has asked for the upgrade. Frames are not compressed (no client needs that), and may be of any
size.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from itertools import zip_longest
from typing import Final

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from harness.gateway.case_endpoint import CaseEndpoint
from harness.gateway.http_messages import HttpRequest
from harness.gateway.response_plan import ResponsePlan
from harness.gateway.socket_case import SocketCase
from harness.gateway.source import LiveResponse, ResponseBroken
from harness.scenario import Cut, SocketFault
from harness.trace import End
from harness.wire import ErrorAnswer, Reply, wire
from harness.wire.websocket import FrameRefused, SocketRequest

__all__ = ["SocketConnection"]

_READ: Final = 64 * 1024
_DROPPED: Final = 1006
"""The code by which a client calls a connection that broke without a close frame. It cannot see whether that was a TCP
reset, which would only take from it what it has not read yet: so none is sent."""
_CLOSED: Final[End] = "closed"
_NORMAL: Final = 1000
_GOING_AWAY: Final = 1001


class _Lane:
    """The requests of one stream that wait; whether the answer to one is on its way, and whether a task works on them.

    A client may ask again as soon as it has the last event, which is before the task has gone on.
    """

    def __init__(self) -> None:
        self.waiting: deque[SocketRequest] = deque()
        self.is_answering = False
        self.has_task = False


class SocketConnection:
    """Answers the frames of a WebSocket until either side closes it."""

    def __init__(
        self, case: SocketCase, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._case = case
        self._reader = reader
        self._writer = writer
        self._protocol = ServerProtocol(max_size=None)
        self._request = request
        self._lanes: dict[str, _Lane] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._message = bytearray()
        self._is_closed_here = False
        self._is_expired = False

    async def serve(self) -> None:
        """Return when the connection has ended. Raises ``OSError`` where the client has gone."""
        self._open()
        if self._protocol.state is not State.OPEN:  # the handshake is none; the answer says why
            return
        self._case.note("open")
        try:
            await self._read()
            if not self._is_closed_here:
                self._case.note("left", code=self._protocol.close_rcvd.code if self._protocol.close_rcvd else 0)
            await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            for task in self._tasks:
                task.cancel()

    def _open(self) -> None:
        """Do the handshake: the protocol reads it itself, and so is given the request's head once more."""
        lines = [
            f"GET {self._request.target} HTTP/1.1",
            *(f"{name}: {of}" for name, of in self._request.headers.items()),
        ]
        self._protocol.receive_data("\r\n".join([*lines, "", ""]).encode("latin-1"))
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                self._protocol.send_response(self._protocol.accept(event))
        self._flush()

    async def _read(self) -> None:
        while data := await self._reader.read(_READ):
            self._protocol.receive_data(data)
            for frame in self._protocol.events_received():
                if isinstance(frame, Frame) and frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                    self._message += frame.data
                    if frame.fin:
                        text, self._message = self._message.decode("utf-8", "replace"), bytearray()
                        self._take(text)
            self._flush()
            await self._writer.drain()
            if self._protocol.close_rcvd is not None:
                return
        self._protocol.receive_eof()

    # --- frames -----------------------------------------------------------------------------------------------

    def _take(self, text: str) -> None:
        """A frame of the client has arrived."""
        if not self._is_open:
            return
        try:
            asked = self._case.mode.read(text)
            lane = self._lane(asked.lane)
        except FrameRefused as refused:
            self._send(self._case.refused(refused))
            return
        if lane.is_answering or lane.waiting:
            self._case.note("early", lane=asked.lane)
        lane.waiting.append(asked)
        if not lane.has_task:
            lane.has_task = True
            task = asyncio.get_running_loop().create_task(self._work(lane))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _lane(self, name: str) -> _Lane:
        """The stream with this name. Raises ``FrameRefused`` where there are too many."""
        if name not in self._lanes:
            if name and len(self._lanes.keys() - {""}) >= self._case.mode.lanes:
                raise FrameRefused("one stream too many", self._case.mode.too_many_lanes, name)
            self._lanes[name] = _Lane()
        return self._lanes[name]

    async def _work(self, lane: _Lane) -> None:
        """Answer the requests of a stream one after the other."""
        while lane.waiting and self._is_open:
            lane.is_answering = True
            await self._answer(lane, lane.waiting.popleft())
        lane.has_task = False

    async def _answer(self, lane: _Lane, asked: SocketRequest) -> None:
        if self._is_expired:
            lane.is_answering = False
            self._send(self._case.limit())
            return
        if asked.warm_up:
            await self._deliver(lane, asked.lane, self._case.warm_up(asked))
            return
        try:
            endpoint, exchange, answer = self._case.answer(asked)
        except Exception as error:  # a mistake of the harness: the loop is answered, and the traceback goes to the log
            from harness.gateway.gateway import crashed

            await self._deliver(lane, asked.lane, crashed(error))
            raise
        if isinstance(answer, LiveResponse):
            await self._hand_on(lane, asked.lane, endpoint, exchange, answer)
        else:
            await self._deliver(lane, asked.lane, answer, endpoint, exchange)

    # --- answers ----------------------------------------------------------------------------------------------

    async def _deliver(
        self, lane: _Lane, name: str, answer: ResponsePlan, endpoint: CaseEndpoint | None = None, exchange: int = 0
    ) -> None:
        """Carry out the plan."""
        end: End = "closed"
        if endpoint is not None:
            endpoint.recorder.respond(exchange, answer.status, answer.headers)
        try:
            if answer.status >= 400:
                refused = ErrorAnswer(answer.status, answer.headers, b"".join(answer.chunks))
                self._error(refused, name, endpoint, exchange)
            else:
                await self._events(name, answer, endpoint, exchange)
            end = answer.end
        except ConnectionError:
            pass  # the client has gone
        finally:
            lane.is_answering = False
            if endpoint is not None:
                endpoint.ended(exchange, end)
        if answer.cut is not None and end in ("cut", "reset"):
            self._break(answer.cut)
        elif end == "eof" and answer.reply is not None and not _is_over(answer.reply):
            self._close(_NORMAL)  # nothing else says over a WebSocket that an answer ends without its terminal event
        elif end == "eof" and answer.step is not None and answer.step.socket is not None:
            self._behind(answer.step.socket)
        with suppress(ConnectionError):
            await self._writer.drain()

    def _error(self, answer: ErrorAnswer, name: str, endpoint: CaseEndpoint | None, exchange: int) -> None:
        frame = self._case.mode.error(answer, name)
        if endpoint is not None:
            endpoint.recorder.delivered(exchange, frame.encode())
        self._send(frame)

    async def _events(self, name: str, answer: ResponsePlan, endpoint: CaseEndpoint | None, exchange: int) -> None:
        """Send each event of the answer as a frame. Raises ``ConnectionError`` where the client has gone."""
        reader = wire(self._case.route.wire).transport.reader()
        pauses = deque(answer.pauses)
        for number, (chunk, wait) in enumerate(zip_longest(answer.chunks, answer.waits)):
            while pauses and pauses[0].after <= number:
                if (over := pauses.popleft().reached()) is not None and await over:
                    raise ConnectionAbortedError("nobody is left who would take the answer")
            if wait:
                await asyncio.sleep(wait)
            self._check_open()
            if endpoint is not None:
                endpoint.recorder.delivered(exchange, chunk)
            for event in reader.feed(chunk):
                self._send(self._case.mode.event(event.data, name))
            if number + 1 < len(answer.chunks):
                await self._writer.drain()
        for pause in pauses:
            pause.reached()

    async def _hand_on(self, lane: _Lane, name: str, endpoint: CaseEndpoint, exchange: int, live: LiveResponse) -> None:
        """Deliver a response while it comes in."""
        arriving = await live.open()
        endpoint.recorder.respond(exchange, arriving.status, arriving.headers)
        reader, error = wire(self._case.route.wire).transport.reader(), b""
        ended, cut = _CLOSED, Cut()
        try:
            async for chunk in arriving:
                self._check_open()
                endpoint.recorder.delivered(exchange, chunk)
                if arriving.status >= 400:
                    error += chunk
                    continue
                for event in reader.feed(chunk):
                    self._send(self._case.mode.event(event.data, name))
                await self._writer.drain()
            if arriving.status >= 400:
                self._send(self._case.mode.error(ErrorAnswer(arriving.status, arriving.headers, error), name))
            ended = "eof"
        except ResponseBroken as broken:
            ended, cut = "cut", broken.cut
        except ConnectionError:
            pass  # the client has gone
        finally:
            lane.is_answering = False
            endpoint.ended(exchange, await arriving.close(ended))
        if ended == "cut":
            self._break(cut)

    # --- ends -------------------------------------------------------------------------------------------------

    def _break(self, cut: Cut) -> None:
        """End the connection in the middle of an answer."""
        if cut.how == "limit" and self._is_open:
            self._send(self._case.limit())
        self._close({"close": cut.code, "limit": _GOING_AWAY}.get(cut.how, _DROPPED))

    def _behind(self, fault: SocketFault) -> None:
        """What happens when an answer has been sent to its end."""
        if fault.limit and self._is_open:
            self._is_expired = True  # it stays so: whoever asks here again gets it again
            self._send(self._case.limit())
        if fault.close:
            self._close(fault.close)

    def _close(self, code: int) -> None:
        if not self._is_open:
            return
        self._is_closed_here = True
        self._case.note("cut" if code == _DROPPED else "close", code=code)
        if code == _DROPPED:
            self._writer.close()  # what has been sent arrives; then the connection ends without a close frame
            return
        self._protocol.send_close(code)
        self._flush()

    @property
    def _is_open(self) -> bool:
        return self._protocol.state is State.OPEN and not self._writer.transport.is_closing()

    def _check_open(self) -> None:
        if not self._is_open:
            raise ConnectionAbortedError("the client has closed the connection")

    def _send(self, text: str) -> None:
        """Raises ``ConnectionError`` where the connection is closed."""
        self._check_open()
        self._protocol.send_text(text.encode("utf-8", "backslashreplace"))
        self._flush()

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._writer.write(data)
            elif self._writer.can_write_eof():
                with suppress(OSError):
                    self._writer.write_eof()


def _is_over(reply: Reply) -> bool:
    """Whether the client can know that the answer has ended."""
    return reply.complete or reply.turn.error is not None
