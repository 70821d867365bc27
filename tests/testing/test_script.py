"""Turns of a test are those of scenario files: whatever is shipped as one is the same as the other."""

from __future__ import annotations

from typing import Any

import pytest

from harness.endpoint import ModelRequest
from harness.scenario import Scenario, TurnStep, shipped
from harness.scenario.documents import read
from harness.testing.script import Script
from harness.wire import Conversation, ToolDeclaration
from tests.scenarios import shipped_scenarios

SCENARIOS = {
    scenario.name: scenario
    for scenario in shipped_scenarios()
    if scenario.stream or not any(isinstance(step, TurnStep) and step.native for step in scenario.steps)
}
"""All but those with whole documents in a provider's own words: a test has no place to say that it means no stream."""


def played(script: Script, tools: tuple[ToolDeclaration, ...]) -> list[Any]:
    conversation = Conversation(wire="openai-chat", model="", stream=True, messages=(), tools=tools)
    question = ModelRequest("POST", "", {}, b"", conversation)
    return [script.next(question) for _ in range(len(script))]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_a_shipped_script_is_played_step_by_step_and_fits_its_tools(scenario: Scenario) -> None:
    turns = read(scenario.path, shipped()).data["model"]
    script = Script(scenario.wires[0], turns)
    assert not script.complete
    assert played(script, tuple(tool.declaration for tool in scenario.tools)) == list(scenario.steps)
    assert script.complete
    assert played(script, ())[0] is None
    skills = {"activate_skill"}  # a tool that a loop adds by itself
    assert [each for each in script.misfits if not skills.intersection(each.got.split())] == []


def test_without_its_tools_every_call_is_a_misfit() -> None:
    scenario = SCENARIOS["parallel-calls"]
    script = Script("openai-chat", read(scenario.path, shipped()).data["model"])
    played(script, ())
    assert {each.expected for each in script.misfits} == {"a tool that the request offers: none"}
    assert [each.request for each in script.misfits] == [0, 0, 0, 0]


def test_a_schema_of_another_dialect_is_not_held_against_a_call() -> None:
    script = Script("openai-chat", [{"calls": [{"weather": {"city": 5}}]}])
    played(script, (ToolDeclaration("weather", "", {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}}),))
    assert script.misfits == []


def test_a_wire_that_offers_tools_in_words_says_nothing_of_them() -> None:
    script = Script("text-tags", [{"calls": [{"weather": {}}]}])
    played(script, ())
    assert script.misfits == []


def test_a_member_of_a_result_stands_for_an_argument_of_any_type() -> None:
    turns = [{"calls": [{"look": {}}]}, {"calls": [{"count": {"to": "{{result.1.n}}"}}, {"count": {"to": "n"}}]}]
    script = Script("openai-chat", turns)
    number = {"type": "object", "properties": {"to": {"type": "integer"}}}
    tools = (ToolDeclaration("look", "", {"type": "object"}), ToolDeclaration("count", "", number))
    first, second = played(script, tools)
    assert (first.uses_results, second.uses_results) == (False, True)
    assert [each.got for each in script.misfits] == ["to: 'n' is no integer"]
