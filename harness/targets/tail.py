"""The end of what is printed, however much that is."""

from __future__ import annotations

from typing import Final

_KEPT: Final = 4_000


class Tail:
    """Keeps the last of what it is fed; ``str`` of it is that as text."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes; only the last 4,000 to 8,000 are kept."""
        self._kept += data[-_KEPT:]
        if len(self._kept) > 2 * _KEPT:
            del self._kept[:-_KEPT]

    def __str__(self) -> str:
        return self._kept[-_KEPT:].decode("utf-8", "replace").strip()
