"""One endpoint for many cases at once: the path prefix ``/case/<id>`` says to which case a request belongs.

Loops also use it as their proxy, so that a request that would leave the machine arrives here and is refused.
"""

from __future__ import annotations

import base64
import gc
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from harness.endpoint.beside import KeptOfCase, beside, no_such_path
from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.connections import ChannelConnection, opener_of
from harness.endpoint.encodings import Undecodable, decoded
from harness.endpoint.loopback import is_loopback
from harness.endpoint.request import ReceivedRequest
from harness.endpoint.response_plan import ResponsePlan
from harness.endpoint.rounds import ByWire, Rounds
from harness.endpoint.source import LiveResponse
from harness.endpoint.suite import PlacedRequest, Suite
from harness.wire import wire
from harness.wire.auxiliary import AuxiliaryRequest
from harness.wire.channels import Channel, asked_for

_PREFIX: Final = re.compile(r"/case/([^/?]+)([/?].*)?")
_TWO_VERSIONS: Final = re.compile(r"(/v\d+(?:alpha|beta)?\d*)(?:/v\d+(?:alpha|beta)?\d*)+/")
_BASE: Final = re.compile(r"/?|/v\d\w*/?")
"""Paths that a client may have as base URL: with or without the version."""

Served = CaseEndpoint | Rounds | ByWire
"""Answers an open case: one endpoint, or the endpoints of a scenario that is served again and again."""

_LONGEST: Final = 200
"""Most characters that are kept of a request that is not served."""

_LARGE: Final = 1024 * 1024
"""Bytes from which on reading a body takes long."""

_MOST: Final = 100
"""Most different requests of a case that are noted as refused, or counted as not served."""


@dataclass(slots=True)
class _Case:
    """An open case: its endpoint, its model, and its requests that were refused or not served.

    Clients may connect on the ``channels``; ``opened`` counts these connections. ``suite`` has the tests that ask.
    """

    endpoint: Served
    model: str
    channels: frozenset[str] = frozenset()
    suite: Suite | None = None
    opened: int = 0
    blocked: list[str] = field(default_factory=list)
    untrusted: list[str] = field(default_factory=list)
    not_served: Counter[str] = field(default_factory=Counter)


