"""Headers that say how a message travelled, and nothing of what it says: they end with their connection (RFC 9110)."""

from __future__ import annotations

from typing import Final

FRAMING: Final = frozenset(
    {"connection", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
)

FRAMING_OF_PLAIN: Final = FRAMING | {"content-encoding"}
"""Those of a message whose body goes on without its compression."""
