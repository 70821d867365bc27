"""The judge of the loop: which cases it has, in which order."""

from __future__ import annotations

import pytest

from harness.errors import HarnessError
from harness.loop.sessions import with_session
from harness_lab.mutation.by_cases import TARGETS, Cases
from harness_lab.mutation.judging import Fault, Some


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


POLICIES = [target for target in TARGETS if ":" in target]


def test_a_case_judges_once_on_sdks_or_without_and_once_more_by_each_other_policy(judge: Cases) -> None:
    case = "cancelled-while-tools-run.openai-chat.event"
    policies = [f"{target} {case}" for target in POLICIES]
    items = [f"reference {case}", f"wire-only {case}", *policies]
    assert judge.chosen(items, "") == [items[0], *policies]
    assert judge.chosen(items[1:], "") == items[1:]


@pytest.mark.parametrize("target", POLICIES)
def test_what_callers_do_is_judged_by_the_other_policies_too_and_nothing_else(judge: Cases, target: str) -> None:
    planned = judge._planned(target).values()
    assert {item.scenario.suite for item in planned} == {"situations"}


def test_what_is_about_websockets_is_judged_over_them(judge: Cases) -> None:
    items = [item for item in judge.items() if item.startswith("reference+websocket ")]
    planned = judge._planned("reference+websocket").values()
    assert {item.case.transport for item in planned} == {"websocket"}
    assert {item.scenario.suite for item in planned if not item.scenario.transport} == {"robustness"}
    found: list[Fault | None] = []
    judge.run(items[:1], lambda _, fault: found.append(fault))
    assert found == [None]


def test_some_items_are_the_first(judge: Cases) -> None:
    assert list(Some(judge, 5).items()) == list(judge.items())[:5]


def test_a_loop_that_speaks_a_wire_no_more_is_found(judge: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases are planned before the mistake is made: the command would have none on the wire."""
    judge.run(["reference answer.openai-chat.event"], lambda *_: None)
    monkeypatch.setattr(with_session, "__code__", (lambda: frozenset({"openai-responses"})).__code__)
    with pytest.raises(HarnessError, match="reference has no cases on openai-chat"):
        judge.run(["reference answer.openai-chat.event"], lambda *_: None)
