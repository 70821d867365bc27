"""Whole loops fuzzed, beside a property that does nothing.

    python benchmarks/fuzz_loop.py

nothing     Hypothesis's own floor: the examples of the campaign are not even made
made        the examples are made, and nothing is done with them
enumerated  examples of the enumeration, each on four wires without an SDK, judged and held beside each other
drawn       examples of Hypothesis's, held against the reference loop: one in eight on the SDKs, cut in two ways

Figures are CPU time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from harness.fuzz.loop import LoopCampaign, Play

EXAMPLES = 150
SETTINGS = settings(
    max_examples=EXAMPLES,
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def main() -> None:
    campaign = LoopCampaign()
    subject = campaign.open(None)
    runs: list[int] = []

    def hold(play: Play) -> None:
        runs.append(campaign.check(play, subject))

    some = list(islice(campaign.enumerated(), 400, 400 + EXAMPLES))
    tried: dict[str, Callable[[], object]] = {
        "nothing": SETTINGS(given(st.integers())(lambda _: None)),
        "made": SETTINGS(given(campaign.examples())(lambda _: None)),
        "enumerated": lambda: [hold(play) for play in some],
        "drawn": SETTINGS(given(campaign.examples())(hold)),
    }
    hold(some[0])
    for name, work in tried.items():
        runs.clear()
        begun = time.process_time()
        work()
        seconds = time.process_time() - begun
        print(f"{name:10}  {EXAMPLES / seconds:8,.0f} examples/s  {sum(runs) / seconds:6,.0f} runs/s")


if __name__ == "__main__":
    main()
