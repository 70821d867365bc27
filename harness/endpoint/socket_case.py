"""The case of a WebSocket at the endpoint, and how frames become requests of that case. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.request import ReceivedRequest
from harness.endpoint.response_plan import ResponsePlan
from harness.endpoint.rounds import ByWire, Rounds
from harness.endpoint.socket_faults import compresses, hangs, refused_status
from harness.endpoint.source import LiveResponse
from harness.endpoint.suite import PlacedRequest
from harness.trace import SocketDid, SocketRecord
from harness.wire import Route, wire
from harness.wire.websocket import FrameRefused, SocketMode, SocketRequest

_MOST_KINDS = 100
"""Most different frames that are counted as not served."""


@dataclass(eq=False, slots=True)
class SocketCase:
    """One WebSocket of a case: its connection number ``connection``, opened at ``path`` with ``headers``.

    A warm-up (a request that generates nothing) is kept here by its id. A request that continues it is judged and
    answered as one request with the content of both. ``place`` returns the test that asks now.
    """

    served: CaseEndpoint | Rounds | ByWire
    route: Route
    path: str
    headers: Mapping[str, str]
    mode: SocketMode
    connection: int
    not_served: Counter[str]
    place: Callable[[], PlacedRequest]
    _warm: dict[str, bytes] = field(default_factory=dict)

    @property
    def endpoint(self) -> CaseEndpoint:
        """The endpoint of the case; of the latest round, if the case is served again and again."""
        return self.served if isinstance(self.served, CaseEndpoint) else self.served.latest

    def refuses(self) -> ResponsePlan | None:
        """The answer to the client if the script refuses the connection; else None."""
        status = refused_status(self.endpoint.script)
        if status is None:
            return None
        self.note("refuse", status=status)
        return self.endpoint.refusal(status)

    def hangs(self) -> bool:
        """Whether the script never answers the client that asks for the connection."""
        if not hangs(self.endpoint.script):
            return False
        self.note("refuse")
        return True

    @property
    def compresses(self) -> bool:
        """Whether messages are compressed if the client offers that."""
        return compresses(self.endpoint.script)

    def note(self, did: SocketDid, *, status: int = 0, code: int = 0, error: str = "", lane: str = "") -> None:
        """Record what has happened on the connection."""
        self.endpoint.recorder.happened(SocketRecord(self.connection, did, status, code, error, lane))

    def answer(self, asked: SocketRequest) -> tuple[CaseEndpoint, int, ResponsePlan | LiveResponse]:
        """The endpoint, the exchange's number and the answer."""
        body = asked.body
        if self._warm and (warm := self._goes_on_from(body)):
            body = self.mode.after(self._warm[warm], body)
        request = self._request(body, asked.lane)
        endpoint = self.served if isinstance(self.served, CaseEndpoint) else self.served.endpoint_for(request)
        return endpoint, *endpoint.answer(request)

    def warm_up(self, asked: SocketRequest) -> ResponsePlan:
        """The answer to a warm-up request, which generates nothing."""
        body = asked.body
        if warm := self._goes_on_from(body):
            body = self.mode.after(self._warm[warm], body)
        id, plan = self.endpoint.warmed_up(self._request(body, asked.lane))
        if id:
            self._warm[id] = body
        self.note("warm-up", lane=asked.lane)
        return plan

    def refused(self, refused: FrameRefused) -> str:
        """Count a frame that asks for no response, and return the answer."""
        what = f"WEBSOCKET {self.path.partition('?')[0]} ({refused.kind[:100]})"
        if what in self.not_served or len(self.not_served) < _MOST_KINDS:
            self.not_served[what] += 1
        if refused.frame:
            return refused.frame
        speaker = wire(self.route.wire)
        return self.mode.error(self.endpoint.error_frame(speaker, refused.answered), refused.lane)

    def limit(self) -> str:
        """Record that the connection has lasted too long, and return the error."""
        self.note("error", error=self.mode.limit.code or "")
        return self.mode.error(self.endpoint.error_frame(wire(self.route.wire), self.mode.limit), "")

    def continues(self, body: bytes) -> str:
        """The id of the response that a request continues; empty if there is none."""
        return wire(self.route.wire).read(self.route, body).continues or ""

    def _goes_on_from(self, body: bytes) -> str:
        """The id of the warm-up that a request continues; empty if there is none."""
        response = self.continues(body)
        return response if response in self._warm else ""

    def _request(self, body: bytes, lane: str) -> ReceivedRequest:
        over = self.connection, lane, self.place().test
        return ReceivedRequest(self.route, "POST", self.path, self.headers, body, None, *over)
