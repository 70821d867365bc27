"""Chunks as work for an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from gc import collect as free_cycles
from itertools import chain
from typing import Final

from harness.fuzz.campaigning import ROUND
from harness.fuzz.chunks import Chunk, ChunkResult
from harness.runner.executor import with_printed

DEADLINE: Final = 420.0
"""Seconds: a chunk is about one second's work, but Hypothesis may take five minutes to shrink what it has found."""


@dataclass(frozen=True, slots=True)
class FuzzWork:
    """``harness.runner.executor.Work`` whose items are chunks."""

    noun: str = "chunk"
    deadline: float = DEADLINE
    seconds: float = 1.0

    def needs(self, chunk: Chunk, /) -> str:
        """Return the campaign of the chunk, so that a worker imports one campaign after another."""
        return chunk.campaign

    def run(
        self,
        batches: Iterable[Sequence[Chunk]],
        on_finished: Callable[[ChunkResult], None],
        /,
        *,
        jobs: int = 1,  # noqa: ARG002 - a chunk is computation: two at once in one process gain nothing
        in_worker: bool = False,  # noqa: ARG002 - it changes nothing of its process
    ) -> None:
        """Search the chunks of all batches one by one, and report each result."""
        from harness.fuzz.search import run_chunk

        for number, chunk in enumerate(chain.from_iterable(batches), start=1):
            on_finished(run_chunk(chunk))
            if number % ROUND == 0:
                free_cycles()  # a process of the harness seldom does, and each example leaves some objects in cycles

    def failed(self, chunk: Chunk, why: str, /) -> ChunkResult:
        """Return the result of a chunk that was not searched, with the reason."""
        return ChunkResult(chunk, error=why)

    def explained(self, result: ChunkResult, printed: str, /) -> ChunkResult:
        """Return the result with what the worker has printed, if the chunk ended in an error."""
        return replace(result, error=with_printed(result.error, printed)) if result.error else result
