"""A campaign comes to the same in one process, in a pool, and on a cluster; a worker that is killed changes nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from functools import cache

import pytest

from harness.fuzz.campaigning import CampaignOutcome, pursue
from harness.fuzz.chunks import Chunk, ChunkResult, chunks
from harness.fuzz.work import FuzzWork
from harness.runner.executor import Executor, InProcess
from harness.runner.processes import Processes

Fuzzers = Executor[Chunk, ChunkResult]

RIGHT = None
WRONG = "harness_lab.gallery.arguments:first_of_two"


def outcome(executor: Fuzzers, target: str | None) -> dict[str, object]:
    """What a small campaign comes to, but for the time that it takes."""
    reached = CampaignOutcome("arguments", target)
    pursue(reached, chunks("arguments", target, size=20, enumerated=140, examples=80, seed=11), executor)
    return {**reached.to_json(), "seconds": 0, "found": reached.found}


def cluster() -> Fuzzers:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    from harness.runner.distributed.cluster import Cluster
    from harness.runner.distributed.executor import Distributed

    return Distributed(FuzzWork(), Cluster())


@cache
def here(target: str | None) -> dict[str, object]:
    return outcome(InProcess(FuzzWork()), target)


EXECUTORS: dict[str, Callable[[], Fuzzers]] = {"pool": lambda: Processes(FuzzWork(), 2), "cluster": cluster}


@pytest.mark.exhaustive
@pytest.mark.parametrize("elsewhere", ["pool", "cluster"], ids=["pool-wrong", "cluster-wrong"])
def test_who_works_on_it_changes_nothing(elsewhere: str) -> None:
    """With a target that is wrong; a pool with a right one is below."""
    assert here(WRONG)["found"]
    assert outcome(EXECUTORS[elsewhere](), WRONG) == here(WRONG)


class _Killing:
    """A pool of which one worker is killed after the third result."""

    def __init__(self) -> None:
        self._inner = Processes(FuzzWork(), 2)
        self.killed = 0

    def run(self, items: Sequence[Chunk], on_finished: Callable[[ChunkResult], None], /) -> None:
        told = 0

        def ended(result: ChunkResult) -> None:
            nonlocal told
            told += 1
            if told == 3:
                self.killed = _a_child()
                os.kill(self.killed, signal.SIGKILL)
            on_finished(result)

        self._inner.run(items, ended)


def _a_child() -> int:
    worker = multiprocessing.active_children()[0]
    assert worker.pid is not None
    return worker.pid


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="workers are killed by a signal of POSIX")
def test_a_worker_that_is_killed_changes_nothing_but_time() -> None:
    pool = _Killing()
    assert not here(RIGHT)["found"]
    assert outcome(pool, RIGHT) == here(RIGHT)
    assert pool.killed
