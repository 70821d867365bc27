"""One endpoint for many cases at once: requests are told apart by the path prefix ``/case/<id>``.

It is also what loops take for their proxy, so that a request that would leave the machine comes here and is refused.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from harness.gateway.answer import Answer
from harness.gateway.desk import Desk
from harness.gateway.loopback import is_loopback
from harness.gateway.rounds import Rounds
from harness.gateway.source import Live
from harness.wire import Route

__all__ = ["Gateway"]

_PREFIX = re.compile(r"/case/([^/]+)(/.*)")


class Gateway:
    """Finds the desk that a request is for. Knows nothing of sockets; a driver calls ``answer``."""

    def __init__(self) -> None:
        self._desks: dict[str, Desk | Rounds] = {}
        self._strays: dict[str, list[str]] = {}

    def open(self, case: str, desk: Desk | Rounds) -> str:
        """Serve this case. Returns its path prefix."""
        self._desks[case] = desk
        self._strays[case] = []
        return f"/case/{case}"

    def close(self, case: str) -> None:
        """Serve this case no longer, and end its record."""
        self._strays.pop(case, None)
        found = self._desks.pop(case, None)
        for desk in found.desks if isinstance(found, Rounds) else [found] if found else []:
            desk.close()

    def stray(self, case: str, what: str) -> None:
        """The case wanted to ask somebody else, and was refused: ``what`` is its request (``CONNECT HOST:PORT``)."""
        noted = self._strays.get(case, [])
        if what not in noted:  # a client that tries again is told of once
            noted.append(what)

    def strays(self, case: str) -> tuple[str, ...]:
        """Whom this case wanted to ask beside the endpoint."""
        return tuple(self._strays.get(case, ()))

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[Desk | None, int, Answer | Live]:
        """The desk, the exchange's number and the answer.

        A request outside every open case or on a path that no wire knows is answered 404 and not recorded:
        loops ask for models, files and telemetry on the side.
        """
        if not target.startswith("/"):
            host, what, target = _asked_of_a_proxy(method, target)
            if not is_loopback(host):
                self.stray(_user(headers), what)
                target = ""
            if not target:
                return None, 0, _refused(what)
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


def _asked_of_a_proxy(method: str, target: str) -> tuple[str, str, str]:
    """Which host a client asks a proxy for, that request in words, and its path; a tunnel has none."""
    if method == "CONNECT":
        return target.rpartition(":")[0], f"CONNECT {target}", ""
    try:
        asked = urlsplit(target)
        host = asked.hostname or ""
    except ValueError:  # brackets without an address of version 6 in them
        return "", f"{method} {target}", ""
    what = f"{method} {asked.scheme}://{asked.netloc.rpartition('@')[2]}{asked.path}"  # a query may hold a key
    return host, what, asked._replace(scheme="", netloc="").geturl()


def _user(headers: Mapping[str, str]) -> str:
    """The user's name that is given to the proxy: the case."""
    given = next((value for name, value in headers.items() if name.lower() == "proxy-authorization"), "")
    try:
        return base64.b64decode(given.removeprefix("Basic ")).decode().partition(":")[0]
    except ValueError:
        return ""


def _refused(what: str) -> Answer:
    return _error(
        403, f"{what} is refused: nothing leaves this machine; ask the base URL that the case gives", "refused"
    )


def _not_found(why: str) -> Answer:
    return _error(404, why, "not_found")


def _error(status: int, why: str, kind: str) -> Answer:
    body = json.dumps({"error": {"message": f"harness: {why}", "type": kind}}).encode()
    return Answer(status, {"content-type": "application/json"}, (body,))
