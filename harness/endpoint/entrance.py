"""Finds the path that a request to the endpoint's server asks for, or the reason why it is not let in."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from harness.endpoint.front_door import FrontDoor
from harness.endpoint.http_messages import HttpRequest
from harness.endpoint.loopback import is_loopback

_NO_KEY = (
    "the answers here come from a real model, so the base URL has a key in its path; use it as the harness has given it"
)


class NotLetIn(Exception):
    """A request that is refused (403). ``path`` is what it asked for, without its query."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(why)
        self.path = path


@dataclass(frozen=True, slots=True)
class Entrance:
    """``key`` is the first segment that every path must have; empty: none. ``door`` looks at the headers."""

    door: FrontDoor = FrontDoor()  # noqa: RUF009 - it cannot be changed
    key: str = ""

    @property
    def path(self) -> str:
        """The part of the base URL after the port."""
        return f"/{self.key}" if self.key else ""

    def target(self, request: HttpRequest) -> str:
        """The request's target for the endpoint: without the key. Raises ``NotLetIn``.

        Tunnels, and proxy requests for other machines, are passed on to the endpoint, which refuses them and notes the
        case.
        """
        host, path = self._host_and_path(request)
        if path is None:
            return request.target
        has_key, path = self._without_key(path)
        headers = request.headers
        hosts = [host] if host else []
        origins = [headers["origin"]] if "origin" in headers else []
        why = self.door.refusal(hosts, origins, headers.get("sec-fetch-site", "")) if hosts or origins else None
        if why is None and not has_key:
            why = _NO_KEY
        if why is not None:
            raise NotLetIn(path.partition("?")[0], why)
        return path

    def _host_and_path(self, request: HttpRequest) -> tuple[str, str | None]:
        """The host and the path of a request; the path is None if the endpoint must decide."""
        target = request.target
        if target.startswith("/"):
            return request.headers.get("host", ""), target
        if request.method == "CONNECT" or target == "*":
            return "", None
        try:
            asked = urlsplit(target)
            local = is_loopback(asked.hostname or "")
        except ValueError:  # brackets without an address of version 6 in them
            return "", None
        return (asked.netloc, asked._replace(scheme="", netloc="").geturl()) if local else ("", None)

    def _without_key(self, path: str) -> tuple[bool, str]:
        if not self.key:
            return True, path
        segment, slash, rest = path[1:].partition("/")
        if not secrets.compare_digest(segment.encode("latin-1"), self.key.encode()):
            return False, path
        return True, f"{slash or '/'}{rest}"
