"""The last part of the output of a program, however long the output is."""

from __future__ import annotations

from typing import Final

_KEPT: Final = 4_000


class Tail:
    """Keeps the last bytes of the output; ``str`` of it is their text."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes; only the last 4,000 to 8,000 are kept."""
        self._kept += data[-_KEPT:]
        if len(self._kept) > 2 * _KEPT:
            del self._kept[:-_KEPT]

    def __str__(self) -> str:
        return self._kept[-_KEPT:].decode("utf-8", "replace").strip()
