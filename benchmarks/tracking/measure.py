"""How figures are measured: CPU time, in rounds that run all candidates, so that a slow phase hits all of them."""

from __future__ import annotations

import asyncio
import gc
import json
import math
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

_MEASURED = Path(__file__).parents[1] / "programs" / "measured.py"

Name = TypeVar("Name")
Measured = TypeVar("Measured")


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of one run; wall time says little on a machine that does other things too."""
    start = time.process_time()
    work()
    return time.process_time() - start


def rounds_of(measures: Mapping[Name, Callable[[], Measured]], rounds: int) -> dict[Name, list[Measured]]:
    """What each measure gives, round by round. A round takes them all, one after the other."""
    taken: dict[Name, list[Measured]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            taken[name].append(measure())
    return taken


def interleaved(
    works: Mapping[Name, Callable[[], object]], rounds: int, *, clean: bool = False
) -> dict[Name, list[float]]:
    """CPU seconds of each work in each round, after a round that is not timed and warms all of them up.

    ``clean`` collects garbage before each, where what one leaves would be another's to clear away.
    """
    for work in works.values():
        work()

    def timed(work: Callable[[], object]) -> Callable[[], float]:
        def measure() -> float:
            if clean:
                gc.collect()
            return cpu(work)

        return measure

    return rounds_of({name: timed(work) for name, work in works.items()}, rounds)


def repeated(work: Callable[[], object], times: int) -> Callable[[], None]:
    """``work`` so often in a row that it can be measured."""

    def run() -> None:
        for _ in range(times):
            work()

    return run


@contextmanager
def event_loop(times: int = 1) -> Iterator[Callable[[Callable[[], Awaitable[Any]]], Callable[[], Any]]]:
    """Makes plain works of coroutine functions, all on this one event loop.

    Each runs its function ``times`` in a row, and gives what the last of them has given.
    """
    with asyncio.Runner() as runner:

        async def run(work: Callable[[], Awaitable[Any]]) -> Any:
            for _ in range(times - 1):
                await work()
            return await work()

        yield lambda work: lambda: runner.run(run(work))


def per(seconds: Sequence[float], count: float) -> list[float]:
    """Seconds of one, of the seconds of ``count`` of them."""
    return [each / count for each in seconds]


def rates(seconds: Sequence[float], count: float) -> list[float]:
    """How many a second, of the seconds of ``count`` of them."""
    return [count / each for each in seconds]


def ratio(slow: Sequence[float], fast: Sequence[float]) -> float:
    """How many times faster; the median over rounds of the ratio within a round."""
    return median(a / b for a, b in zip(slow, fast, strict=True))


def exponent(small: float, large: float, growth: float) -> float:
    """b in time ~ size ** b, from the times at two sizes that are ``growth`` apart."""
    return math.log(large / small) / math.log(growth)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a command with all its processes, start-up included: seconds, and the most bytes that one of them held."""

    wall: float
    cpu: float
    memory: float


def command_cost(command: Sequence[str], *, status: int = 0) -> Cost:
    """Run a command to its end, its output thrown away. One that does not end with ``status`` is a mistake of ours.

    A small program starts it: the memory of whoever starts a process would count as the process's own.
    """
    told = subprocess.run([sys.executable, "-IS", str(_MEASURED), *command], stdout=subprocess.PIPE, check=True)
    cost = json.loads(told.stdout)
    assert cost.pop("status") == status, f"{command} did not end with {status}"
    return Cost(**cost)
