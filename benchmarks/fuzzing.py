"""Fuzzing of arguments: enumerated splits and Hypothesis's examples a second, with the oracles on.

    python benchmarks/fuzzing.py [--quick]

The splits are every cut and every size of deltas of the nasty documents. Beside them the parser runs alone on the same
deltas: the rest is what generating and judging costs. The property runs beside one that does nothing with bytes, which
is Hypothesis's own floor. CPU time; all take turns within each round, a ratio is the median over rounds.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from statistics import median

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._measure import interleaved, ratio
from harness.fuzz.arguments import ArgumentsCampaign
from harness.fuzz.arguments.document import document_of
from harness.fuzz.arguments.example import ArgumentsExample
from harness.fuzz.arguments.nasty import MALFORMED, NASTY

SPLITS_PER_SECOND = 40_000
EXAMPLES_PER_SECOND = 500

CAMPAIGN = ArgumentsCampaign()
OURS = CAMPAIGN.open(None)


def splits() -> list[ArgumentsExample]:
    """Every cut in two, and every size of deltas."""
    examples = []
    for text in (*NASTY, *MALFORMED):
        length = len(text)
        examples += [ArgumentsExample(text, (at, length)) for at in range(length)]
        examples += [ArgumentsExample(text, (size,)) for size in range(1, length)]
    return examples


def judged(examples: list[ArgumentsExample]) -> None:
    for example in examples:
        CAMPAIGN.check(example, OURS)


def alone(runs: list[tuple[list[str], tuple[str, ...]]]) -> None:
    for deltas, words in runs:
        OURS(deltas, words)


def everything() -> None:
    judged(list(CAMPAIGN.enumerated()))


def properties(examples: int) -> dict[str, partial[None]]:
    quiet = settings(
        max_examples=examples, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )

    @quiet
    @given(CAMPAIGN.examples())
    def arguments(example: ArgumentsExample) -> None:
        CAMPAIGN.check(example, OURS)

    @quiet
    @given(st.binary())
    def nothing(_: bytes) -> None:
        pass

    return {"arguments": partial(arguments), "no-op": partial(nothing)}


def enumeration(rounds: int) -> bool:
    examples = splits()
    runs = [(example.deltas, document_of(example.text).words) for example in examples]
    times = interleaved({"judged": partial(judged, examples), "alone": partial(alone, runs)}, rounds)
    rates = [len(examples) / seconds for seconds in times["judged"]]
    print(f"enumerated splits: {len(examples)}, each through our parser and all oracles")
    met = _told(rates, "splits/s", SPLITS_PER_SECOND)
    slower, rate = ratio(times["judged"], times["alone"]), len(examples) / median(times["alone"])
    print(f"  {rate:8.0f} splits/s by the parser alone: {slower:.2f}x the time when judged")
    return met


def whole_enumeration(rounds: int) -> None:
    count = sum(1 for _ in CAMPAIGN.enumerated())
    seconds = median(interleaved({"all": everything}, rounds)["all"])
    print(f"  {seconds:8.2f} s for all {count} enumerated examples, the counting of steps included")


def shapes(rounds: int, examples: int) -> bool:
    times = interleaved(properties(examples), rounds)
    rates = [examples / seconds for seconds in times["arguments"]]
    print(f"\nHypothesis, {examples} examples a round")
    met = _told(rates, "examples/s", EXAMPLES_PER_SECOND)
    slower, rate = ratio(times["arguments"], times["no-op"]), examples / median(times["no-op"])
    print(f"  {rate:8.0f} examples/s of a property that does nothing: {slower:.2f}x the time")
    return met


def _told(rates: list[float], unit: str, target: int) -> bool:
    """The best round decides: a machine that does other things too only ever makes it slower."""
    met = max(rates) >= target
    print(f"  {median(rates):8.0f} {unit}, best round {max(rates):.0f}; target {target}: {'met' if met else 'NOT met'}")
    return met


def main() -> int:
    quick = "--quick" in sys.argv[1:]
    judged(splits())  # documents are read once, and stay read
    good = enumeration(5 if quick else 15)
    whole_enumeration(1 if quick else 3)
    good &= shapes(3 if quick else 7, 500 if quick else 2_000)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
