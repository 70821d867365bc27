"""``--suite``: what its values name, what is usual for which loop, and which cases are left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.opening import examined, open_target
from harness.runner.plan import plan
from harness.runner.suites import ALL, NAMES, in_suites, named, usual
from harness.scenario import PROFILES
from harness.targets import Declaration
from harness.targets.declaration import EVERY_CAPABILITY
from harness.targets.function import FunctionTarget
from tests.scenarios import shipped_scenarios

SCENARIOS = shipped_scenarios("universal", "tool_runner")
MINE = FunctionTarget("mine", "my_agent:run", Declaration(frozenset({"openai-chat"})))


def test_every_profile_but_the_universal_one_is_a_suite() -> None:
    assert set(NAMES) == {"core", "robustness", "situations", "dialects"} | set(PROFILES) - {"universal"}


@pytest.mark.parametrize(
    ("words", "suites"),
    [
        (["core"], {"core"}),
        (["core,robustness"], {"core", "robustness"}),
        (["core", "hugind, dialects"], {"core", "hugind", "dialects"}),
        (["all"], ALL),
        (["core,all"], ALL),
    ],
)
def test_suites_are_named_one_by_one_or_together(words: list[str], suites: frozenset[str]) -> None:
    assert named(words) == suites


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("robust", "--suite 'robust' is unknown; did you mean 'robustness'? Known: all, core, robustness, situations,"),
        ("universal", "--suite 'universal' is unknown. Known: all, core,"),
        ("core,", "--suite '' is unknown. Known: all, core,"),
    ],
)
def test_an_unknown_suite_is_refused_with_the_known_ones(word: str, problem: str) -> None:
    with pytest.raises(BadInput) as refused:
        named([word])
    assert str(refused.value).startswith(problem)


@pytest.mark.parametrize(
    "target",
    ["reference", "reference:hugind", "wire-only", "mutant:event-after-final", "pydantic-ai", "anthropic-runner"],
)
def test_the_loops_that_the_harness_knows_run_everything(target: str) -> None:
    assert usual(examined(target)) == ALL


def test_any_other_loop_runs_core_and_the_profiles_that_it_declares() -> None:
    assert usual(MINE) == {"core"}
    declared = replace(MINE.declaration, profiles=frozenset({"universal", "tool-runner"}))
    assert usual(replace(MINE, declaration=declared)) == {"core", "tool-runner"}
    assert usual(open_target("cmd:true", Endpoints())) == {"core"}


def test_cases_are_selected_by_their_suite() -> None:
    planned = plan(SCENARIOS, target=MINE)
    core = {item.case.scenario for item in in_suites(planned, frozenset({"core"}))}
    assert {"answer", "tool-returns", "truncated-call"} < core
    assert not core & {"connection-cut", "thinking-before-text", "one-id-for-two-calls"}
    assert in_suites(planned, ALL) == planned


def test_where_no_case_is_left_both_sides_are_named() -> None:
    planned = plan(SCENARIOS, target=MINE, expression="connection-cut or thinking-before")
    expected = "no case is left of 4: expected cases of core, hugind, got cases of robustness, dialects; choose other"
    with pytest.raises(BadInput, match=expected):
        in_suites(planned, frozenset({"core", "hugind"}))


def test_a_case_says_what_the_loop_has_promised() -> None:
    (mine, *_) = plan(SCENARIOS, target=MINE)
    assert mine.case.capabilities == ("non-streaming", "parallel", "streaming", "thinking")
    assert mine.case.promises("streaming")
    assert not mine.case.promises("outcomes")
    able = replace(MINE, declaration=replace(MINE.declaration, capabilities=EVERY_CAPABILITY))
    (everything, *_) = plan(SCENARIOS, target=able)
    assert all(everything.case.promises(capability) for capability in EVERY_CAPABILITY)
    (ours, *_) = plan(SCENARIOS, target=open_target("wire-only", Endpoints()))
    assert ours.case.capabilities is None
