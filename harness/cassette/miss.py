"""Why no recording answers a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.cassette.interaction import Interaction

__all__ = ["Miss", "MissKind"]

MissKind = Literal["changed", "played", "unrecorded"]


@dataclass(frozen=True, slots=True)
class Miss:
    """A request that no recording is left for.

    ``changed``: ``nearest``, which waits to be played, differs from it first at ``at``. ``played``: it was recorded,
    but each recording of it has been played. ``unrecorded``: nothing like it waits to be played.
    """

    kind: MissKind
    nearest: Interaction | None
    at: str
    expected: str
    got: str
    diff: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.at}: expected {self.expected}, got {self.got}"
