"""Fuzzing: how many examples of each campaign are held against ours in a second, with all oracles on.

enumerated     examples that come first, always the same, or a share of them
drawn          examples of Hypothesis's, beside a property that does nothing with bytes: Hypothesis's own floor
drawn, unheld  the same draws with nothing done to them: what making them costs
splits         every cut and every size of deltas of the nasty documents; beside them the parser runs alone on the same
               deltas, so that the rest is what generating and judging costs

Of a best round: a machine that does other things too only ever makes it slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import interleaved, rates
from harness.fuzz.arguments.document import document_of
from harness.fuzz.arguments.example import ArgumentsExample
from harness.fuzz.arguments.nasty import MALFORMED, NASTY
from harness.fuzz.campaign import Campaign
from harness.fuzz.campaigns import CAMPAIGNS

SPLITS = Goal("ours", "at least", 40_000)
DRAWN = Goal("ours", "at least", 500)
CI_RUN = Goal("ours", "at most", 20.0)


@dataclass(frozen=True, slots=True)
class Amount:
    """How much of a campaign is measured in a round: every so manieth of what is enumerated, and how many draws."""

    step: int
    drawn: int


AMOUNTS = {
    "arguments": Amount(8, 2_000),
    "text-tags": Amount(8, 1_000),
    "stream": Amount(8, 200),
    "loop": Amount(16, 150),
    "requests": Amount(8, 1_000),
}


def figures(quick: bool) -> Iterator[Figure]:
    yield from _splits(CAMPAIGNS["arguments"].load(), 5 if quick else 15)
    for name, amount in AMOUNTS.items():
        share = Amount(amount.step * 8, amount.drawn // 5) if quick else amount
        yield from _figures(name, CAMPAIGNS[name].load(), share, rounds=2 if quick else 5)


def _figures(name: str, campaign: Campaign[Any, Any], amount: Amount, rounds: int) -> Iterator[Figure]:
    subject = campaign.open(None)
    some = list(islice(campaign.enumerated(), 0, None, amount.step))
    works: dict[str, Callable[[], object]] = {
        "enumerated": lambda: [campaign.check(example, subject) for example in some],
        "held": _property(campaign.examples(), lambda example: campaign.check(example, subject), amount.drawn),
        "unheld": _property(campaign.examples(), _nothing, amount.drawn),
        "floor": _property(st.binary(), _nothing, amount.drawn),
    }
    times = interleaved(works, rounds)
    floor = rates(times["floor"], amount.drawn)
    held, beside = rates(times["held"], amount.drawn), "a property that does nothing"
    yield Figure.of(f"{name}, enumerated", rates(times["enumerated"], len(some)), unit="/s")
    yield Figure.of(f"{name}, drawn", held, beside=beside, theirs=floor, unit="/s")
    yield Figure.of(
        f"{name}, drawn, unheld", rates(times["unheld"], amount.drawn), beside=beside, theirs=floor, unit="/s"
    )
    if name == "arguments":
        yield Figure.of(f"{name}, drawn, the best round", [max(held)], DRAWN, unit="/s")
    every = sum(1 for _ in campaign.enumerated())
    enumerating, drawing = median(times["enumerated"]) / len(some), median(times["held"]) / amount.drawn
    ci = enumerating * every + drawing * campaign.budget["ci"]
    goals = [CI_RUN] if name == "requests" else []
    yield Figure.of(f"{name}, a CI run: {every:,} enumerated, {campaign.budget['ci']:,} drawn", [ci], *goals)


def _property(strategy: st.SearchStrategy[Any], hold: Callable[[Any], object], examples: int) -> Callable[[], None]:
    @seed(1)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def work(example: Any) -> None:
        hold(example)

    return work


def _nothing(_: object) -> None:
    pass


def _splits(campaign: Campaign[Any, Any], rounds: int) -> Iterator[Figure]:
    ours = campaign.open(None)
    examples = list(_every_split())
    runs = [(example.deltas, document_of(example.text).words) for example in examples]

    def judged() -> None:
        for example in examples:
            campaign.check(example, ours)

    def alone() -> None:
        for deltas, words in runs:
            ours(deltas, words)

    times = interleaved({"judged": judged, "alone": alone}, rounds)
    splits, parser = (rates(times[name], len(examples)) for name in ("judged", "alone"))
    yield Figure.of("arguments, splits", splits, beside="the parser alone", theirs=parser, unit="/s")
    yield Figure.of("arguments, splits, the best round", [max(splits)], SPLITS, unit="/s")


def _every_split() -> Iterator[ArgumentsExample]:
    """Every cut in two, and every size of deltas."""
    for text in (*NASTY, *MALFORMED):
        length = len(text)
        yield from (ArgumentsExample(text, (at, length)) for at in range(length))
        yield from (ArgumentsExample(text, (size,)) for size in range(1, length))
