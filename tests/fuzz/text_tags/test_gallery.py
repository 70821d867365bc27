"""Each known-bad parser is found by the oracle for its mistake, in few characters; ours and a sound one survive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import hypothesis
import pytest
from hypothesis import Phase, given, settings

from harness.fuzz.campaign import Falsified
from harness.fuzz.shrink import objection_to, shrunk
from harness.fuzz.text_tags.campaign import CAMPAIGN
from harness.fuzz.text_tags.example import ArrivingText
from harness.fuzz.text_tags.grammar import TAG
from harness.fuzz.text_tags.parser import TagParser
from harness_lab.gallery.text_tags import GALLERY, sound
from tests.fuzz.examples import in_steps

Read = Callable[[Iterable[str]], Mapping[str, Any]]

MOST = 40
"""Characters of a shrunk text beside its tags, which are 23 or more for every call."""


def found(parser: TagParser, examples: Iterable[ArrivingText], oracle: str) -> tuple[ArrivingText, Falsified] | None:
    """The first example that this oracle objects to."""
    objections = ((example, objection_to(example, CAMPAIGN, parser)) for example in examples)
    return next(((example, found) for example, found in objections if found and found.oracle == oracle), None)


@pytest.fixture(scope="module")
def enumerated() -> list[ArrivingText]:
    """All, in another order: the long texts in large pieces, the short ones in steps, then the other long ones.

    These are slow, since their work is counted.
    """
    short, long = ([each for each in CAMPAIGN.enumerated() if (each.times > 1) is long] for long in (False, True))
    return [*long[::3], *in_steps(short), *long[1::3], *long[2::3]]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("read", GALLERY, ids=lambda read: read.__name__)
def test_a_mistake_is_found_and_shrunk(read: Read, enumerated: list[ArrivingText]) -> None:
    parser, oracle = TagParser(read), GALLERY[read]
    first = found(parser, enumerated, oracle)
    assert first is not None
    example, falsified = shrunk(CAMPAIGN, parser, *first)
    assert falsified.oracle == oracle
    text = "".join(example.deltas)
    assert len(TAG.sub("", text)) <= MOST
    assert len(text) <= MOST or len(TAG.findall(text)) > 2
    with pytest.raises(Falsified, match=oracle):
        CAMPAIGN.check(example, TagParser(read))


DRAWN = [read for read, oracle in GALLERY.items() if oracle != "linear"]


@pytest.mark.parametrize("read", DRAWN, ids=lambda read: read.__name__)
def test_a_mistake_is_found_in_examples_that_are_drawn(read: Read) -> None:
    parser = TagParser(read)

    @settings(max_examples=1_000, deadline=None, database=None, phases=(Phase.generate,))
    @given(CAMPAIGN.examples())
    def search(example: ArrivingText) -> None:
        CAMPAIGN.check(example, parser)

    with pytest.raises(Falsified) as objection:
        hypothesis.seed(3)(search)()
    assert objection.value.oracle in CAMPAIGN.oracles


def test_every_oracle_has_a_mistake_that_it_finds() -> None:
    """But for the one that is only ours."""
    assert set(GALLERY.values()) == set(CAMPAIGN.oracles) - {"unreadable"}


def test_a_sound_parser_of_another_kind_survives(enumerated: list[ArrivingText]) -> None:
    """It reads with regular expressions, so the oracles do not merely say what ours does."""
    parser = TagParser(sound)
    for example in enumerated[::10]:
        assert CAMPAIGN.check(example, parser) >= 0
