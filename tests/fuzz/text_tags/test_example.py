"""Examples in files, and examples made smaller."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings

from harness.fuzz.campaign import Campaign, Falsified
from harness.fuzz.shrink import shrunk
from harness.fuzz.strategies.text_tags import in_units
from harness.fuzz.text_tags.campaign import CAMPAIGN
from harness.fuzz.text_tags.example import ArrivingText, arriving
from harness.fuzz.text_tags.features import FEATURES
from harness.fuzz.text_tags.shrinking import measure, smaller


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({}, "expected a list of texts under 'deltas', got None"),
        ({"deltas": "a"}, "expected a list of texts under 'deltas', got 'a'"),
        ({"deltas": ["a", 1]}, "got one with 1 in it"),
        ({"deltas": [], "times": 0}, "expected a number of repetitions under 'times', 1 or more, got 0"),
        ({"deltas": [], "times": True}, "got True"),
        ({"deltas": [], "text": ""}, "expected the members 'deltas' and 'times', got 'text'"),
    ],
)
def test_what_is_no_example_is_told(document: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        CAMPAIGN.from_json(document)


def test_a_long_text_repeats_what_stands_behind_its_first_delta() -> None:
    example = arriving(["a", "b", "c"], 3)
    assert example.repeated(2) == ("a", "b", "c", "b", "c")
    assert example.text == "abcbcbc"


def test_halves_that_come_apart_stay_apart_in_the_deltas_and_meet_in_the_text() -> None:
    assert in_units("a😀b", (2,)) == ["a\ud83d", "\ude00b"]
    assert arriving(in_units("a😀b", (2,))).text == "a😀b"
    assert arriving(["a\ud83d\ude00"]).deltas == ("a😀",)


@given(CAMPAIGN.examples())
@settings(max_examples=30, deadline=None)
def test_whatever_is_smaller_is_smaller_so_shrinking_ends(example: ArrivingText) -> None:
    for less in islice(smaller(example), 200):
        assert measure(less) < measure(example)
        assert CAMPAIGN.from_json(CAMPAIGN.to_json(less)) == less


def contains(*wanted: str, deltas: int) -> Campaign[ArrivingText, Any]:
    """A campaign that objects to all texts that have these pieces and that come in so many deltas."""

    def check(example: ArrivingText, _: object) -> int:
        if all(each in example.text for each in wanted) and len(example.deltas) >= deltas:
            raise Falsified("raises", "nothing", "something")
        return 1

    return replace(CAMPAIGN, check=check)


@pytest.mark.parametrize(
    ("wanted", "deltas", "left"),
    [
        (["x"], 1, ["x"]),
        (["<think>"], 1, ["<think>"]),
        (["</tool_call>", "é"], 1, ["</tool_call>é"]),
        (["\n"], 3, ["a", "a", "\n"]),
        (["<tool_call>call:a{}</tool_call>"], 1, ["<tool_call>call:a{}</tool_call>"]),
    ],
)
def test_what_matters_is_left(wanted: list[str], deltas: int, left: list[str]) -> None:
    text = 'Hé 😀\n<think>xx</think> <tool_call>{"name":"read","args":{"path":"x.py"}}</tool_call>é\n'
    campaign = contains(*wanted, deltas=deltas)
    start = arriving(in_units(text, (5,)))
    objection = Falsified("raises", "nothing", "something")
    example, _ = shrunk(campaign, None, start, objection)
    assert list(example.deltas) == left


def test_the_names_of_features_and_oracles_differ() -> None:
    assert len(set(FEATURES)) == len(FEATURES)
    assert all(sentence.endswith((".", ".)")) for sentence in CAMPAIGN.oracles.values())
