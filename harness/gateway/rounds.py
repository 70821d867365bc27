"""A scenario that is served again and again: every fresh conversation is a new case.

A person who tries their loop against a served scenario runs it more than once. A request that goes on with a
conversation, or sends its request again, belongs to the round in which that began. One that begins a main conversation
opens a new round as soon as the round before has answered one; any other is a side conversation of the latest round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.gateway.desk import Desk
from harness.wire import Route, UnreadableRequest, WireName, wire

__all__ = ["ByWire", "Rounds"]


class Rounds:
    """The desks of one served scenario, one per round. ``open_desk`` makes the desk of round 1, 2, ..."""

    def __init__(self, open_desk: Callable[[int], Desk]) -> None:
        self._open_desk = open_desk
        self.desks = [open_desk(1)]

    def route(self, method: str, path: str) -> Route | None:
        """A request to this scenario (``Desk.route``)."""
        return self.desks[-1].route(method, path)

    def desk_for(self, route: Route, body: bytes) -> Desk:
        """The desk that answers this request."""
        latest = self.desks[-1]
        try:
            asked = wire(route.wire).read(route, body)
        except UnreadableRequest:
            return latest
        for desk in reversed(self.desks):
            if (found := desk.apart.find(asked)) is not None and not found.restarted_by(asked):
                return desk
        if latest.apart.main.sent.turns and latest.apart.begins_main(asked):
            self.desks.append(self._open_desk(len(self.desks) + 1))
        return self.desks[-1]


class ByWire:
    """One scenario served on several wires under one address: a request is answered on the wire that its path says.

    ``wires`` has the rounds of each; none of them is a dialect, which has the path of another wire.
    """

    def __init__(self, wires: Mapping[WireName, Rounds]) -> None:
        self._wires = wires

    @property
    def desks(self) -> list[Desk]:
        return [desk for rounds in self._wires.values() for desk in rounds.desks]

    def route(self, method: str, path: str) -> Route | None:
        """A request to this scenario; None for one that is on none of its wires."""
        found = (rounds.route(method, path) for rounds in self._wires.values())
        return next((route for route in found if route is not None and route.wire in self._wires), None)

    def desk_for(self, route: Route, body: bytes) -> Desk:
        """The desk that answers this request."""
        return self._wires[route.wire].desk_for(route, body)
