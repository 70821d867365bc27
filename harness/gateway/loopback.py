"""Which hosts are this machine."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

__all__ = ["is_loopback"]


def is_loopback(host: str) -> bool:
    """Whether a name or an address, an IPv6 one with or without brackets, can only mean this machine."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return _is_here(mapped or address)


def _is_here(address: IPv4Address | IPv6Address) -> bool:
    return address.is_loopback or address.is_unspecified
