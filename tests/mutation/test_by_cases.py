"""The judge of the loop: which cases it has, in which order."""

from __future__ import annotations

import pytest

from harness_lab.mutation.by_cases import TARGETS, Cases
from harness_lab.mutation.judging import Some


@pytest.fixture(scope="module")
def judge() -> Cases:
    judge = Cases()
    judge.preload()
    return judge


def scenarios(items: list[str], target: str) -> list[str]:
    """The scenarios of the items of a loop, once for each case."""
    named = [item.partition(" ") for item in items]
    return [case.partition(".")[0] for loop, _, case in named if loop == target]


def test_each_scenario_comes_once_on_each_loop_before_any_comes_again(judge: Cases) -> None:
    items = list(judge.items())
    first = items[: sum(len(set(scenarios(items, target))) for target in TARGETS)]
    for target in TARGETS:
        assert sorted(scenarios(first, target)) == sorted(set(scenarios(items, target)))


def test_a_case_judges_once_on_sdks_or_without_and_once_more_by_the_policy_that_runs_in_parallel(judge: Cases) -> None:
    case = "cancelled-while-tools-run.openai-chat.event"
    items = [f"{target} {case}" for target in TARGETS]
    assert judge.chosen(items, "") == [items[0], items[2]]
    assert judge.chosen(items[1:], "") == items[1:]


def test_what_callers_do_is_judged_in_parallel_too_and_nothing_else(judge: Cases) -> None:
    planned = judge._planned("reference:pydantic-ai").values()
    assert {item.scenario.suite for item in planned} == {"situations"}


def test_some_items_are_the_first(judge: Cases) -> None:
    assert list(Some(judge, 5).items()) == list(judge.items())[:5]
