"""What the benchmarks share: CPU time, and the numbers made of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from statistics import median

__all__ = ["cpu", "exponent", "interleaved"]


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of one run; wall time says little on a machine that does other things too."""
    start = time.process_time()
    work()
    return time.process_time() - start


def interleaved(candidates: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """CPU seconds of each candidate in each round. A round runs them all, so a slow phase hits all of them."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, work in candidates.items():
            times[name].append(cpu(work))
    return times


def ratio(slow: list[float], fast: list[float]) -> float:
    """How many times faster; the median over rounds of the ratio within a round."""
    return median(a / b for a, b in zip(slow, fast, strict=True))


def exponent(small: float, large: float, growth: float) -> float:
    """b in time ~ size ** b, from the times at two sizes that are ``growth`` apart."""
    return math.log(large / small) / math.log(growth)
