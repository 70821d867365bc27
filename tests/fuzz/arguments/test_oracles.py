"""The oracles object to what is wrong and to nothing else: parsers that others have written are held against them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from harness.fuzz.arguments.campaign import CAMPAIGN
from harness.fuzz.arguments.document import document_of
from harness.fuzz.arguments.example import ArgumentsExample
from harness.fuzz.arguments.judging import evidently_right, judge, same
from harness.fuzz.arguments.subjects import Parser, ours
from harness.fuzz.arguments.work import work
from harness.fuzz.campaign import Falsified
from harness.fuzz.shrink import objection_to

WRAPPED = "tests.fuzz.arguments.wrapped"
HALF = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")


@pytest.fixture
def command() -> str:
    return f"cmd:{sys.executable} {Path(__file__).parent / 'wrapped.py'}"


def oracle(parser: Parser, text: str, *sizes: int) -> str | None:
    found = objection_to(ArgumentsExample(text, sizes), CAMPAIGN, parser)
    return None if found is None else found.oracle


def objection(text: str, deltas: Sequence[str], shown: Sequence[Any]) -> str | None:
    try:
        judge(document_of(text), deltas, shown)
    except Falsified as found:
        return found.oracle
    return None


def shown_each(text: str, *values: Mapping[str, Any] | None) -> str | None:
    """What is objected to if these are shown with its first characters, and the last of them from then on."""
    shown = list(values) + [values[-1]] * (len(text) - len(values))
    return objection(text, list(text), shown)


def test_jiter_is_wrong_about_lone_halves_only() -> None:
    """It refuses them, which is known; every other objection would be one of ours to nothing."""
    parser = CAMPAIGN.open(f"{WRAPPED}:reparsed")
    found = [(oracle(parser, each.text, *each.sizes), each.text) for each in list(CAMPAIGN.enumerated())[: -3 * 9 : 9]]
    wrong = {text for objected, text in found if objected is not None}
    assert {objected for objected, _ in found} == {None, "final"}
    assert {text for text in wrong if not HALF.search(text)} == set()


@settings(max_examples=150, deadline=None)
@given(CAMPAIGN.examples())
def test_what_is_evidently_right_is_right(example: ArgumentsExample) -> None:
    """The look that is enough for nearly every example agrees with the judgement that takes its time."""
    document, deltas = document_of(example.text), example.deltas
    shown = ours(deltas, document.words)
    assert objection(example.text, deltas, shown) is None
    for wrong in ({}, {"content": "a"}, {**shown[-1], "path": "q"}) if shown else ():
        changed = [*shown[:-1], wrong]
        assert objection(example.text, deltas, changed) is None or not evidently_right(document, changed)


def test_a_command_is_held_against_the_same(command: str) -> None:
    parser = CAMPAIGN.open(command)
    assert oracle(parser, '{"content": "\\u00e9 \\"", "note": [1]}', 1) is None
    assert oracle(parser, r'{"content": "\ud83d"}', 3) == "final"
    assert CAMPAIGN.check(next(each for each in CAMPAIGN.enumerated() if each.stretch), parser) == 0


def test_a_command_that_ends_has_raised() -> None:
    parser = CAMPAIGN.open(f"cmd:{sys.executable} -c 'input()'")
    assert oracle(parser, '{"content": "a"}') == "raises"


def test_one_dict_that_is_shown_again_and_again_is_seen_as_it_was() -> None:
    assert oracle(CAMPAIGN.open(f"{WRAPPED}:stateful"), '{"content": "ab"}', 1) is None
    assert oracle(CAMPAIGN.open(f"{WRAPPED}:all_at_once"), '{"content": "ab"}', 1) is None


@pytest.mark.parametrize("parser", ["silent", "twice_as_often"])
def test_one_answer_is_owed_for_each_delta(parser: str) -> None:
    assert oracle(CAMPAIGN.open(f"{WRAPPED}:{parser}"), '{"content": "ab"}', 4) == "answers"


TEXT = '{"content":"ab","path":"p"}'
DONE = {"content": "ab", "path": "p"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([{}, {"content": ""}, {"content": "a"}, DONE], None),
        ([{}, {"content": "a"}, {"content": ""}, DONE], "grows"),
        ([{}, {"content": "a"}, {}, DONE], "grows"),
        ([{}, {"content": "a"}, {"content": None}, DONE], "grows"),
        ([{}, {"content": "b"}, DONE], "prefix"),
        ([{}, {"content": 'ab","'}, DONE], "prefix"),
        ([{}, {"conte": ""}, DONE], "key"),
        ([{}, {"content": "\ud83d"}, DONE], "half"),
        ([{}, {"content": "a"}], "final"),
        ([{}, {"content": "ab", "path": 1}], "final"),
        ([{}, {1: "a"}, DONE], "answers"),
        ([{}, None, DONE], "answers"),
    ],
)
def test_what_is_shown_of_two_strings(values: list[Any], expected: str | None) -> None:
    assert shown_each(TEXT, *values) == expected


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ('{"content":"ab","content":"c"}', [{"content": "a"}, {}, {"content": "c"}], None),
        ('{"content":"ab","content":"c"}', [{"content": "c"}, {"content": "a"}, {"content": "c"}], "prefix"),
        ('{"content":"ab","content":3}', [{"content": "ab"}, {}], None),
        ('{"content":"ab","content":3}', [{"content": "ab"}], "final"),
        (r'{"content":"a\ud83d"}', [{"content": "a"}], None),
        (r'{"content":"a\ud83d"}', [{"content": "a\ufffd"}], None),
        (r'{"content":"a\ud83d"}', [{"content": "a\ud83d"}], "half"),
        (r'{"content":"a\ud83d"}', [{"content": ""}], "final"),
        (r'{"\ud83d":"a","\ude00":"b"}', [{"\ufffd": "b"}], None),
        ('{"note":"a"}', [{}], None),
        ('{"note":"a"}', [{"note": ""}, {}], "final"),
        ('{"note":"a"}', [{"note": "a"}, {}], "grows"),
        ('{"content":{"content":"a"}}', [{"content": "a"}], "prefix"),
        ('[{"content":"a"}]', [{"content": "a"}], "key"),
        ('"{\\"content\\":\\"a\\"}"', [{"content": "a"}], None),
        ("{'content':'a'}", [{"content": "a"}], None),
        ("{'content':'a'}", [{"content": "\ud83d"}], "half"),
        ('{"content":"a"} and more', [{"content": "a and"}], "prefix"),
        ('{"content":"a"} and more', [{"content": "a"}, {}], None),
        ('{"content":"a"} ', [{"content": "a"}, {}], "grows"),
        ('{"content":"a\nb"}', [{"content": "a\nb"}], None),
        ('{"content":"ab', [{"content": "ab"}], None),
        ('{"content":"ab', [{}], None),
        ('{"content":"ab', [{"content": "abc"}], "prefix"),
        ('{"content":"ab","pa', [{"content": 'ab","pa'}], "prefix"),
        ('{"content":"ab","a":12', [{"content": "ab", "a": 12}], None),
        ('{"a":NaN,"content":"x"}', [{}], None),
    ],
)
def test_what_is_shown_of_other_texts(text: str, values: list[Any], expected: str | None) -> None:
    """The values are shown with the last characters, and nothing before."""
    nothing: list[Any] = [{}] * (len(text) - len(values))
    assert objection(text, list(text), nothing + values) == expected


@pytest.mark.parametrize(
    ("said", "value", "expected"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (None, float("inf"), True),
        (None, 10**400, True),
        (None, 1, False),
        (9007199254740992, 9007199254740993, True),
        (["a\ufffd"], ["a\ud83d"], True),
        (["a"], ["a\ud83d"], True),
        (["a"], ["ab"], False),
        ({"a": [1]}, {"a": [1]}, True),
        ({"a": [1], "b": 2}, {"a": [1]}, False),
        ("😀", "\ud83d\ude00", True),
        ([], {}, False),
        ("1", 1, False),
    ],
)
def test_the_same_value_may_be_read_in_another_way(said: object, value: object, expected: bool) -> None:
    assert same(said, value) is expected


def test_the_step_counter_sees_what_is_read_again() -> None:
    quadratic, linear = CAMPAIGN.open("harness_lab.gallery.arguments:everything_again"), ours
    counts = {}
    for name, parser in (("quadratic", quadratic), ("linear", linear)):
        for times in (200, 400):
            deltas = ['{"content": "', *["ab"] * times, '"}']
            counts[name, times] = work(lambda: parser(deltas, ("content",)), lambda: 0)  # noqa: B023 - called at once
    assert counts["quadratic", 400] > 3 * counts["quadratic", 200]
    assert counts["linear", 400] < 2.1 * counts["linear", 200]
    assert counts["linear", 400] == work(
        lambda: linear(['{"content": "', *["ab"] * 400, '"}'], ("content",)), lambda: 0
    )
