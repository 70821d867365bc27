"""The campaign finds every loop of its gallery, by the oracle that is meant for it, and makes it short."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.fuzz.campaign import Falsified
from harness.fuzz.loop.campaign import CAMPAIGN
from harness.fuzz.loop.example import Play
from harness.fuzz.loop.stage import LoopSubject
from harness.fuzz.shrink import objection_to, shrunk
from harness_lab.gallery.loop import GALLERY, Known

FEW = 3
"""Turns that a reproducer may have."""


SEEN_IN = {
    "mutant:limit-21": "turn limit",
    "mutant:limit-19": "turn limit",
    "mutant:limit-silent": "turn limit",
    "mutant:nudge-missing": "turn limit",
    "mutant:retry-without-bound": "arguments that are no JSON",
    "mutant:refusal-retried": "HTTP error for good",
    "mutant:string-with-a-tag-cut": "wire text-tags",
    "mutant:calls-by-index": "dialect index-zero",
    "mutant:missing-index-is-zero": "dialect index-missing",
    "mutant:repeated-id-is-a-new-call": "dialect repeated-ids",
    "mutant:calls-behind-the-reason-ignored": "dialect calls-after-finish",
    "mutant:end-turn-believed": "dialect end-turn-with-calls",
    "mutant:missing-item-index-is-zero": "dialect no-output-index",
    "mutant:ends-at-the-first-stop": "dialect early-stop",
    "mutant:cancelled-calls-left-open": "cancelled",
    "mutant:said-and-forgotten": "said meanwhile",
    "mutant:said-before-the-results": "said meanwhile",
    "mutant:last-answer-lost": "another run",
    "mutant:stored-without-thinking": "resumed",
    "mutant:foreign-thinking-kept": "switched",
}
"""What an example needs to show the mistake, where the first ones of the enumeration do not: only such are tried."""


def found(known: Known, subject: LoopSubject) -> tuple[Play, Falsified]:
    """The first example of the enumeration that falsifies."""
    needed = {SEEN_IN[known.target]} if known.target in SEEN_IN else set()
    plays = (play for play in CAMPAIGN.enumerated() if needed.issubset(CAMPAIGN.features_of(play)))
    objections = ((play, objection_to(play, CAMPAIGN, subject)) for play in plays)
    return next((play, falsified) for play, falsified in objections if falsified is not None)


@pytest.fixture
def subject(known: Known) -> Iterator[LoopSubject]:
    opened = CAMPAIGN.open(known.target)
    yield opened
    opened.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize("known", GALLERY, ids=lambda known: known.target)
def test_it_is_found_and_short(known: Known, subject: LoopSubject) -> None:
    example, falsified = shrunk(CAMPAIGN, subject, *found(known, subject))
    assert falsified.oracle.startswith(known.oracles), falsified
    assert example.turns <= FEW + len(example.acts) + len(example.runs)  # an answer for each is kept
    assert len(example.wires) == 1
    with pytest.raises(Falsified) as again:
        CAMPAIGN.check(CAMPAIGN.from_json(CAMPAIGN.to_json(example)), subject)
    assert again.value.oracle == falsified.oracle
