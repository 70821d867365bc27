"""Fuzzing calls in text: how many cuts are enumerated and how many examples are drawn in a second.

    python benchmarks/fuzz_text_tags.py [--quick]

CPU time; the candidates take turns within each round, and a figure is the median over rounds. What is drawn is held
beside a property that does nothing with the same examples, so that Hypothesis's own share can be told from ours.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import median

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._measure import interleaved, ratio
from harness.fuzz.strategies.text_tags import call
from harness.fuzz.text_tags import TextTagsCampaign
from harness.fuzz.text_tags.example import ArrivingText, arriving

CAMPAIGN = TextTagsCampaign()
PARSER = CAMPAIGN.open(None)

_DOCUMENT = f"I look.\n<think>Hm.</think>{call('read', {'path': 'a.py', 'content': '</tool_call> é😀'})} Done."
_CUTS = [arriving([_DOCUMENT[:at], _DOCUMENT[at:]]) for at in range(1, len(_DOCUMENT))]


def cuts() -> None:
    """Every cut in two of one document, ten times."""
    for _ in range(10):
        for example in _CUTS:
            CAMPAIGN.check(example, PARSER)


def enumerated(examples: int) -> Callable[[], None]:
    def work() -> None:
        for example in islice(CAMPAIGN.enumerated(), examples):
            CAMPAIGN.check(example, PARSER)

    return work


def drawn(check: Callable[[ArrivingText], object], examples: int) -> Callable[[], None]:
    @hypothesis.seed(1)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(CAMPAIGN.examples())
    def hold(example: ArrivingText) -> None:
        check(example)

    return hold


def main() -> None:
    quick = "--quick" in sys.argv
    examples, rounds = (200, 2) if quick else (1_000, 5)
    candidates = {
        "every cut": cuts,
        "enumerated": enumerated(5 * examples),
        "drawn": drawn(lambda example: CAMPAIGN.check(example, PARSER), examples),
        "drawn, no-op": drawn(lambda _: None, examples),
    }
    times = interleaved(candidates, rounds)
    counts = {"every cut": 10 * len(_CUTS), "enumerated": 5 * examples, "drawn": examples, "drawn, no-op": examples}
    for name, seconds in times.items():
        print(f"{name:14} {counts[name] / median(seconds):10,.0f} a second")
    print(f"drawing alone takes {1 / ratio(times['drawn'], times['drawn, no-op']):.0%} of the time")


if __name__ == "__main__":
    main()
