"""One connection of a client to the endpoint's server: requests one after another, and their answers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.delivery import ResponseWriter
from harness.endpoint.endpoint import Endpoints, crashed, proxy_user
from harness.endpoint.entrance import Entrance, NotLetIn
from harness.endpoint.front_door import FrontDoor
from harness.endpoint.http_messages import CONTINUE, TUNNEL_OPENED, HttpRequest, NotHttp, protest
from harness.endpoint.limits import Limits
from harness.endpoint.loopback import is_loopback
from harness.endpoint.request_reader import RequestReader
from harness.endpoint.response_plan import ResponsePlan
from harness.endpoint.source import LiveResponse
from harness.wire.channels import asked_for

if TYPE_CHECKING:
    from harness.endpoint.authority import Authority

_SILENCE: Final = 20
"""Seconds after which a connection ends if the script never answers its upgrade. Without this limit a client that
waits for ever would keep its case open."""

READ: Final = 64 * 1024
"""Most bytes per read."""


@dataclass(frozen=True, slots=True)
class Service:
    """What every connection of a server has in common."""

    endpoints: Endpoints
    entrance: Entrance = field(default_factory=Entrance)
    limits: Limits = field(default_factory=Limits)
    authority: Authority | None = None


@dataclass(eq=False, slots=True)
class Idleness:
    """Since when a connection has had no request, in seconds of the event loop; None while it has one."""

    since: float | None = None


class Connection:
    """Answers the requests of a connection until either side closes it.

    ``case`` is None, except in a tunnel to a provider's host, where paths do not name the case. There it is the case
    that the client has named as the user of its proxy, or empty.
    """

    def __init__(
        self,
        service: Service,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        idleness: Idleness,
        case: str | None = None,
    ) -> None:
        self._service = service
        self._reader = reader
        self._writer = writer
        self._idleness = idleness
        self._case = case
        self._responses = ResponseWriter(writer, service.limits.answer)
        self._requests = RequestReader()
        self._deadline = _Deadline(service.limits)

    async def serve(self) -> None:
        """Return when the connection has ended or is to be closed. Raises ``OSError`` if the client has gone."""
        try:
            await self._serve()
        except NotHttp as problem:
            await self.part(problem)
        finally:
            self._deadline.close()

    async def part(self, problem: NotHttp) -> None:
        """Answer bytes that are no acceptable request, and end the connection."""
        await self._responses.send([protest(problem)])
        await self._linger()

    async def _linger(self) -> None:
        """Close the sending side, and read for a while what the client still sends.

        Unread bytes would reset the connection, and the client could lose the last answer.
        """
        if not self._writer.can_write_eof():
            return
        try:
            self._writer.write_eof()
        except OSError:  # the client has closed both directions, which is no ConnectionError: ENOTCONN
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(self._service.limits.parting):
                while await self._reader.read(READ):
                    pass

    async def _serve(self) -> None:
        while (request := await self._request()) is not None:
            if request.method == "CONNECT" and await self._open_tunnel(request):
                return
            if request.method == "GET" and "upgrade" in request.headers and await self._on_channel(request):
                return
            if not await self._send_answer(request):
                return
            if not request.keeps_alive:
                return await self._linger()
        return None

    # --- tunnels ----------------------------------------------------------------------------------------------

    async def _open_tunnel(self, request: HttpRequest) -> bool:
        """Whether the client got the tunnel that it asked for. Returns when all requests in the tunnel are answered."""
        authority = self._service.authority
        if self._is_own(request.target):
            await self._serve_tunnel()
        elif authority is not None and authority.speaks_for(request.target):
            await self._as_provider(request.target, proxy_user(request.headers), authority)
        else:
            return False
        return True

    def _is_own(self, target: str) -> bool:
        """Whether a client asks for a tunnel to this server itself: some clients tunnel every request."""
        host, _, port = target.rpartition(":")
        return is_loopback(host) and port == str(self._writer.get_extra_info("sockname")[1])

    async def _serve_tunnel(self) -> None:
        """Answer the requests that come through a tunnel."""
        await self._responses.send([TUNNEL_OPENED])
        service = Service(self._service.endpoints, self._service.entrance, self._service.limits)
        inner = Connection(service, self._reader, self._writer, self._idleness)
        inner._requests.feed(self._requests.after_tunnel)
        await inner.serve()

    async def _as_provider(self, target: str, case: str, authority: Authority) -> None:
        """Answer the requests that come through a tunnel to a provider's host, within TLS."""
        await self._responses.send([TUNNEL_OPENED])
        host = target.rpartition(":")[0].rstrip(".").lower()
        try:
            await self._writer.start_tls(authority.context)
        except OSError as error:  # of TLS, or of the connection
            reason = getattr(error, "reason", None) or str(error) or type(error).__name__
            self._service.endpoints.distrusted(case, f"{host}: {reason}")
            return
        service = Service(self._service.endpoints, Entrance(FrontDoor(host=host)), self._service.limits)
        await Connection(service, self._reader, self._writer, self._idleness, case).serve()

    # --- channels ---------------------------------------------------------------------------------------------

    async def _on_channel(self, request: HttpRequest) -> bool:
        """Whether the client got the connection that it asked for, or a scripted refusal. It is over on return."""
        channel = asked_for(request.headers["upgrade"])
        if channel is None:
            return False
        try:
            target = self._target(request)
        except NotLetIn:
            return False
        opened = self._service.endpoints.connection(target, request.headers, channel.name)
        if opened is None:
            return False
        if opened.hangs():
            with suppress(TimeoutError):
                async with asyncio.timeout(_SILENCE):
                    while await self._reader.read(READ):  # until the client gives up
                        pass
            return True
        if (refused := opened.refuses()) is not None:
            await self._responses.respond(replace(request, keeps_alive=False), None, 0, refused)
            await self._linger()
            return True
        await opened.serve(request, self._reader, self._writer)
        return True

    # --- requests ---------------------------------------------------------------------------------------------

    async def _request(self) -> HttpRequest | None:
        """The next request; None if the client has closed the connection. Raises ``NotHttp``."""
        requests, deadline = self._requests, self._deadline
        deadline.begin()
        while (request := requests.next()) is None:
            if requests.awaited == "request":
                self._idleness.since = asyncio.get_running_loop().time()
                data = await self._reader.read(READ)
                self._idleness.since = None
            else:
                data = await deadline.read(self._reader, requests)
            if data:
                requests.feed(data)
            else:
                requests.ended()
                if requests.awaited == "request":
                    return None
            if requests.takes_wait_for_100():
                await self._responses.send([CONTINUE])
        return request

    async def _send_answer(self, request: HttpRequest) -> bool:
        """False when the connection is broken, on purpose or by either side."""
        try:
            endpoint, exchange, answer = self._answer(request)
        except Exception as error:  # a mistake of the harness: the loop is answered, and the traceback goes to the log
            await self._responses.respond(replace(request, keeps_alive=False), None, 0, crashed(error))
            raise
        if isinstance(answer, ResponsePlan):
            return await self._responses.respond(request, endpoint, exchange, answer)
        assert endpoint is not None  # noqa: S101 - only the endpoint of a case has somebody else answer
        return await self._responses.hand_on(request, endpoint, exchange, await answer.open())

    def _answer(self, request: HttpRequest) -> tuple[CaseEndpoint | None, int, ResponsePlan | LiveResponse]:
        endpoints = self._service.endpoints
        try:
            target = self._target(request)
        except NotLetIn as refused:
            return None, 0, endpoints.refuse(request.method, refused.path, str(refused))
        return endpoints.answer(request.method, target, request.headers, request.body)

    def _target(self, request: HttpRequest) -> str:
        """What the endpoint is asked for. Raises ``NotLetIn``."""
        target = self._service.entrance.target(request)
        if self._case is not None:
            target = f"/case/{self._service.endpoints.case_of_tunnel(self._case)}{target}"
        return target