class Endpoints:
    """Finds the endpoint that a request is for. Knows nothing of sockets; a driver calls ``answer``."""

    def __init__(self) -> None:
        self._cases: dict[str, _Case] = {}
        self._aliases: dict[str, str] = {}
        self._elsewhere: Counter[str] = Counter()

    def open(
        self,
        case: str,
        endpoint: Served,
        model: str = "",
        *,
        channels: Collection[str] = (),
        suite: Suite | None = None,
    ) -> str:
        """Serve this case, whose model is ``model``. Returns its path prefix.

        If a wire has one of the ``channels``, a client may connect on it, at the address to which it posts requests.
        With a ``suite`` a request may name the test that makes it, and a test runner may report which test runs.
        """
        self._cases[case] = _Case(endpoint, model, frozenset(channels), suite)
        return f"/case/{case}"

    def close(self, case: str) -> None:
        """Serve this case no longer, and end its record."""
        closed = self._cases.pop(case, None)
        found = closed.endpoint if closed else None
        for endpoint in found.live if isinstance(found, Rounds | ByWire) else [found] if found else []:
            endpoint.close()

    def alias(self, name: str, case: str) -> None:
        """From now on requests that name the case ``name`` belong to ``case``, as long as that is open.

        A process that runs one case after another has one base URL and one proxy for all of them.
        """
        self._aliases[name] = case

    def note_blocked(self, case: str, what: str) -> None:
        """Note that a request of the case to another host was refused: ``what``, like ``CONNECT HOST:PORT``."""
        noted = self._cases[case].blocked if case in self._cases else []
        if what not in noted and len(noted) < _MOST:  # a client that tries again is reported once
            noted.append(what)

    def blocked(self, case: str) -> tuple[str, ...]:
        """The refused requests of this case to other hosts."""
        return tuple(self._cases[case].blocked) if case in self._cases else ()

    def untrusted(self, case: str) -> tuple[str, ...]:
        """Why clients of this case broke off TLS handshakes with the endpoint, which answered as a provider's host."""
        return tuple(self._cases[case].untrusted) if case in self._cases else ()

    def distrusted(self, case: str, why: str) -> None:
        """Note that a client of this case broke off a TLS handshake; see ``case_of_tunnel`` for ``case``."""
        found = self._cases.get(self.case_of_tunnel(case))
        if found is not None and why not in found.untrusted and len(found.untrusted) < _MOST:
            found.untrusted.append(why)

    def case_of_tunnel(self, case: str) -> str:
        """The case of a request through a tunnel: ``case``, or if there is no such case, the only open one.

        A client whose proxy URL names no case runs in a process that runs one case at a time. Empty if the case is not
        certain.
        """
        case = self._aliases.get(case, case)
        if case in self._cases:
            return case
        return next(iter(self._cases)) if not case and len(self._cases) == 1 else ""

    def not_served(self, case: str | None) -> Mapping[str, int]:
        """The requests of this case that the endpoint did not serve, each with its count. None: requests of no case."""
        counted = self._elsewhere if case is None else self._cases[case].not_served if case in self._cases else {}
        return dict(counted)

    def refuse(self, method: str, path: str, why: str) -> ResponsePlan:
        """The answer to a request that is not let in. It belongs to no case and is counted as not served."""
        answer = _error(403, f"refused: {why}", "refused")
        return _count(self._elsewhere, method, f"{path} (refused: {why})", answer)

    def connection(self, target: str, headers: Mapping[str, str], channel: str) -> ChannelConnection | None:
        """The connection that a client asks for at this target on a channel; None if none is served there."""
        match = _PREFIX.fullmatch(target)
        case = self._cases.get(self._aliases.get(match[1], match[1])) if match else None
        if match is None or case is None or channel not in case.channels:
            return None
        sent = {name.lower(): value for name, value in headers.items()}
        place = partial(_placed_request, case, "POST", match[2] or "/", sent)
        path = place().target
        route = None if _TWO_VERSIONS.search(path) else case.endpoint.route("POST", path)
        if route is None or route.aside or channel not in wire(route.wire).channels:
            return None
        _note_sent(target, headers)
        case.opened += 1
        opener = opener_of(channel)
        return opener.connection(case.endpoint, route, path, headers, case.opened, case.not_served, place)

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[CaseEndpoint | None, int, ResponsePlan | LiveResponse]:
        """The endpoint, the exchange's number and the answer.

        Requests outside conversations are not recorded: loops also ask for models, files and telemetry. Requests that
        are not served are counted (``not_served``).
        """
        _note_sent(target, headers)
        if target == "*":
            return None, 0, _about_the_server(method)
        if not target.startswith("/"):
            host, what, target = _asked_of_a_proxy(method, target)
            if not is_loopback(host):
                self.note_blocked(self.case_of_tunnel(proxy_user(headers)), what)
                target = ""
            if not target:
                return None, 0, _refusal(what)
        match = _PREFIX.fullmatch(target)
        case = self._cases.get(self._aliases.get(match[1], match[1])) if match else None
        if match is None or case is None:
            path = target.partition("?")[0]
            return None, 0, _count(self._elsewhere, method, path, _not_found(f"no case is open at {target}"))
        return _answer_of_case(case, method, match[2] or "/", headers, body)


def _note_sent(target: str, headers: Mapping[str, str]) -> None:
    """Register the key that a loop sends, so that no file written from now on contains it."""
    from harness.secrets.sent import note_sent

    note_sent(target, headers)


def _answer_of_case(
    case: _Case, method: str, target: str, headers: Mapping[str, str], body: bytes
) -> tuple[CaseEndpoint | None, int, ResponsePlan | LiveResponse]:
    """The answer to a request of an open case."""
    lower = {name.lower(): value for name, value in headers.items()}
    placed = _placed_request(case, method, target, lower)
    if placed.is_report and case.suite is not None:
        return None, 0, case.suite.reported(placed.worker, body)
    target = placed.target
    path = target.partition("?")[0]
    if "upgrade" in lower and (channel := asked_for(lower["upgrade"])) is not None:
        return None, 0, _count(case.not_served, method, f"{path} ({channel.name})", _not_upgraded(channel))
    if doubled := _TWO_VERSIONS.search(path):
        return None, 0, _count(case.not_served, method, path, _two_versions(method, path, doubled[1]))
    encodings = lower.get("content-encoding", "")
    try:
        body = decoded(body, encodings)
    except Undecodable as wrong:
        what = f"{path} (content-encoding: {encodings})"
        return None, 0, _count(case.not_served, method, what, _error(wrong.status, str(wrong), "invalid_request"))
    route = case.endpoint.route(method, target)
    if route is None:
        return None, 0, _answered_aside(case, method, target, lower, body)
    if encodings:
        request = ReceivedRequest(route, method, target, _plain(headers), body, test=placed.test)
    else:
        request = ReceivedRequest(route, method, target, headers, body, lower, test=placed.test)
    with _without_collection() if len(body) > _LARGE else nullcontext():
        endpoint = case.endpoint if isinstance(case.endpoint, CaseEndpoint) else case.endpoint.endpoint_for(request)
        return endpoint, *endpoint.answer(request)


def _placed_request(case: _Case, method: str, target: str, headers: Mapping[str, str]) -> PlacedRequest:
    """The request with the test that makes it; ``headers`` have names in lower case."""
    return PlacedRequest(target) if case.suite is None else case.suite.placed(method, target, headers)


