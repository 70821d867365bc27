"""What a process prints, as lines of bounded length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from harness.targets.failed import TargetFailed

__all__ = ["LONGEST_LINE", "LineSplitter", "TargetFailed"]

LONGEST_LINE: Final = 16 * 1024 * 1024
"""Bytes that a line may have."""


class LineSplitter:
    """Cuts what comes in pieces into lines, without their ends. ``take`` is given each.

    Nothing is looked at twice, however small the pieces are.
    """

    def __init__(self, name: str, take: Callable[[bytes], None]) -> None:
        self._name = name
        self._take = take
        self._begun: list[bytes] = []
        self._length = 0

    @property
    def begun(self) -> bytes:
        """The line that has no end yet."""
        return b"".join(self._begun)

    def feed(self, data: bytes) -> None:
        """Raises ``TargetFailed`` for a line that is too long, and what ``take`` raises."""
        *whole, rest = data.split(b"\n")
        for line in whole:
            self._begun.append(line)
            self.close()
        self._begun.append(rest)
        self._length += len(rest)
        if self._length > LONGEST_LINE:
            raise TargetFailed(f"A line of its {self._name} has more than {LONGEST_LINE // 1024**2} MiB.")

    def close(self) -> None:
        """The line ends here; at the end of all, one that was not ended counts, too."""
        line = b"".join(self._begun).removesuffix(b"\r")
        self._begun.clear()
        self._length = 0
        if line:
            self._take(line)
