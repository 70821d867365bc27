"""What a process prints, as lines of bounded length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from harness.targets.failed import TargetFailed

__all__ = ["LONGEST_LINE", "LineSplitter", "TargetFailed"]

LONGEST_LINE: Final = 16 * 1024 * 1024
"""The most bytes of a line."""


class LineSplitter:
    """Joins pieces of output and cuts them into lines, without line ends. ``take`` is called with each line.

    No byte is read twice, however small the pieces are.
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
        """Take a piece. Raises ``TargetFailed`` for a line that is too long, and whatever ``take`` raises."""
        *whole, rest = data.split(b"\n")
        for line in whole:
            self._begun.append(line)
            self.close()
        self._begun.append(rest)
        self._length += len(rest)
        if self._length > LONGEST_LINE:
            raise TargetFailed(f"A line of its {self._name} has more than {LONGEST_LINE // 1024**2} MiB.")

    def close(self) -> None:
        """The output has ended. A last line without a line end counts, too."""
        line = b"".join(self._begun).removesuffix(b"\r")
        self._begun.clear()
        self._length = 0
        if line:
            self._take(line)
