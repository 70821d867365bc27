"""Who answers while somebody records: the provider itself, or any server that speaks its wire.

The only place of the harness that leaves loopback. The loop's own key is never sent on: the upstream gets the one from
the environment, and a server that is not the provider's gets it only over TLS.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from harness.errors import BadInput
from harness.gateway.recorder import CREDENTIALS
from harness.recording.framing import FRAMING
from harness.wire import WireName

__all__ = ["Upstream", "scripted_upstream", "upstream_of"]

_TIMEOUT: Final = httpx2.Timeout(600.0, connect=30.0)
_LOCAL_KEY: Final = "harness"
"""What a server on this machine is given for a key."""

_NOT_SENT_ON: Final = FRAMING | CREDENTIALS | {"host"}
_KEY_IN_QUERY: Final = "key"


@dataclass(frozen=True, slots=True)
class _Provider:
    base: str
    variables: tuple[str, ...]
    header: str
    form: str = "{}"


_OPENAI = _Provider("https://api.openai.com", ("OPENAI_API_KEY",), "authorization", "Bearer {}")
_PROVIDERS: Final[Mapping[WireName, _Provider]] = {
    "openai-responses": _OPENAI,
    "openai-chat": _OPENAI,
    "text-tags": _OPENAI,
    "anthropic-messages": _Provider("https://api.anthropic.com", ("ANTHROPIC_API_KEY",), "x-api-key"),
    "gemini-generate": _Provider(
        "https://generativelanguage.googleapis.com", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "x-goog-api-key"
    ),
}


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server with the key that it is given. ``base`` is its URL without the version path."""

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
        """What must not be kept of what is sent to it, by the name under which it is told."""
        return {} if self.is_local else {"api-key": self.key}

    def url(self, path: str) -> str:
        """Where a request to ``path`` goes. A key in the query is the loop's own and left out."""
        path, _, query = path.partition("?")
        members = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != _KEY_IN_QUERY]
        return f"{self.base}{path}" + (f"?{urlencode(members)}" if members else "")

    def request(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> httpx2.Request:
        """The loop's request as the upstream gets it: plain, and with the upstream's key."""
        lower = {name.lower(): value for name, value in headers.items()}
        kept = {name: value for name, value in lower.items() if name not in _NOT_SENT_ON}
        sent = {**kept, "accept-encoding": "identity", self.header: self.form.format(self.key)}
        timeout = {"timeout": _TIMEOUT.as_dict()}
        return httpx2.Request(method, self.url(path), headers=sent, content=body, extensions=timeout)


def upstream_of(wire: WireName, base: str | None, environment: Mapping[str, str]) -> Upstream:
    """The provider of ``wire``, or the server at ``base``, with its key from ``environment``.

    Raises ``BadInput`` where ``base`` is no URL, where there is no key for a provider, and where a key would leave the
    machine in clear.
    """
    provider = _PROVIDERS[wire]
    url = (base or provider.base).rstrip("/").removesuffix("/v1").removesuffix("/v1beta")
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.hostname:
        raise BadInput(f"--upstream {base!r}: expected the URL of a server, such as http://127.0.0.1:8080")
    if _is_loopback(split.hostname):
        return Upstream(url, _LOCAL_KEY, provider.header, provider.form)
    if split.scheme == "http":
        raise BadInput(f"--upstream {base!r}: a key must not leave this machine in clear; use https")
    key = next((environment[name] for name in provider.variables if environment.get(name)), None)
    if key is None:
        names = " or ".join(provider.variables)
        raise BadInput(f"no key for {url}: set {names}, or name a server on this machine with --upstream")
    return Upstream(url, key, provider.header, provider.form)


def scripted_upstream(wire: WireName) -> Upstream:
    """A scripted endpoint under the provider's address, which nobody asks."""
    provider = _PROVIDERS[wire]
    return Upstream(provider.base, _LOCAL_KEY, provider.header, provider.form)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
