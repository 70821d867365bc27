"""A free port, for a program that gets the port to listen on from whoever starts it."""

from __future__ import annotations

import random
import socket
from typing import Final

_PORTS: Final = range(20_000, 30_000)
"""Below the ports that Linux (32768), macOS and Windows (49152) take for connections and for listeners without one."""

_CHOICE: Final = random.SystemRandom()
"""Runs beside each other, and a run with a seed, do not draw the same ports."""


def free_port() -> int:
    """A port of 127.0.0.1 on which nothing listens, which the system gives to nobody before the program has it.

    A port that the system chose is given to the next connection of any process, often sooner than a program has
    started. Raises ``OSError`` where a port cannot be had at all.
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
