"""Decides whose requests a local server answers: those of programs on this machine, and of no foreign web page.

Every server of the harness listens on the loopback address. But a browser sends requests there for any page that its
user visits. Three checks keep such a page out:

- The request must name this machine as its host. A page whose own name was pointed at 127.0.0.1 (DNS rebinding) sends
  that name.
- The headers in which a browser names the asking page (``Origin``, or without it ``Sec-Fetch-Site``) must name a page
of this machine. Programs send neither.
- If answers cost something, the path begins with a key that nobody can guess.

The endpoint's server and the server of the live view (``harness.watch``) both use these checks.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from harness.endpoint.loopback import is_loopback

HERE: Final = "127.0.0.1"
"""The address on which servers listen."""

_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]/@?#\s]+)(?::(\d{1,5}))?")
_KEY_BYTES: Final = 18
_SHOWN: Final = 100
"""Most characters of a header that a refusal quotes."""


def new_key() -> str:
    """A path segment that cannot be guessed: 24 characters, 144 bits."""
    return secrets.token_urlsafe(_KEY_BYTES)


@dataclass(frozen=True, slots=True)
class FrontDoor:
    """Says why a request is refused.

    If ``own_page`` is the port of the server, only pages of that server may ask, and the host must have the port;
    None: any page of this machine. ``host`` is the host that a request must name instead of this machine: a provider
    for whom the endpoint answers.
    """

    own_page: int | None = None
    host: str = ""

    def refusal(self, hosts: Sequence[str], origins: Sequence[str], site: str = "") -> str | None:
        """Why a request with these headers (``Host``, ``Origin``, ``Sec-Fetch-Site``) is refused; None: it is not."""
        if len(hosts) != 1 or not self._is_host(hosts[0]):
            return f"expected the host {self._expected_host()}, got {_shown(hosts)}"
        if self.host:  # a browser opens no tunnel for a page, and does not trust who answers there
            return None
        if origins and not (len(origins) == 1 and self._is_origin(origins[0])):
            return f"expected a request of {self._expected_page()}, got one of {_shown(origins)}"
        if not origins and site.strip().lower() == "cross-site":
            return f"expected a request of {self._expected_page()}, got one that a page of another site has made"
        return None

    def _is_host(self, host: str) -> bool:
        named = _name_and_port(host)
        if named is None:
            return False
        name, port = named
        if self.host:
            return name.rstrip(".") == self.host
        if self.own_page is not None:
            return name in (HERE, "localhost") and port == str(self.own_page)
        return _is_here(name)

    def _is_origin(self, origin: str) -> bool:
        if self.own_page is not None:
            return origin in [f"http://{name}:{self.own_page}" for name in (HERE, "localhost")]
        try:
            return is_loopback(urlsplit(origin).hostname or "")
        except ValueError:  # brackets without an address of version 6 in them
            return False

    def _expected_host(self) -> str:
        if self.host:
            return self.host
        port = "" if self.own_page is None else f":{self.own_page}"
        return f"{HERE}{port} or localhost{port}"

    def _expected_page(self) -> str:
        return "a page of this machine, or of no page" if self.own_page is None else "this server's own page"


@lru_cache(maxsize=256)
def _name_and_port(host: str) -> tuple[str, str | None] | None:
    """The name and the port of a host; None if ``host`` is malformed."""
    found = _HOST.fullmatch(host)
    return None if found is None else (found[1].lower(), found[2])


_is_here = lru_cache(maxsize=256)(is_loopback)
"""``is_loopback`` with a cache: clients name few hosts, and parsing an address is the slowest part of the checks."""


def _shown(values: Sequence[str]) -> str:
    text = ", ".join(values)
    return f"{text[:_SHOWN]}..." if len(text) > _SHOWN else text or "none"
