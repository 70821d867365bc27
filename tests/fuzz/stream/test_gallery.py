"""Every known-bad reader is found by the oracle that is meant for it, and shrunk; one without a mistake is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness.fuzz.campaign import Falsified
from harness.fuzz.shrink import objection_to, shrunk
from harness.fuzz.stream.campaign import CAMPAIGN, Readers
from harness.fuzz.stream.example import StreamExample
from harness.wire import Call
from harness_lab.gallery.stream import KNOWN_BAD, right

SPELLED = 300
"""So many examples of the enumeration, which are all spellings and faults, and then so many of Hypothesis's."""
SHAPES = 800
SEEDS = (2, 3, 4)

Read = Callable[..., Mapping[str, Any]]


def found(read: Read, shapes: int = SHAPES) -> Iterator[tuple[StreamExample, Falsified]]:
    """What is found of a reader: of the enumeration everything, of Hypothesis's shapes the first."""
    subject = CAMPAIGN.open(f"{read.__module__}:{read.__name__}")
    for example in islice(CAMPAIGN.enumerated(), SPELLED):
        if (falsified := objection_to(example, CAMPAIGN, subject)) is not None:
            yield example, falsified
    for seed in SEEDS:  # drawing stops at what is found first, which another oracle may object to
        yield from drawn(subject, shapes, seed)


def drawn(subject: Readers, shapes: int, seed: int) -> list[tuple[StreamExample, Falsified]]:
    failed: list[tuple[StreamExample, Falsified]] = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=shapes,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(CAMPAIGN.examples())
    def hold(example: StreamExample) -> None:
        try:
            CAMPAIGN.check(example, subject)
        except Falsified as falsified:
            failed.append((example, falsified))
            raise

    try:
        hold()
    except Falsified:
        return failed[-1:]
    return []


def words(example: StreamExample) -> str:
    return "".join(part.arguments if isinstance(part, Call) else part.text for part in example.turn.parts)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("read", KNOWN_BAD, ids=lambda read: read.__name__)
def test_every_known_bad_reader_is_found_by_its_oracle_and_shrunk(read: Read) -> None:
    subject = CAMPAIGN.open(f"{read.__module__}:{read.__name__}")
    oracle = KNOWN_BAD[read]
    example, falsified = next(each for each in found(read) if each[1].oracle == oracle)
    smallest, still = shrunk(CAMPAIGN, subject, example, falsified)
    assert still.oracle == oracle
    assert len(words(smallest)) <= 40
    assert len(smallest.turn.parts) <= 1
    assert len(smallest.sizes) <= 2
    assert len(smallest.variations) <= 2


def test_a_reader_without_a_mistake_is_not_found() -> None:
    assert list(found(right, 100)) == []
