"""Every case is in one suite; which one says what a loop is held to that has promised nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
import yaml

from harness.scenario import PROFILES, SUITES, Scenario, Suite, outline, shipped, suite_of
from harness.wire import WireName
from tests.scenarios import shipped_scenarios

SCENARIOS = shipped_scenarios()
UNIVERSAL = {scenario.name: scenario for scenario in SCENARIOS if scenario.profile == "universal"}


def test_the_suites_have_words() -> None:
    assert set(SUITES) == set(get_args(Suite))
    assert not set(SUITES) & set(PROFILES)


@pytest.mark.slow
def test_every_shipped_scenario_of_the_universal_profile_says_its_suite() -> None:
    silent = [
        scenario.name
        for scenario in UNIVERSAL.values()
        if "suite" not in yaml.safe_load(scenario.path.read_text(encoding="utf-8"))
    ]
    assert silent == []


def test_no_suite_is_empty_and_core_is_on_every_native_wire() -> None:
    suites = {(suite_of(scenario, wire), wire) for scenario in UNIVERSAL.values() for wire in scenario.wires}
    assert {suite for suite, _ in suites} == set(SUITES)
    assert {wire for suite, wire in suites if suite == "core"} == {
        "openai-responses",
        "openai-chat",
        "anthropic-messages",
        "gemini-generate",
        "bedrock-converse",
        "gemini-interactions",
    }


def test_core_has_no_broken_stream_and_nothing_that_must_be_sent_again() -> None:
    core = [scenario for scenario in UNIVERSAL.values() if scenario.suite == "core"]
    steps = [step for scenario in core for step in scenario.steps]
    assert len(core) > 30
    assert not [step for step in steps if getattr(step, "cut", None) is not None]
    assert not [
        step for step in steps if getattr(step, "status", 0) in (408, 409, 429) or getattr(step, "status", 0) > 499
    ]
    turns = [step.turn for step in steps if hasattr(step, "turn")]
    assert {turn.ending for turn in turns} == {"complete"}
    assert not [turn for turn in turns if turn.error is not None]


@pytest.mark.parametrize(
    ("scenario", "wire", "suite"),
    [
        (UNIVERSAL["answer"], "openai-chat", "core"),
        (UNIVERSAL["answer"], "text-tags", "dialects"),
        (UNIVERSAL["thinking-before-text"], "openai-chat", "dialects"),
        (UNIVERSAL["thinking-before-text"], "openai-responses", "core"),
        (UNIVERSAL["thinking-on-chat"], "openai-chat", "core"),
        (UNIVERSAL["connection-cut"], "openai-chat", "robustness"),
        (UNIVERSAL["connection-cut"], "text-tags", "dialects"),
        (replace(UNIVERSAL["answer"], profile="hugind"), "text-tags", "hugind"),
        (replace(UNIVERSAL["thinking-before-text"], profile="tool-runner"), "openai-chat", "tool-runner"),
    ],
)
def test_what_no_official_provider_sends_is_a_dialect(scenario: Scenario, wire: WireName, suite: str) -> None:
    assert suite_of(scenario, wire) == suite


def test_a_list_has_the_suite_that_the_file_says() -> None:
    listed = {each.name: each.suite for each in outline([shipped()])}
    expected = {each.name: each.suite if each.profile == "universal" else each.profile for each in SCENARIOS}
    assert listed == expected
