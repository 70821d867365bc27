"""One endpoint for many cases at once: requests are told apart by the path prefix ``/case/<id>``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from harness.gateway.answer import Answer
from harness.gateway.desk import Desk
from harness.gateway.rounds import Rounds
from harness.gateway.source import Live
from harness.wire import Route

__all__ = ["Gateway"]

_PREFIX = re.compile(r"/case/([^/]+)(/.*)")


class Gateway:
    """Finds the desk that a request is for. Knows nothing of sockets; a driver calls ``answer``."""

    def __init__(self) -> None:
        self._desks: dict[str, Desk | Rounds] = {}

    def open(self, case: str, desk: Desk | Rounds) -> str:
        """Serve this case. Returns its path prefix."""
        self._desks[case] = desk
        return f"/case/{case}"

    def close(self, case: str) -> None:
        """Serve this case no longer, and end its record."""
        found = self._desks.pop(case, None)
        for desk in found.desks if isinstance(found, Rounds) else [found] if found else []:
            desk.close()

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[Desk | None, int, Answer | Live]:
        """The desk, the exchange's number and the answer.

        A request outside every open case or on a path that no wire knows is answered 404 and not recorded:
        loops ask for models, files and telemetry on the side.
        """
        match = _PREFIX.fullmatch(target)
        found = self._desks.get(match[1]) if match else None
        if match is None or found is None:
            return None, 0, _not_found(f"no case is open at {target}")
        route = found.route(method, match[2])
        if route is None:
            return None, 0, _not_found(f"no wire format has {method} {match[2]}")
        desk = _desk(found, route, body)
        exchange, answer = desk.answer(route, method, match[2], headers, body)
        return desk, exchange, answer


def _desk(found: Desk | Rounds, route: Route, body: bytes) -> Desk:
    return found.desk_for(route, body) if isinstance(found, Rounds) else found


def _not_found(why: str) -> Answer:
    body = json.dumps({"error": {"message": f"harness: {why}", "type": "not_found"}}).encode()
    return Answer(404, {"content-type": "application/json"}, (body,))
