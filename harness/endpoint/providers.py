"""The hosts of the providers."""

from __future__ import annotations

from functools import cache

from harness.wire import wires


@cache
def provider_hosts() -> frozenset[str]:
    """The hosts to which the official SDKs of all wires connect by default."""
    return frozenset(each.provider.host for each in wires() if each.provider.host)
