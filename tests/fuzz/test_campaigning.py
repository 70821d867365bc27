"""A campaign ends with the round in which something was found, and comes to the same whoever works on it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import pytest

from harness.fuzz.campaigning import ROUND, CampaignOutcome, pursue
from harness.fuzz.chunks import Chunk, ChunkResult, Found, chunks
from harness.fuzz.work import FuzzWork
from harness.runner.executor import InProcess


class Shuffled:
    """Works on the chunks in an order of its own, as many workers do; tells what it has when it is interrupted."""

    def __init__(self, seed: int, finds: Callable[[Chunk], bool]) -> None:
        self._random = random.Random(seed)
        self._finds = finds
        self.worked: list[str] = []

    def run(self, items: Sequence[Chunk], on_finished: Callable[[ChunkResult], None], /) -> None:
        left = list(items)
        window: list[Chunk] = []
        try:
            while left or window:
                while left and len(window) < 5:
                    window.append(left.pop(0))
                chunk = window.pop(self._random.randrange(len(window)))
                self.worked.append(chunk.id)
                on_finished(result(chunk, finds=self._finds(chunk)))
        finally:
            for chunk in window:
                on_finished(result(chunk, finds=self._finds(chunk)))


def result(chunk: Chunk, *, finds: bool) -> ChunkResult:
    example = {"text": "x" * (chunk.first % 7 + 1)}
    found = (Found(chunk.campaign, None, "same", "x", "", example, chunk.id),) if finds else ()
    return ChunkResult(chunk, chunk.examples, chunk.examples, 0.1, {"x": 1}, found)


PLANNED = chunks("toy", None, size=10, enumerated=0, examples=400, seed=0)


def pursued(seed: int, finds: Callable[[Chunk], bool]) -> CampaignOutcome:
    outcome = CampaignOutcome("toy", None)
    pursue(outcome, PLANNED, Shuffled(seed, finds))
    return outcome


@pytest.mark.parametrize("seed", range(20))
def test_the_outcome_does_not_depend_on_the_order_of_work(seed: int) -> None:
    finds = lambda chunk: chunk.first in (12, 14, 20, 31)  # noqa: E731
    outcome = pursued(seed, finds)
    assert outcome.found == pursued(0, finds).found
    assert [found.chunk for found in outcome.found] == ["toy/drawn-14"], "of the second round, the shorter"
    assert outcome.examples() == 2 * ROUND * 10
    assert outcome.complete


def test_a_campaign_that_finds_nothing_is_pursued_to_its_end() -> None:
    outcome = pursued(1, lambda chunk: False)
    assert (outcome.examples(), outcome.found, outcome.complete) == (400, [], True)


def test_time_that_is_up_ends_it() -> None:
    outcome = CampaignOutcome("toy", None)
    executor = Shuffled(3, lambda chunk: False)
    pursue(outcome, PLANNED, executor, until=time.monotonic() - 1)
    assert not outcome.complete
    assert len(executor.worked) == 1


def test_what_could_not_be_worked_on_ends_it() -> None:
    class Broken:
        def run(self, items: Sequence[Chunk], on_finished: Callable[[ChunkResult], None], /) -> None:
            for chunk in items:
                on_finished(FuzzWork().failed(chunk, "its process died"))

    outcome = CampaignOutcome("toy", None)
    pursue(outcome, PLANNED, Broken())
    assert len(outcome.errors) == ROUND
    assert outcome.to_json()["errors"] == ["its process died"] * ROUND


def test_an_interruption_leaves_what_is_there() -> None:
    class Interrupted:
        def run(self, items: Sequence[Chunk], on_finished: Callable[[ChunkResult], None], /) -> None:
            on_finished(result(items[0], finds=True))
            raise KeyboardInterrupt

    outcome = CampaignOutcome("toy", None)
    with pytest.raises(KeyboardInterrupt):
        pursue(outcome, PLANNED, Interrupted())
    assert not outcome.complete
    assert len(outcome.found) == 1


def test_chunks_are_worked_on_in_this_process(toy: str) -> None:
    outcome = CampaignOutcome(toy, "drops-x")
    pursue(outcome, chunks(toy, "drops-x", size=50, enumerated=20, examples=500, seed=0), InProcess(FuzzWork()))
    assert [found.example for found in outcome.found] == [{"text": "x"}]
    assert outcome.to_json()["found"] == ["length"]
    assert outcome.examples("enumerated") == 20


def test_what_examples_leave_in_cycles_is_freed_after_each_round(
    toy: str, freed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it a long campaign grows for as long as the collector waits, 100 MB and more."""

    def worked(chunk: Chunk) -> ChunkResult:
        freed.append("chunk")
        return result(chunk, finds=False)

    monkeypatch.setattr("harness.fuzz.search.run_chunk", worked)
    planned = chunks(toy, None, size=1, enumerated=0, examples=2 * ROUND + 1, seed=0)
    FuzzWork().run([[chunk] for chunk in planned], lambda _: None)
    assert freed == [*["chunk"] * ROUND, "freed", *["chunk"] * ROUND, "freed", "chunk"]
