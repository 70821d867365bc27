"""Delivers answers to a client: every planned chunk becomes one HTTP chunk, and the response ends as planned."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Final

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.http_messages import HttpRequest, chunks_of, end_of, head_of
from harness.endpoint.response_plan import Pause, ResponsePlan
from harness.endpoint.source import Arriving, ResponseBroken
from harness.trace import End

_WRITE: Final = 64 * 1024
"""Bytes of a response after which the server waits until the client has taken them."""

_RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)

Deliver = Callable[[Sequence[bytes]], object]
"""Takes pieces of a body that are about to reach the client."""


class ResponseWriter:
    """Writes answers to one connection. It gives up if the client takes nothing for ``patience`` seconds."""

    def __init__(self, writer: asyncio.StreamWriter, patience: float) -> None:
        self._writer = writer
        self._patience = patience

    async def hand_on(self, request: HttpRequest, endpoint: CaseEndpoint, exchange: int, arriving: Arriving) -> bool:
        """Deliver a response while it arrives. False if it broke off or the client has gone."""
        end: End = "closed"
        status = arriving.status
        endpoint.recorder.respond(exchange, status, arriving.headers)
        try:
            await self.send([head_of(status, arriving.headers, request)])
            async for chunk in arriving:
                endpoint.recorder.delivered(exchange, chunk)
                await self.send(chunks_of((chunk,), status, request))
            await self.send([end_of(status, request)])
            end = "eof"
        except ResponseBroken:
            end = "cut"
        except ConnectionError:
            pass  # the loop went away
        finally:
            endpoint.ended(exchange, await arriving.close(end))
        return end == "eof"

    async def respond(
        self, request: HttpRequest, endpoint: CaseEndpoint | None, exchange: int, answer: ResponsePlan
    ) -> bool:
        """Carry out the plan. False if the connection was broken, on purpose or by the client."""
        deliver = _to_nobody if endpoint is None else endpoint.recorder.respond(exchange, answer.status, answer.headers)
        end: End = "closed"
        try:
            written = [head_of(answer.status, answer.headers, request)] if answer.status else []
            if answer.apart or answer.waits or answer.pauses or sum(map(len, answer.chunks)) >= _WRITE:
                await self._deliver(request, answer, deliver, written)
            else:
                deliver(answer.chunks)
                written += chunks_of(answer.chunks, answer.status, request)
            end = answer.end
            if end == "eof":
                written.append(end_of(answer.status, request))
            await self.send(written)
            return end == "eof"
        except ConnectionError:
            return False
        finally:
            if endpoint is not None:
                endpoint.ended(exchange, end)
            if end == "reset":
                self._reset()

    async def _deliver(
        self, request: HttpRequest, answer: ResponsePlan, deliver: Deliver, written: list[bytes]
    ) -> None:
        """Send the body piece by piece, except its end, which stays in ``written``."""
        size = 0
        pauses = deque(answer.pauses)
        for number, (chunk, wait) in enumerate(zip_longest(answer.chunks, answer.waits)):
            while pauses and pauses[0].after <= number:
                await self._pause(pauses.popleft(), written, has_begun=number > 0)
            if wait:
                await self.send(written)
                await asyncio.sleep(wait)
            deliver((chunk,))
            written += chunks_of((chunk,), answer.status, request)
            size += len(chunk)
            if answer.apart or size >= _WRITE:
                await self.send(written)
                size = 0
        for pause in pauses:
            pause.reached()

    async def _pause(self, pause: Pause, written: list[bytes], *, has_begun: bool) -> None:
        """Wait until the caller has acted. If the answer has not begun, nothing of it is sent before that.

        A client may survive its run, in a thread that nobody can cancel. It gets the head of the answer, because some
        clients repeat a request if the connection breaks before an answer.
        """
        if has_begun:
            await self.send(written)
        if (over := pause.reached()) is not None and await over:
            await self.send(written)
            raise ConnectionAbortedError("nobody is left who would take the answer")

    async def send(self, pieces: list[bytes]) -> None:
        """Write the pieces at once, and take them out of the list.

        Raises ``ConnectionError`` if the client has gone.
        """
        self._writer.write(b"".join(pieces))
        pieces.clear()
        if not (left := self._left()):
            await self._writer.drain()
        while left:
            try:
                async with asyncio.timeout(self._patience):
                    return await self._writer.drain()
            except TimeoutError:
                before, left = left, self._left()
                if left >= before:
                    self._writer.transport.abort()
                    raise ConnectionAbortedError("the client takes nothing of its answer") from None

    def _left(self) -> int:
        """Bytes that this process still has because the client has not taken them yet."""
        return self._writer.transport.get_write_buffer_size()

    def _reset(self) -> None:
        raw = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self._writer.transport.abort()


def _to_nobody(chunks: Sequence[bytes]) -> None:
    """Record nothing: these bytes belong to no case."""
