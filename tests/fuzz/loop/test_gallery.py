"""The campaign finds every loop of its gallery, by the oracle that is meant for it, and makes it short."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.fuzz.campaign import Falsified
from harness.fuzz.gallery.loop import GALLERY, Known
from harness.fuzz.loop import LoopCampaign, Play
from harness.fuzz.loop.stage import LoopSubject
from harness.fuzz.shrink import shrunk

CAMPAIGN = LoopCampaign()
FEW = 3
"""Turns that a reproducer may have."""


def found(subject: LoopSubject) -> tuple[Play, Falsified]:
    """The first example of the enumeration that falsifies."""
    for play in CAMPAIGN.enumerated():
        try:
            CAMPAIGN.check(play, subject)
        except Falsified as falsified:
            return play, falsified
    raise AssertionError("not found")


@pytest.fixture
def subject(known: Known) -> Iterator[LoopSubject]:
    opened = CAMPAIGN.open(known.target)
    yield opened
    opened.close()


@pytest.mark.parametrize("known", GALLERY, ids=lambda known: known.target)
def test_it_is_found_and_short(known: Known, subject: LoopSubject) -> None:
    example, falsified = shrunk(CAMPAIGN, subject, *found(subject))
    assert falsified.oracle.startswith(known.oracles), falsified
    assert example.turns <= FEW
    assert len(example.wires) == 1
    with pytest.raises(Falsified) as again:
        CAMPAIGN.check(CAMPAIGN.from_json(CAMPAIGN.to_json(example)), subject)
    assert again.value.oracle == falsified.oracle
