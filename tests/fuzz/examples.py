"""Examples of a campaign, of its enumeration and of Hypothesis's, for tests that try a part of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

from harness.fuzz.campaign import Campaign, Example, Subject

T = TypeVar("T")


def in_steps(examples: Sequence[T], size: int = 101) -> Iterator[T]:
    """All examples, each once: every 101st, and then those between. An example of every kind comes soon, while the
    enumeration has thousands of one kind in a row."""
    for first in range(size):
        yield from examples[first::size]


def enumerated(campaign: Campaign[Example, Subject], *parts: slice) -> Iterator[Example]:
    """These parts of the enumeration."""
    for part in parts:
        yield from islice(campaign.enumerated(), part.start, part.stop, part.step)


def drawn(campaign: Campaign[Example, Subject], count: int, seed: int) -> list[Example]:
    """So many of Hypothesis's examples, and the same for the same seed."""
    examples: list[Example] = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(campaign.examples())
    def keep(example: Example) -> None:
        examples.append(example)

    keep()
    return examples
