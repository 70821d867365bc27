"""How long a client of the endpoint may take to send a request, and how many may be connected."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

_MOST = 1_000
_SPARE_FILES = 256
"""Open files that are left for everything else that the process does: pipes of targets, traces, cassettes."""


def _connections() -> int:
    """As many as the process may have files open, less what else it needs."""
    if sys.platform == "win32":
        return _MOST
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if allowed == resource.RLIM_INFINITY else max(32, min(_MOST, allowed - _SPARE_FILES))


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for the ``head`` of a request, counted from its first byte, and for its ``body``: then 408.

    A client that has taken nothing of its ``answer`` for so many seconds is taken to have gone.
    ``parting`` is how long a refused client may go on sending before the connection ends. A connection without a
    request may stay open for as long as it likes: a loop may work for minutes between two. But only so many
    ``connections`` are open at once; for one more, the one that has been idle longest is closed, and where none is
    idle, it is answered with 503.
    """

    head: float = 30.0
    body: float = 120.0
    answer: float = 300.0
    parting: float = 5.0
    connections: int = field(default_factory=_connections)
