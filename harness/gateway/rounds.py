"""A scenario that is served again and again: every fresh conversation is a new case.

A person who tries their loop against a served scenario runs it more than once. A request that goes on with a
conversation, or sends its request again, belongs to the round in which that began. One that begins a main conversation
opens a new round as soon as the round before has answered one; any other is a side conversation of the latest round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from harness.gateway.case_endpoint import CaseEndpoint
from harness.gateway.recognition import Opening, RecognisedRequest
from harness.gateway.request import ReceivedRequest
from harness.wire import Route, UnreadableRequest, WireName, wire

__all__ = ["ByWire", "Rounds"]


class Rounds:
    """The endpoints of one served scenario, one per round. ``open_endpoint`` makes the endpoint of round 1, 2, ...

    A request is compared with few of the rounds before, however many there have been.
    """

    def __init__(self, open_endpoint: Callable[[int], CaseEndpoint]) -> None:
        self._open_endpoint = open_endpoint
        self._issued: dict[str, tuple[int, bool]] = {}
        self._opened: dict[Opening, int] = {}
        self._unanswered: defaultdict[Opening, set[int]] = defaultdict(set)
        self.endpoints: list[CaseEndpoint] = []
        self._begin()

    def route(self, method: str, path: str) -> Route | None:
        """A request to this scenario (``CaseEndpoint.route``)."""
        return self.endpoints[-1].route(method, path)

    def endpoint_for(self, request: ReceivedRequest) -> CaseEndpoint:
        """The endpoint that answers this request."""
        latest = self.endpoints[-1]
        try:
            asked = request.asked(wire(request.route.wire))
        except UnreadableRequest:
            return latest
        tried: set[int] = set()
        for number in self._candidates(asked):
            if number in tried:
                continue
            tried.add(number)
            endpoint = self.endpoints[number]
            if (found := endpoint.apart.find(asked)) is not None and not found.restarted_by(asked):
                return endpoint
        if latest.apart.main.issued.turns and latest.apart.begins_main(asked):
            self._begin()
        return self.endpoints[-1]

    def _begin(self) -> None:
        number = len(self.endpoints)
        endpoint = self._open_endpoint(number + 1)
        endpoint.apart.on_change = partial(self._note, number)
        self.endpoints.append(endpoint)

    def _note(self, number: int, opening: Opening, marks: Sequence[str]) -> None:
        """In this round a conversation that opens so has begun, or has been answered with what has these marks."""
        for mark in marks:
            of, by_others = self._issued.get(mark, (number, False))
            self._issued[mark] = max(of, number), by_others or of != number
        self._opened[opening] = max(self._opened.get(opening, 0), number)
        if self.endpoints[number].apart.may_be_begun_again(opening):
            self._unanswered[opening].add(number)
        else:
            self._unanswered[opening].discard(number)

    def _candidates(self, asked: RecognisedRequest) -> Iterator[int]:
        """The rounds that the request may belong to, the likeliest first, some of them more than once.

        Nearly always the first is the one, so no more of a long history is looked at than that takes.
        """
        if asked.is_fresh:
            yield from sorted(self._unanswered.get(asked.opening, ()), reverse=True)
        else:
            yield from self._issuers(asked)
            if asked.opening in self._opened:
                yield self._opened[asked.opening]
        yield len(self.endpoints) - 1

    def _issuers(self, asked: RecognisedRequest) -> Iterator[int]:
        """Those that have issued what the request sends back, and last the one that may not have been the only one."""
        latest: int | None = None
        for mark in asked.marks():
            if mark in self._issued:
                number, by_others = self._issued[mark]
                latest = number if latest is None else latest
                if not by_others:
                    yield number
        if latest is not None:
            yield latest


class ByWire:
    """One scenario served on several wires under one address: a request is answered on the wire that its path says.

    ``wires`` has the rounds of each; none of them is a dialect, which has the path of another wire.
    """

    def __init__(self, wires: Mapping[WireName, Rounds]) -> None:
        self._wires = wires

    @property
    def endpoints(self) -> list[CaseEndpoint]:
        """The endpoints of all wires, round by round."""
        return [endpoint for rounds in self._wires.values() for endpoint in rounds.endpoints]

    def route(self, method: str, path: str) -> Route | None:
        """A request to this scenario; None for one that is on none of its wires."""
        found = (rounds.route(method, path) for rounds in self._wires.values())
        return next((route for route in found if route is not None and route.wire in self._wires), None)

    def endpoint_for(self, request: ReceivedRequest) -> CaseEndpoint:
        """The endpoint that answers this request."""
        return self._wires[request.route.wire].endpoint_for(request)
