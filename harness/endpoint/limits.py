"""How long a client of the endpoint may take to send a request, and how many may be connected."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

_MOST = 1_000
_SPARE_FILES = 256
"""Open files that are left for everything else that the process does: pipes of targets, traces, cassettes."""


def _connections() -> int:
    """The number of files that the process may open, less those that it needs otherwise."""
    if sys.platform == "win32":
        return _MOST
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if allowed == resource.RLIM_INFINITY else max(32, min(_MOST, allowed - _SPARE_FILES))


@dataclass(frozen=True, slots=True)
class Limits:
    """Most seconds for the ``head`` of a request, counted from its first byte, and for its ``body``; then 408.

    A client that takes nothing of its answer for ``answer`` seconds counts as gone. ``parting`` is how long a refused
    client may keep sending before the connection ends. A connection without a request may stay open without limit: a
    loop may work for minutes between two requests. But at most ``connections`` are open at once. If one more arrives,
    the one that has been idle longest is closed; if none is idle, the new one is answered with 503.
    """

    head: float = 30.0
    body: float = 120.0
    answer: float = 300.0
    parting: float = 5.0
    connections: int = field(default_factory=_connections)
