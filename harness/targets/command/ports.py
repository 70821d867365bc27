"""A free port, for a program that does not choose the port on which it listens."""

from __future__ import annotations

import random
import socket
from typing import Final

_PORTS: Final = range(20_000, 30_000)
"""These are below the ports that Linux (32768), macOS and Windows (49152) choose by themselves."""

_CHOICE: Final = random.SystemRandom()
"""Simultaneous runs do not draw the same ports, even with a seed."""


def free_port() -> int:
    """A port of 127.0.0.1 on which nothing listens, and which the system does not hand to another process.

    The system hands a port that it chose to the next connection of any process, often before a program has started.
    Raises ``OSError`` if no port is free.
    """
    for port in _CHOICE.sample(_PORTS, 100):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        found: int = chosen.getsockname()[1]
        return found
