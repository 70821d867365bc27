"""Why no recording answers a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from harness.cassette.interaction import Cassette, Interaction
from harness.cassette.meaning import Key, Meaning

__all__ = ["Miss", "MissKind", "explained"]

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


def explained(asked: Meaning, cassette: Cassette, keys: Sequence[Key], unplayed: frozenset[int]) -> Miss:  # noqa: ARG001
    """Why none of the recordings of a cassette that are ``unplayed`` answers a request."""
    if asked.key in keys:
        return Miss("played", cassette.interactions[keys.index(asked.key)], "", "", "", "")
    return Miss("unrecorded", None, "", "", asked.endpoint.path, "")
