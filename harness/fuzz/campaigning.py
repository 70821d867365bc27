"""Runs a campaign from its first chunk to its last, or to the first round with a finding."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.fuzz.chunks import Chunk, ChunkResult, Found
from harness.runner.executor import Executor
from harness.trace import JsonValue

ROUND: Final = 8
"""The number of chunks in a round. A round with a finding is completed, and later ones are ignored: so the findings do
not depend on the number of workers."""


@dataclass(slots=True)
class CampaignOutcome:
    """The result of a campaign. ``seconds`` is its elapsed time.

    ``results`` are in the order in which chunks ended; nothing else depends on that order.
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
        """The number of runs of the subject in all chunks."""
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
        """The smallest example for each oracle that objected."""
        smallest: dict[str, Found] = {}
        for found in sorted((each for result in self.results for each in result.found), key=_size):
            smallest.setdefault(found.oracle, found)
        return [smallest[oracle] for oracle in sorted(smallest)]

    @property
    def errors(self) -> list[ChunkResult]:
        """The chunks that could not be run."""
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


def pursue(
    outcome: CampaignOutcome,
    chunks: Sequence[Chunk],
    executor: Executor[Chunk, ChunkResult],
    until: float | None = None,
) -> None:
    """Run the chunks, and put every result into ``outcome``.

    Ends with the round in which something was found or could not be run, or at ``until`` (of ``time.monotonic``). After
    a ``KeyboardInterrupt`` the results so far stay in ``outcome``, which is not ``complete``, and the exception is
    raised.
    """
    pursuit = _Pursuit(outcome, {chunk.id: number // ROUND for number, chunk in enumerate(chunks)}, until)
    started = time.monotonic()
    try:
        executor.run(chunks, pursuit.on_result)
    except _Enough:
        pursuit.forget_later_rounds()
    except KeyboardInterrupt:
        outcome.complete = False
        raise
    finally:
        outcome.seconds = time.monotonic() - started


class _Enough(Exception):
    """No further chunk is wanted."""


class _Pursuit:
    """The progress of a campaign. ``rounds`` has the round of every chunk."""

    def __init__(self, outcome: CampaignOutcome, rounds: Mapping[str, int], until: float | None) -> None:
        self._outcome = outcome
        self._rounds = rounds
        self._until = until
        self._left = Counter(rounds.values())
        self._last: int | None = None  # the first round in which something was found
        self._over = False

    def on_result(self, result: ChunkResult) -> None:
        """A chunk has ended. Raises ``_Enough``, once, if no other is wanted."""
        number = self._rounds[result.chunk.id]
        self._outcome.results.append(result)
        self._left[number] -= 1
        if result.found or result.error:
            self._last = number if self._last is None else min(number, self._last)
        if not self._over and self._enough():
            self._over = True
            raise _Enough

    def _enough(self) -> bool:
        if self._last is not None:
            return not any(self._left[number] for number in range(self._last + 1))
        if self._until is None or time.monotonic() < self._until or not self._left.total():
            return False
        self._outcome.complete = False
        return True

    def forget_later_rounds(self) -> None:
        """Remove findings of later rounds: fewer workers would not have found them."""
        if self._last is not None:
            results = self._outcome.results
            results[:] = [result for result in results if self._rounds[result.chunk.id] <= self._last]
