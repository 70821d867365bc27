"""The campaign ``requests``: examples a second, beside a property that does nothing with the same examples.

    python benchmarks/fuzz_requests.py

enumerated   every 8th example that comes first, each loop played once for many changes
drawn        examples of Hypothesis's, held against the wires: a loop is played, and its requests are judged, written
             and read again
no-op        the same draws, with nothing done to them; a loop is played where it is changed or damaged

Goal: the enumeration and the examples of a CI run take at most 20 s of CPU time together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._measure import cpu
from harness.fuzz.requests import RequestExample, RequestsCampaign

EXAMPLES, SHARE, GOAL = 1_000, 8, 20.0


def drawn(campaign: RequestsCampaign, hold: Callable[[RequestExample], Any]) -> Callable[[], None]:
    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(campaign.examples())
    def work(example: RequestExample) -> None:
        hold(example)

    return work


def main() -> None:
    campaign = RequestsCampaign()
    ours = campaign.open(None)
    every = list(islice(campaign.enumerated(), 0, None, SHARE))
    total = sum(1 for _ in campaign.enumerated())
    for example in every[::20]:
        campaign.check(example, ours)  # imports the SDKs
    enumerated = cpu(lambda: [campaign.check(example, ours) for example in every])
    held = cpu(drawn(campaign, lambda example: campaign.check(example, ours)))
    nothing = cpu(drawn(campaign, lambda _: None))
    whole = enumerated / len(every) * total + held / EXAMPLES * campaign.budget["ci"]
    print(f"enumerated {len(every) / enumerated:6.0f} examples/s, {total} of them")
    print(f"drawn      {EXAMPLES / held:6.0f} examples/s; no-op {EXAMPLES / nothing:6.0f}/s")
    print(f"a CI run   {whole:6.1f} s; goal: at most {GOAL:.0f} s: {'met' if whole <= GOAL else 'NOT met'}")


if __name__ == "__main__":
    main()
