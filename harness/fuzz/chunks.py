"""The pieces of a campaign, which can run anywhere, and their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from harness.trace import JsonValue


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a campaign: it has the same result wherever it runs.

    ``first`` is the place of its first example in the enumeration, or the seed of Hypothesis; ``examples`` is the most
    examples that it has. ``database`` is where Hypothesis keeps what it has found (a folder or a ``redis://`` URL;
    empty: nowhere).
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
    """A mistake of the subject: the shrunk example and an oracle's objection to the result."""

    campaign: str
    target: str | None
    oracle: str
    expected: str
    got: str
    example: Mapping[str, JsonValue]
    chunk: str = ""


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """The subject was checked with so many ``examples``, in ``runs`` runs; ``features`` counts each feature in them.

    ``error`` is why the chunk could not be run; empty if it was run.
    """

    chunk: Chunk
    examples: int = 0
    runs: int = 0
    seconds: float = 0.0
    features: Mapping[str, int] = field(default_factory=dict)
    found: tuple[Found, ...] = ()
    error: str = ""


ENUMERATED: Final = 8
"""The number of chunks of an enumeration."""


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
