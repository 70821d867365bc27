"""A campaign from its first chunk to its last, or to the first round in which something was found."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from harness.fuzz.chunks import Chunk, ChunkResult, Found
from harness.trace import JsonValue

__all__ = ["ROUND", "Execute", "Outcome", "pursue"]

ROUND: Final = 8
"""So many chunks are worked on before anybody looks whether to go on, whoever works on them: so what is found does not
depend on how many do."""

Execute = Callable[[Sequence[Chunk], Callable[[ChunkResult], None]], None]
"""Works on chunks, wherever, and tells each result as it comes."""


@dataclass(slots=True)
class Outcome:
    """What a campaign came to. ``seconds`` is what it took on the clock.

    ``results`` are in the order in which chunks ended; whatever else it says does not depend on that order.
    """

    campaign: str
    target: str | None
    results: list[ChunkResult] = field(default_factory=list)
    seconds: float = 0.0
    complete: bool = True

    def examples(self, kind: str = "") -> int:
        """How many examples were tried, of all or of one kind of chunk."""
        return sum(result.examples for result in self.results if kind in ("", result.chunk.kind))

    @property
    def runs(self) -> int:
        return sum(result.runs for result in self.results)

    @property
    def features(self) -> Counter[str]:
        """How often each feature of the grammar was met."""
        met: Counter[str] = Counter()
        for result in self.results:
            met.update(result.features)
        return met

    @property
    def found(self) -> list[Found]:
        """Of every oracle that objected the smallest example."""
        smallest: dict[str, Found] = {}
        for found in sorted((each for result in self.results for each in result.found), key=_size):
            smallest.setdefault(found.oracle, found)
        return [smallest[oracle] for oracle in sorted(smallest)]

    @property
    def errors(self) -> list[ChunkResult]:
        """The chunks that could not be worked on."""
        return [result for result in self.results if result.error]

    def to_json(self) -> Mapping[str, JsonValue]:
        """The outcome for a file."""
        seeds = sorted(result.chunk.first for result in self.results if result.chunk.kind == "drawn")
        return {
            "campaign": self.campaign,
            "target": self.target,
            "enumerated": self.examples("enumerated"),
            "drawn": self.examples("drawn"),
            "seeds": [seeds[0], seeds[-1]] if seeds else [],
            "runs": self.runs,
            "seconds": round(self.seconds, 3),
            "features": dict(sorted(self.features.items())),
            "found": [found.oracle for found in self.found],
            "errors": [result.error for result in self.errors],
            "complete": self.complete,
        }


def _size(found: Found) -> tuple[int, str, str]:
    example = str(found.example)
    return len(example), example, found.chunk


def pursue(outcome: Outcome, chunks: Iterable[Chunk], execute: Execute, until: float | None = None) -> None:
    """Work on the chunks, a round at a time, and put every result into ``outcome``.

    Ends with the round in which something was found or could not be worked on, or at ``until`` (of
    ``time.monotonic``). Interrupted by ``KeyboardInterrupt`` it leaves what is there, not ``complete``, and raises.
    """
    started = time.monotonic()
    try:
        for round_ in _rounds(chunks):
            if until is not None and time.monotonic() >= until:
                outcome.complete = False
                break
            execute(round_, outcome.results.append)
            if outcome.found or outcome.errors:
                break
    except KeyboardInterrupt:
        outcome.complete = False
        raise
    finally:
        outcome.seconds = time.monotonic() - started


def _rounds(chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
    left = iter(chunks)
    while round_ := list(islice(left, ROUND)):
        yield round_
