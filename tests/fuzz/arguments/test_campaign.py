"""The campaign holds together: examples travel, shrink and have their features, and ours survives what is made."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.fuzz.arguments.campaign import CAMPAIGN
from harness.fuzz.arguments.example import ArgumentsExample, Stretch
from harness.fuzz.arguments.smaller import measure
from harness.fuzz.campaign import Falsified

examples = CAMPAIGN.examples()
stretched = st.builds(
    lambda text, sizes, times: ArgumentsExample(text, sizes, Stretch(1, len(text), times)),
    st.text('ab\\"\ud83d\ude00{}:', min_size=2, max_size=9),
    st.sampled_from([(1,), (4,)]),
    st.integers(1, 9),
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(examples, stretched))
def test_an_example_travels_as_json(example: ArgumentsExample) -> None:
    written = json.dumps(CAMPAIGN.to_json(example))
    assert CAMPAIGN.from_json(json.loads(written)) == example
    assert written.isascii()


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, "missing ['text', 'sizes']"),
        ({"text": "a", "sizes": [], "size": 1}, "unknown ['size']"),
        ({"text": 1, "sizes": []}, "under 'text', got 1"),
        ({"text": ["a", 1], "sizes": []}, "under 'text', got ['a', 1]"),
        ({"text": "a", "sizes": 3}, "under 'sizes', got 3"),
        ({"text": "a", "sizes": [1, -1]}, "under 'sizes', got [1, -1]"),
        ({"text": "a", "sizes": [True]}, "under 'sizes', got [True]"),
        ({"text": "a", "sizes": [0, 0]}, "not all 0"),
        ({"text": "a", "sizes": [], "stretch": 1}, "under 'stretch', got 1"),
        ({"text": "a", "sizes": [], "stretch": {"start": 0, "end": 2, "times": 1}}, "within the 1 characters"),
        ({"text": "a", "sizes": [], "stretch": {"start": 0, "end": 0, "times": 1}}, "at least one character"),
    ],
)
def test_any_other_document_is_refused(document: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as refused:
        CAMPAIGN.from_json(document)
    assert words in str(refused.value)


@settings(max_examples=60, deadline=None)
@given(st.one_of(examples, stretched))
def test_every_smaller_example_is_smaller(example: ArgumentsExample) -> None:
    before = measure(example)
    for smaller in islice(CAMPAIGN.smaller(example), 100):
        assert measure(smaller) < before
        assert smaller.deltas is not None, "it can be cut"


def test_shrinking_ends_at_nothing() -> None:
    example, steps = ArgumentsExample('{"content": "\\ud83d\\ude00 x", "path": ""}', (3, 0, 7)), 0
    while (smaller := next(CAMPAIGN.smaller(example), None)) is not None:
        example, steps = smaller, steps + 1
    assert example == ArgumentsExample("")
    assert steps < 10


@pytest.mark.parametrize(
    "target", ["nowhere", "harness.fuzz.arguments:nothing", "json:__doc__", "cmd:", "cmd:no-such-program"]
)
def test_a_target_that_cannot_be_had_is_bad_input(target: str) -> None:
    with pytest.raises(BadInput) as refused:
        CAMPAIGN.open(target)
    assert "show(deltas" in str(refused.value)


def test_falsified_names_an_oracle_of_the_campaign() -> None:
    parser = CAMPAIGN.open("harness_lab.gallery.arguments:trimmed")
    with pytest.raises(Falsified) as found:
        CAMPAIGN.check(ArgumentsExample('{"content": "a "}', (1,)), parser)
    assert found.value.oracle in CAMPAIGN.oracles
    assert (found.value.expected, found.value.got) == ("'a ' under 'content'", "'a'")
