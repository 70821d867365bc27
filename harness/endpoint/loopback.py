"""Which hosts are this machine, and how a server listens on it."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from harness.errors import BadInput

_HOST: Final = "127.0.0.1"
_BACKLOG: Final = 1024
"""Most connections that wait until they are accepted; Linux caps this at net.core.somaxconn."""


def listening(port: int = 0) -> socket.socket:
    """A socket that listens on the loopback address; port 0 takes a free port.

    Raises ``BadInput`` if the port is not available.
    """
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setblocking(False)
        listener.bind((_HOST, port))
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise BadInput(
            f"cannot listen on {_HOST}:{port}: {reason}; choose another --port, or 0 for a free one"
        ) from None
    return listener


def is_loopback(host: str) -> bool:
    """Whether a name or an address (IPv6 with or without brackets) can only mean this machine."""
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
