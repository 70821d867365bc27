"""What every campaign owes: ours survives it, its features are met, and its examples come back from files."""

from __future__ import annotations

import json
from collections import Counter
from itertools import zip_longest
from typing import Final

import pytest

from harness.fuzz.campaigns import CAMPAIGNS
from harness.fuzz.chunks import Chunk
from harness.fuzz.search import _subject, run_chunk
from tests.fuzz.examples import drawn, enumerated

ALL: Final = slice(None)

TEXT_TAGS: Final = (slice(0, 54, 2), slice(54, None, 10))
"""Of the long texts, whose work is counted, every other, which is each long document at least once."""


@pytest.mark.parametrize(
    ("name", "parts", "runs"),
    [
        ("arguments", (slice(0, None, 9),), 3_655),
        ("text-tags", TEXT_TAGS, 1_000),
        ("stream", (slice(0, 130, 2),), 101),
        ("loop", (slice(0, 60, 2),), 31),
        ("requests", (slice(0, None, 21),), 241),
    ],
)
def test_ours_survives_a_part_of_the_enumeration(name: str, parts: tuple[slice, ...], runs: int) -> None:
    """``harness fuzz``, which .ci/run calls, tries all of it."""
    campaign, subject = CAMPAIGNS[name].load(), _subject(name, None)
    assert sum(campaign.check(example, subject) for example in enumerated(campaign, *parts)) >= runs


@pytest.mark.parametrize(
    ("name", "examples", "runs", "features"),
    [
        ("arguments", 150, 150, 40),
        ("text-tags", 200, 200, 25),
        ("stream", 70, 90, 50),
        ("loop", 40, 40, 30),
        ("requests", 100, 50, 25),
        ("http", 150, 301, 35),
    ],
)
def test_ours_survives_a_chunk(name: str, examples: int, runs: int, features: int) -> None:
    result = run_chunk(Chunk(name, None, "drawn", 1, examples))
    assert (result.found, result.error) == ((), "")
    assert result.examples > examples * 0.6
    assert result.runs >= runs
    assert features < len(result.features)
    assert set(result.features) <= set(CAMPAIGNS[name].load().features)


@pytest.mark.parametrize(
    ("name", "parts", "examples", "times"),
    [
        ("arguments", (slice(0, None, 3),), 200, 1),
        ("text-tags", TEXT_TAGS, 200, 3),
        ("stream", (slice(0, 400),), 200, 1),
        ("loop", (ALL,), 20, 1),
        ("requests", (ALL,), 150, 1),
        ("http", (ALL,), 0, 1),
    ],
)
def test_every_feature_is_met_and_no_other(name: str, parts: tuple[slice, ...], examples: int, times: int) -> None:
    campaign, met = CAMPAIGNS[name].load(), Counter[str]()
    for example in (*enumerated(campaign, *parts), *(drawn(campaign, examples, seed=7) if examples else ())):
        met.update(campaign.features_of(example))
    assert [feature for feature in campaign.features if met[feature] < times] == []
    assert set(met) == set(campaign.features)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("arguments", 20_000, 150_000),
        ("text-tags", 10_000, 20_000),
        ("stream", 20_000, 60_000),
        ("loop", 800, 2_000),
        ("requests", 5_000, 20_000),
        ("http", 5_000, 10_000),
    ],
)
def test_the_enumeration_is_always_the_same(name: str, least: int, most: int) -> None:
    campaign, count = CAMPAIGNS[name].load(), 0
    for first, again in zip_longest(campaign.enumerated(), campaign.enumerated()):
        assert first == again
        count += 1
    assert least <= count <= most


@pytest.mark.parametrize(
    ("name", "step"),
    [("arguments", 61), ("text-tags", 61), ("stream", 97), ("loop", 3), ("requests", 61), ("http", 61)],
)
def test_an_example_comes_back_from_a_file(name: str, step: int) -> None:
    campaign = CAMPAIGNS[name].load()
    for example in (*enumerated(campaign, slice(0, None, step)), *drawn(campaign, 150, seed=7)):
        assert campaign.from_json(json.loads(json.dumps(campaign.to_json(example)))) == example
