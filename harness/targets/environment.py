"""How loops that were not written for the harness find its endpoint: by the variables that the official SDKs read."""

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
"""What providers, and the services that tools ask, call their keys."""

_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_LOOPBACK: Final = "127.0.0.1,localhost,::1"
_CERTIFICATES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")


@dataclass(frozen=True, slots=True)
class AsProvider:
    """How a loop reaches the endpoint that connects to the provider's own host (``--as-provider``).

    ``endpoint`` is the endpoint's URL, which is its proxy; ``certificates`` the file with the certificate of the
    authority that it must trust; ``hosts`` whom the endpoint answers for.
    """

    endpoint: str
    certificates: Path
    hosts: frozenset[str]

    def environment(self, case: str = "", api_key: str = "harness") -> Mapping[str, str]:
        """The variables by which HTTP clients take the proxy and trust it. Without ``case`` it is the only open one."""
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
    """Variables that lead an official SDK to another endpoint, or say there whose the request is."""
    return frozenset(name for each in _providers() for name in (*each.base_variables, *each.other_variables))


def environment(wire: WireName, base_url: str, api_key: str = "harness") -> Mapping[str, str]:
    """The variables with which the provider's official SDKs ask the endpoint of a case.

    ``base_url`` is the case's own, without a version path: OpenAI's SDK wants ``/v1`` behind it, others add theirs.
    """
    return wire_named(wire).provider.environment(base_url, api_key)


def endpoints(base_url: str, api_key: str = "harness") -> dict[str, str]:
    """The variables of all providers, whichever of them a program asks, and older names of the same."""
    variables: dict[str, str] = {}
    for each in _providers():
        variables |= each.environment(base_url, api_key)
    for each in _providers():
        variables |= dict.fromkeys(each.base_variables[1:], variables[each.base_variables[0]])
    return variables


def without_own(own: Mapping[str, str], api_key: str, passes: Iterable[str] = ()) -> dict[str, str]:
    """The user's own variables without their secrets, and without what leads an SDK elsewhere.

    A key of a provider, and one whose name ends as theirs do, is replaced by ``api_key``: a program that checks at its
    start whether there is one finds it. Any other variable whose name says that it holds a secret is left out, unless
    it is named in ``passes``; so is an address with a password in it.
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
    """The user's own variables that stay as they are beside those of ``endpoints``.

    A provider of models may have other services, which tools ask: they need the region that is set, and the
    credentials that are named in ``passes``. The endpoint takes any.
    """
    kept = {name for each in _providers() for name, _ in each.sdk_settings}
    kept |= {name for each in _providers() for name in each.signing_variables}.intersection(passes)
    return {name: value for name, value in own.items() if name in kept}


def proxies(endpoint: str, case: str = "") -> Mapping[str, str]:
    """The variables by which HTTP clients take the endpoint, whose URL this is, for their proxy.

    The case is the user's name; without a password many clients would not say it.
    """
    user = f"{case}:harness@" if case else ""
    spelt = [*_PROXIES, *map(str.lower, _PROXIES)]
    return {
        **dict.fromkeys(spelt, f"http://{user}{urlsplit(endpoint).netloc}"),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), _LOOPBACK),
        "NODE_USE_ENV_PROXY": "1",
    }
