"""A scenario that is served again and again: every fresh conversation is a new case.

A person who tries their loop against a served scenario runs it more than once. A request that holds nothing of
the model's (no assistant turn, no tool result, no reference to an earlier turn) begins a new round as soon as
the round before has answered something.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.gateway.desk import Desk
from harness.wire import Route, UnreadableRequest, wire

__all__ = ["Rounds"]


class Rounds:
    """The desks of one served scenario, one per round. ``open_desk`` makes the desk of round 1, 2, ..."""

    def __init__(self, open_desk: Callable[[int], Desk]) -> None:
        self._open_desk = open_desk
        self.desks = [open_desk(1)]

    def route(self, method: str, path: str) -> Route | None:
        """A request to this scenario (``Desk.route``)."""
        return self.desks[-1].route(method, path)

    def desk_for(self, route: Route, body: bytes) -> Desk:
        """The desk that shall answer this request."""
        if self.desks[-1].sent.turns and _begins(route, body):
            self.desks.append(self._open_desk(len(self.desks) + 1))
        return self.desks[-1]


def _begins(route: Route, body: bytes) -> bool:
    try:
        conversation = wire(route.wire).read(route, body)
    except UnreadableRequest:
        return False
    fresh = all(message.role in ("system", "user") and not message.results for message in conversation.messages)
    return fresh and conversation.continues is None
