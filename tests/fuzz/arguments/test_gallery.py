"""Every published mistake is found within the budget of CI, by the oracle that should, and shrunk to a line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, settings

from harness.fuzz.arguments.campaign import CAMPAIGN
from harness.fuzz.arguments.example import ArgumentsExample
from harness.fuzz.arguments.subjects import Parser
from harness.fuzz.shrink import objection_to, shrunk
from harness_lab.gallery.arguments import GALLERY
from tests.fuzz.examples import in_steps

LONGEST = 40

BY_DRAWING = ("reparse_and_regex", "half_escapes", "high_surrogate", "salvaged_by_count", "blank_meanwhile", "raw_keys")
"""Some that Hypothesis finds by itself, each with a few hundred examples."""


@pytest.fixture(scope="module")
def enumerated() -> list[ArgumentsExample]:
    return list(CAMPAIGN.enumerated())


def opened(show: Callable[..., Any]) -> Parser:
    return CAMPAIGN.open(f"{show.__module__}:{show.__name__}")


def name(value: object) -> str:
    return getattr(value, "__name__", str(value))


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("show", "oracle"), GALLERY.items(), ids=name)
def test_the_enumeration_finds_it(show: Callable[..., Any], oracle: str, enumerated: list[ArgumentsExample]) -> None:
    parser = opened(show)
    tried = (example for example in in_steps(enumerated) if oracle != "linear" or example.stretch is not None)
    objections = ((example, objection_to(example, CAMPAIGN, parser)) for example in tried)
    example, found = next((each, it) for each, it in objections if it is not None and it.oracle == oracle)
    smallest, _ = shrunk(CAMPAIGN, parser, example, found)
    assert len(smallest.text) <= LONGEST
    again = objection_to(CAMPAIGN.from_json(CAMPAIGN.to_json(smallest)), CAMPAIGN, parser)
    assert again is not None
    assert again.oracle == oracle


@pytest.mark.parametrize("mistake", BY_DRAWING)
def test_hypothesis_finds_it(mistake: str) -> None:
    parser = CAMPAIGN.open(f"harness_lab.gallery.arguments:{mistake}")
    found = find(
        CAMPAIGN.examples(),
        lambda example: objection_to(example, CAMPAIGN, parser) is not None,
        settings=settings(
            max_examples=500,
            phases=[Phase.generate],
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert objection_to(found, CAMPAIGN, parser) is not None


@pytest.mark.parametrize("show", GALLERY, ids=name)
def test_its_source_is_told(show: Callable[..., Any]) -> None:
    told = inspect.getdoc(show)
    assert told is not None
    assert "#" in told or "parsing.py" in told or "its streams" in told
