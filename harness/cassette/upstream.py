"""The server that answers during a recording: the provider itself, or any server that speaks its wire.

This is the only module of the harness that leaves loopback. The loop's own key is never passed on: the upstream gets
the key from the environment, and a server that is not the provider's gets it only over TLS.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from harness.cassette.framing import FRAMING
from harness.endpoint.recorder import credentials
from harness.errors import BadInput
from harness.wire import WireName
from harness.wire import wire as wire_named

_TIMEOUT: Final = httpx2.Timeout(600.0, connect=30.0)
_LOCAL_KEY: Final = "harness"
"""The key for a server on this machine, which needs none."""

_NOT_FORWARDED: Final = FRAMING | {"host"}
_KEY_IN_QUERY: Final = "key"


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server with the key for it. ``base`` is its URL without the version path."""

    base: str
    key: str
    header: str
    form: str

    @property
    def is_local(self) -> bool:
        """Whether it is a server on this machine (or none at all), which gets no key."""
        return self.key == _LOCAL_KEY

    @property
    def secrets(self) -> dict[str, str]:
        """The secrets that are sent to it and must not be stored, by their names."""
        return {} if self.is_local else {"api-key": self.key}

    def url(self, path: str) -> str:
        """Where a request to ``path`` goes. A key in the query is the loop's own and left out."""
        path, _, query = path.partition("?")
        members = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != _KEY_IN_QUERY]
        return f"{self.base}{path}" + (f"?{urlencode(members)}" if members else "")

    def request(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> httpx2.Request:
        """The loop's request as the upstream gets it: plain, and with the upstream's key."""
        timeout = {"timeout": _TIMEOUT.as_dict()}
        return httpx2.Request(method, self.url(path), headers=self.headers(headers), content=body, extensions=timeout)

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers of the loop's request as the upstream gets them."""
        lower = {name.lower(): value for name, value in headers.items()}
        kept = {name: value for name, value in lower.items() if name not in _NOT_FORWARDED | credentials()}
        return {**kept, "accept-encoding": "identity", self.header: self.form.format(self.key)}


def upstream_of(wire: WireName, base: str | None, environment: Mapping[str, str]) -> Upstream:
    """The provider of ``wire``, or the server at ``base``, with the key from ``environment``.

    Raises ``BadInput`` if ``base`` is no URL, if there is no key for a provider, and if a key would leave the machine
    unencrypted.
    """
    provider = wire_named(wire).provider
    url = (base or provider.base_url).rstrip("/").removesuffix("/v1").removesuffix("/v1beta")
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.hostname:
        raise BadInput(f"--upstream {base!r}: expected the URL of a server, such as http://127.0.0.1:8080")
    if _is_loopback(split.hostname):
        return Upstream(url, _LOCAL_KEY, provider.key_header, provider.key_form)
    if split.scheme == "http":
        raise BadInput(f"--upstream {base!r}: a key must not leave this machine in clear; use https")
    key = next((environment[name] for name in provider.key_variables if environment.get(name)), None)
    if key is None:
        names = " or ".join(provider.key_variables)
        raise BadInput(f"no key for {url}: set {names}, or name a server on this machine with --upstream")
    return Upstream(url, key, provider.key_header, provider.key_form)


def scripted_upstream(wire: WireName) -> Upstream:
    """A scripted endpoint under the provider's address, which is never contacted."""
    provider = wire_named(wire).provider
    return Upstream(provider.base_url, _LOCAL_KEY, provider.key_header, provider.key_form)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
