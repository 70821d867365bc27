"""One WebSocket of a client: frames in, the answers of its case out, as many at once as it has lanes.

The protocol is implemented by ``websockets`` without its I/O, so one port serves HTTP and WebSockets: this module takes
over the connection when a request asks for the upgrade. Frames may have any size, and are compressed if the script
demands it and the client offers it (no client needs that).
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.http_messages import HttpRequest
from harness.endpoint.response_plan import ResponsePlan
from harness.endpoint.socket_case import SocketCase
from harness.endpoint.source import LiveResponse, ResponseBroken
from harness.endpoint.steered import SteeredResponses
from harness.finding import ProviderAnswer
from harness.ground.bounded_json import loads
from harness.scenario import Cut, SocketFault
from harness.trace import End
from harness.wire import ErrorAnswer, Reply, wire
from harness.wire.websocket import FrameRefused, SocketRequest, SteerRequest

_READ: Final = 64 * 1024
_DROPPED: Final = 1006
"""The code that a client reports for a connection that broke without a close frame. No TCP reset is sent: the client
could not notice it, and would only lose what it has not read yet."""
_CLOSED: Final[End] = "closed"
_NORMAL: Final = 1000
_NOTHING: Final = ProviderAnswer("", status=400)
_GOING_AWAY: Final = 1001


class _Lane:
    """The waiting requests of one stream, whether an answer is being sent, and whether a task works on the requests.

    A client may ask again as soon as it has the last event, before the task has continued.
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
        extensions = [ServerPerMessageDeflateFactory()] if case.compresses else None
        self._protocol = ServerProtocol(max_size=None, extensions=extensions)
        self._request = request
        self._lanes: dict[str, _Lane] = {}
        self._room = asyncio.Semaphore(case.mode.active)
        self._lane_of: dict[str, str] = {}
        self._forks: dict[str, str] = {}
        self._steered = SteeredResponses(case.mode.steering)
        self._steers: dict[str, list[SteerRequest]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._message = bytearray()
        self._is_closed_here = False
        self._is_expired = False

    async def serve(self) -> None:
        """Return when the connection has ended. Raises ``OSError`` if the client has gone."""
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
        """Do the handshake. The protocol parses the request's head itself, so it gets the head once more."""
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
        """Handle a frame of the client."""
        if not self._is_open:
            return
        try:
            asked = self._case.mode.read(text)
            if isinstance(asked, SteerRequest):
                self._steer(asked)
                return
            lane = self._lane(asked.lane)
        except FrameRefused as refused:
            self._send(self._case.refused(refused))
            return
        if lane.is_answering or lane.waiting:
            self._case.note("early", lane=asked.lane)
        elif asked.lane and self._busy >= self._case.mode.active:
            self._case.note("crowded", lane=asked.lane)
        if len(self._lanes) > 1:
            self._note_a_fork(asked)
        lane.waiting.append(asked)
        if not lane.has_task:
            lane.has_task = True
            task = asyncio.get_running_loop().create_task(self._work(lane))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _lane(self, name: str) -> _Lane:
        """The stream with this name. Raises ``FrameRefused`` if there are too many."""
        if name not in self._lanes:
            if name and len(self._lanes.keys() - {""}) >= self._case.mode.lanes:
                raise FrameRefused("one stream too many", self._case.mode.too_many_lanes, name)
            self._lanes[name] = _Lane()
        return self._lanes[name]

    @property
    def _busy(self) -> int:
        """How many named streams have something to answer."""
        return sum(bool(name and (lane.is_answering or lane.waiting)) for name, lane in self._lanes.items())

    def _note_a_fork(self, asked: SocketRequest) -> None:
        """Note a stream that continues a response of another stream. Until its own response has begun, the other stream
        must wait: otherwise that response would be gone."""
        source = self._lane_of.get(self._case.mode.lent(asked.body))
        if source is not None and source != asked.lane:
            self._forks[asked.lane] = source
        elif asked.lane in self._forks.values():
            self._case.note("overtaken", lane=asked.lane)

    def _steer(self, steer: SteerRequest) -> None:
        """Steer a response that is being sent."""
        accepted, lane, frame = self._steered.take(steer)
        if accepted:
            self._case.note("steer", lane=lane)
        else:
            self._case.refused(FrameRefused("response.steer", _NOTHING, frame=frame))
        self._send(frame)

    async def _work(self, lane: _Lane) -> None:
        """Answer the requests of a stream one after another. Only a limited number of streams is answered at once."""
        while lane.waiting and self._is_open:
            lane.is_answering = True
            async with AsyncExitStack() as room:
                if lane.waiting[0].lane:
                    await room.enter_async_context(self._room)
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
        if self._steered.has_waiting and (waiting := self._steered.waiting_for(self._case.continues(asked.body))):
            asked = replace(asked, body=self._case.mode.steering.in_front(asked.body, waiting))
        try:
            endpoint, exchange, answer = self._case.answer(asked)
        except Exception as error:  # a mistake of the harness: the loop is answered, and the traceback goes to the log
            from harness.endpoint.endpoint import crashed

            await self._deliver(lane, asked.lane, crashed(error))
            raise
        if isinstance(answer, LiveResponse):
            await self._hand_on(lane, asked.lane, endpoint, exchange, answer)
        else:
            await self._deliver(lane, asked.lane, answer, endpoint, exchange)
            self._follow(lane, asked, answer)

    def _follow(self, lane: _Lane, asked: SocketRequest, answer: ResponsePlan) -> None:
        """Send what follows a steered answer: its successor, or a notice that it waits for results."""
        reply, steering = answer.reply, self._case.mode.steering
        steers = self._steers.pop(reply.id, []) if reply is not None else []
        if reply is None or not steers or not self._is_open:
            return
        if not reply.turn.calls:
            body = steering.succeeds(asked.body, reply.id, [each.input for each in steers])
            lane.waiting.appendleft(replace(asked, body=body))
            return
        self._steered.keep(reply.id, steers)
        for each in steers:
            self._send(steering.pending(each, reply.items, asked.lane))

    # --- answers ----------------------------------------------------------------------------------------------

    async def _deliver(
        self, lane: _Lane, name: str, answer: ResponsePlan, endpoint: CaseEndpoint | None = None, exchange: int = 0
    ) -> None:
        """Carry out the plan."""
        end: End = "closed"
        if answer.reply is not None:
            self._lane_of[answer.reply.id] = name
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
            self._forks.pop(name, None)
            if answer.reply is not None:
                self._steered.ends(answer.reply.id)
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
        """Send each event of the answer as a frame. Raises ``ConnectionError`` if the client has gone."""
        reader = wire(self._case.route.wire).transport.reader()
        pauses, fault = deque(answer.pauses), answer.step.socket if answer.step is not None else None
        if fault is not None and fault.steerable and answer.reply is not None:
            self._steered.begins(answer.reply.id, name)
        for number, (chunk, wait) in enumerate(zip_longest(answer.chunks, answer.waits)):
            while pauses and pauses[0].after <= number:
                if (over := pauses.popleft().reached()) is not None and await over:
                    raise ConnectionAbortedError("nobody is left who would take the answer")
            if wait:
                await asyncio.sleep(wait)
            if fault is not None and fault.steerable and number + 1 == len(answer.chunks):
                chunk = await self._steered_end(answer, endpoint, exchange)
            self._check_open()
            if endpoint is not None:
                endpoint.recorder.delivered(exchange, chunk)
            for event in reader.feed(chunk):
                if self._forks and self._case.mode.underway(loads(event.data.encode())):
                    self._forks.pop(name, None)
                self._send(self._case.mode.event(event.data, name))
            if fault is not None and fault.elsewhere and not number:
                self._speak_elsewhere()
            if number + 1 < len(answer.chunks):
                await self._writer.drain()
        for pause in pauses:
            pause.reached()

    async def _steered_end(self, answer: ResponsePlan, endpoint: CaseEndpoint | None, exchange: int) -> bytes:
        """The last event of a steerable answer. An answer with calls ends as planned."""
        *before, last = answer.chunks
        assert answer.reply is not None  # noqa: S101 - a script says what it is
        steers = self._steers[answer.reply.id] = await self._steered.steers_of(answer.reply.id)
        if not steers or answer.reply.turn.calls:
            return last
        cut = self._case.mode.steering.cut(before)
        if endpoint is not None:
            endpoint.steered(exchange, answer.headers["content-type"], b"".join((*before, cut)))
        return cut

    def _speak_elsewhere(self) -> None:
        """Send messages of a stream without a request; they belong to no answer."""
        for message in self._case.mode.elsewhere:
            self._send(message)
        self._case.note("stray")

    async def _hand_on(self, lane: _Lane, name: str, endpoint: CaseEndpoint, exchange: int, live: LiveResponse) -> None:
        """Deliver a response while it arrives."""
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
        """Carry out the fault that follows a complete answer."""
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
        """Send a frame. Raises ``ConnectionError`` if the connection is closed."""
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
    """Whether the client can see that the answer has ended."""
    return reply.complete or reply.turn.error is not None
