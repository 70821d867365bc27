"""The variables of the official SDKs by which loops that were not written for the harness find its endpoint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from harness.secrets.learned import is_set_secret
from harness.wire import Provider, WireName, wires
from harness.wire import wire as wire_named

_KEYS: Final = re.compile(r"\w+_(?:API_KEY|API_TOKEN|AUTH_TOKEN)", re.IGNORECASE)
"""Names of the variables for keys of providers, and of services that tools ask."""

_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_LOOPBACK: Final = "127.0.0.1,localhost,::1"
_CERTIFICATES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")


@dataclass(frozen=True, slots=True)
class AsProvider:
    """How a loop reaches the endpoint that connects to the provider's own host (``--as-provider``).

    ``endpoint`` is the URL of the endpoint, which is the loop's proxy. ``certificates`` is the file with the
    certificate of the authority that the loop must trust. ``hosts`` are the hosts that the endpoint answers for.
    """

    endpoint: str
    certificates: Path
    hosts: frozenset[str]

    def environment(self, case: str = "", api_key: str = "harness") -> Mapping[str, str]:
        """The variables that make HTTP clients use and trust the proxy. An empty ``case`` means the only open case."""
        return {
            **proxies(self.endpoint, case),
            **dict.fromkeys(_CERTIFICATES, str(self.certificates)),
            **{each.key_variables[0]: api_key for each in _providers() if each.key_variables},
            "HARNESS_PROVIDER_HOSTS": ",".join(sorted(self.hosts)),
        }


@cache
def _providers() -> tuple[Provider, ...]:
    """The providers of all wires, each once."""
    return tuple(dict.fromkeys(each.provider for each in wires()))


@cache
def _elsewhere() -> frozenset[str]:
    """Variables that lead an official SDK to another endpoint, or identify the user there."""
    return frozenset(name for each in _providers() for name in (*each.base_variables, *each.other_variables))


def environment(wire: WireName, base_url: str, api_key: str = "harness") -> Mapping[str, str]:
    """The variables with which the provider's official SDKs ask the endpoint of a case.

    ``base_url`` is the case's own, without a version path: OpenAI's SDK needs ``/v1`` behind it, others add theirs.
    """
    return wire_named(wire).provider.environment(base_url, api_key)


def endpoints(base_url: str, api_key: str = "harness") -> dict[str, str]:
    """The variables of all providers, and older names of the same: a program may ask any provider."""
    variables: dict[str, str] = {}
    for each in _providers():
        variables |= each.environment(base_url, api_key)
    for each in _providers():
        variables |= dict.fromkeys(each.base_variables[1:], variables[each.base_variables[0]])
    return variables


def without_own(own: Mapping[str, str], api_key: str, passes: Iterable[str] = ()) -> dict[str, str]:
    """The user's own variables without their secrets, and without what leads an SDK elsewhere.

    ``api_key`` replaces each provider's key, and each variable with a similar name: a program may check at its start
    whether there is a key. Any other variable whose name looks like a secret is left out, unless ``passes`` names it;
    so is an address with a password in it.
    """
    passed, elsewhere = frozenset(passes), _elsewhere()
    kept: dict[str, str] = {}
    for name, value in own.items():
        if name in passed:
            kept[name] = value
        elif name in elsewhere:
            continue
        elif _KEYS.fullmatch(name):
            kept[name] = api_key
        elif not is_set_secret(name, value):
            kept[name] = value
    return kept


def wins_over_endpoints(own: Mapping[str, str], passes: Iterable[str] = ()) -> dict[str, str]:
    """The user's own variables that win over those of ``endpoints``.

    A provider of models may have other services, which tools ask. They need the user's region, and the credentials that
    ``passes`` names. The endpoint accepts any.
    """
    kept = {name for each in _providers() for name, _ in each.sdk_settings}
    kept |= {name for each in _providers() for name in each.signing_variables}.intersection(passes)
    return {name: value for name, value in own.items() if name in kept}


def proxies(endpoint: str, case: str = "") -> Mapping[str, str]:
    """The variables that make HTTP clients use the endpoint, whose URL is ``endpoint``, as their proxy.

    The case is the user name; many clients would not send it without a password.
    """
    user = f"{case}:harness@" if case else ""
    spelt = [*_PROXIES, *map(str.lower, _PROXIES)]
    return {
        **dict.fromkeys(spelt, f"http://{user}{urlsplit(endpoint).netloc}"),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), _LOOPBACK),
        "NODE_USE_ENV_PROXY": "1",
    }
