"""A campaign in pieces that can be worked on anywhere, and what came of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from harness.trace import JsonValue


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a campaign: the same one gives the same result wherever it is worked on.

    ``first`` is the place of its first example in the enumeration, or the seed of Hypothesis; ``examples`` is how many
    there are at most. ``database`` is where Hypothesis keeps what it has found (a folder or a ``redis://`` URL; empty:
    nowhere).
    """

    campaign: str
    target: str | None
    kind: Literal["enumerated", "drawn"]
    first: int
    examples: int
    database: str = ""

    @property
    def id(self) -> str:
        """``CAMPAIGN/KIND-FIRST``, the same on every machine."""
        return f"{self.campaign}/{self.kind}-{self.first}"


@dataclass(frozen=True, slots=True)
class Found:
    """A mistake of the subject: the shrunk example and what an oracle has against what became of it."""

    campaign: str
    target: str | None
    oracle: str
    expected: str
    got: str
    example: Mapping[str, JsonValue]
    chunk: str = ""


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """``examples`` were held against the subject, which took ``runs`` of it; ``features`` says how often each was met.

    ``error`` is why the chunk could not be worked on; empty where it was.
    """

    chunk: Chunk
    examples: int = 0
    runs: int = 0
    seconds: float = 0.0
    features: Mapping[str, int] = field(default_factory=dict)
    found: tuple[Found, ...] = ()
    error: str = ""


ENUMERATED: Final = 8
"""Into so many chunks an enumeration is divided."""


def chunks(
    campaign: str, target: str | None, *, size: int, enumerated: int, examples: int, seed: int, database: str = ""
) -> list[Chunk]:
    """The chunks of a campaign: the enumeration first, and then seed after seed, ``size`` examples of each."""
    share = -(-enumerated // ENUMERATED) or 1
    return [
        *[
            Chunk(campaign, target, "enumerated", first, min(share, enumerated - first))
            for first in range(0, enumerated, share)
        ],
        *[
            Chunk(campaign, target, "drawn", seed + number, min(size, examples - done), database)
            for number, done in enumerate(range(0, examples, size))
        ],
    ]