def _answered_aside(case: _Case, method: str, target: str, headers: Mapping[str, str], body: bytes) -> ResponsePlan:
    """The answer to a request that asks no model."""
    path, _, query = target.partition("?")
    endpoint = case.endpoint
    live = [endpoint] if isinstance(endpoint, CaseEndpoint) else endpoint.live
    kept = KeptOfCase(live, _nobody if isinstance(endpoint, CaseEndpoint) else endpoint.holder)
    side = beside(AuxiliaryRequest(method, path, headers, body, case.model, query, kept), kept)
    if side is not None:
        return _bodiless(side) if method == "HEAD" else side
    if method == "HEAD" and _BASE.fullmatch(path):
        return ResponsePlan(200, {"content-type": "application/json"}, ())
    served = [wire(name) for name in dict.fromkeys(each.case.wire for each in live)]
    return _count(case.not_served, method, path, no_such_path(method, path, headers, served))


def _nobody(reply: str) -> None:
    """Find nothing: if a case has one endpoint, no other endpoint has sent a reply."""


@contextmanager
def _without_collection() -> Iterator[None]:
    """No garbage is collected in the block.

    Each collection walks all that is alive, and a request of 100,000 messages makes so many objects that more than half
    of its time went there. Nothing else can be answered meanwhile.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _plain(headers: Mapping[str, str]) -> Mapping[str, str]:
    """The headers of a request once its body has been decoded."""
    return {
        name: value for name, value in headers.items() if name.lower() not in ("content-encoding", "content-length")
    }


def _count(counts: Counter[str], method: str, what: str, answer: ResponsePlan) -> ResponsePlan:
    """Count a request that is not served, and return the answer."""
    asked = f"{method} {what}"
    asked = asked if len(asked) <= _LONGEST else f"{asked[:_LONGEST]}..."
    if asked in counts or len(counts) < _MOST:
        counts[asked] += 1
    return _bodiless(answer) if method == "HEAD" else answer


def _about_the_server(method: str) -> ResponsePlan:
    """The answer to a request with the target ``*``, which means the server as a whole."""
    if method == "OPTIONS":
        return ResponsePlan(204, {"allow": "GET, HEAD, POST, OPTIONS"}, ())
    return _error(400, f"{method} *: the target is no path; only OPTIONS may ask for *", "invalid_request")


def _bodiless(answer: ResponsePlan) -> ResponsePlan:
    """The answer to ``HEAD``."""
    return replace(answer, chunks=())


def _asked_of_a_proxy(method: str, target: str) -> tuple[str, str, str]:
    """The host that a client asks a proxy for, a text for the request, and its path (empty for a tunnel)."""
    if method == "CONNECT":
        return target.rpartition(":")[0], f"CONNECT {target}", ""
    try:
        asked = urlsplit(target)
        host = asked.hostname or ""
    except ValueError:  # brackets without an address of version 6 in them
        return "", f"{method} {target}", ""
    what = f"{method} {asked.scheme}://{asked.netloc.rpartition('@')[2]}{asked.path}"  # a query may hold a key
    return host, what, asked._replace(scheme="", netloc="").geturl()


def proxy_user(headers: Mapping[str, str]) -> str:
    """The user name in the proxy's credentials, which is the case."""
    credentials = next((value for name, value in headers.items() if name.lower() == "proxy-authorization"), "")
    try:
        return base64.b64decode(credentials.removeprefix("Basic ")).decode().partition(":")[0]
    except ValueError:
        return ""


def crashed(error: Exception) -> ResponsePlan:
    """The answer if the harness itself failed at a request."""
    return _error(500, f"an error of the harness itself: {type(error).__name__}: {error}"[:_LONGEST], "server_error")


def _refusal(what: str) -> ResponsePlan:
    return _error(
        403, f"{what} is blocked: outbound traffic is not allowed; send requests to the base URL of the case", "refused"
    )


def _not_upgraded(channel: Channel) -> ResponsePlan:
    why = f"{channel.label} connections are not served; send the request over HTTP"
    answer = _error(426, why, "upgrade_required")
    return replace(answer, headers={**answer.headers, "upgrade": "HTTP/1.1", "connection": "upgrade"})


def _two_versions(method: str, path: str, version: str) -> ResponsePlan:
    """A provider's answer to a path that does not exist, with the reason."""
    why = f"the base URL ends in {version} already, and the client adds it again: leave it out of the base URL"
    return _error(404, f"Invalid URL ({method} {path}): {why}", "invalid_request_error")


def _not_found(why: str) -> ResponsePlan:
    return _error(404, why, "not_found")


def _error(status: int, why: str, kind: str) -> ResponsePlan:
    body = json.dumps({"error": {"message": f"harness: {why}", "type": kind}}).encode()
    return ResponsePlan(status, {"content-type": "application/json"}, (body,))