class _Deadline:
    """The time limit for the part of a request that is awaited now.

    A timer for each request would cost as much as reading the request. So the timer of an earlier request keeps
    running, and is set anew when it expires.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._part = ""
        self._at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Task[None] | None = None
        self._is_late = False

    def begin(self) -> None:
        """Another request is awaited."""
        self._part = ""

    def close(self) -> None:
        """Nothing is awaited any more."""
        if self._timer is not None:
            self._timer.cancel()

    async def read(self, reader: asyncio.StreamReader, requests: RequestReader) -> bytes:
        """More bytes of a request that has begun. Raises ``NotHttp`` (408) if they take too long."""
        seconds = self._limits.body if requests.awaited == "body" else self._limits.head
        if self._part != requests.awaited:
            self._part, self._at = requests.awaited, asyncio.get_running_loop().time() + seconds
        self._set_timer()
        task = self._waiting = asyncio.current_task()
        try:
            return await reader.read(READ)
        except asyncio.CancelledError:
            if self._is_late and task is not None and task.uncancel() == 0:  # else somebody else ends it, too
                raise requests.late(seconds) from None
            raise
        finally:
            self._waiting = None

    def _set_timer(self) -> None:
        if self._timer is not None and self._timer.when() > self._at:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(self._at, self._ran_out)

    def _ran_out(self) -> None:
        self._timer = None
        if self._waiting is None:
            return
        if asyncio.get_running_loop().time() < self._at:
            self._set_timer()
        else:
            self._is_late = True
            self._waiting.cancel()
