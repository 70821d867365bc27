"""Scenarios in the words of one agent, and what its schemas demand in addition."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.scenario import AgentTool, Scenario, TurnStep, called_tools, in_words_of, load
from harness.scenario.agent_tools import text_of, with_nulls, words_in, words_of
from harness.scenario.expected_files import compare_files
from harness.scenario.model import FileExpect, ValueExpect
from tests.case_tables import from_table

HEAD = "scenario: mine\nprofile: coding-agent\nsummary: Small.\nprompt: Hello.\n"
TOOLS = {
    "shell": AgentTool("Bash", {"command": "$command", "description": "Runs it", "in": "$workdir"}),
    "read": AgentTool("Read", {"file_path": "$workdir/$path"}),
}


def loaded(folder: Path, text: str) -> Scenario:
    file = folder / "mine.yaml"
    file.write_text(HEAD + text, encoding="utf-8")
    return load([file])[0]


def calls(scenario: Scenario) -> list[tuple[str, str]]:
    steps = (step for step in scenario.steps if isinstance(step, TurnStep))
    return [(call.name, call.arguments) for step in steps for call in step.turn.calls]


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(BadInput) as raised:
        loaded(folder, text)
    return [each.removeprefix(f"{folder}/") for each in raised.value.problems]


def test_calls_and_expectations_are_in_the_words_of_the_agent(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "data" / "agent_tools_words.yaml").read_text(encoding="utf-8")
    scenario = in_words_of(loaded(tmp_path, text), TOOLS, "/work")
    assert [(name, json.loads(arguments)) for name, arguments in calls(scenario)] == [
        ("Read", {"file_path": "/work/a/b.txt"}),
        ("Bash", {"command": 'echo "$HOME"', "description": "Runs it", "in": "/work"}),
        ("teleport", {}),
    ]
    (ran,), (not_ran,), (result,) = scenario.expect.ran, scenario.expect.not_ran, scenario.expect.results
    assert (ran.tool, ran.arguments) == ("Read", {"file_path": "/work/a/b.txt"})
    assert (not_ran.tool, not_ran.arguments, result.tool) == ("Bash", None, "Bash")


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ('{"command": "touch x; ec', '{"command": "touch x; ec'),
        ('{"command": "say \\"a', '{"command": "say \\"a'),
        ('{"command": "ls"', '{"command": "ls'),
        ("{command", "{command"),
        ("{}", '{"description": "Runs it", "in": "/work"}'),
    ],
    ids=["in a text", "behind an escape", "behind a text", "no JSON at all", "without the argument"],
)
def test_arguments_break_off_at_the_same_place(tmp_path: Path, arguments: str, written: str) -> None:
    call = f"{{name: shell, arguments: {json.dumps(arguments)}, invalid: true}}"
    text = f"tools: [shell]\nmodel: [{{calls: [{call}]}}]\nexpect: {{outcome: completed}}\n"
    assert calls(in_words_of(loaded(tmp_path, text), TOOLS, "/work")) == [("Bash", written)]


def test_tools_that_are_called_are_those_of_the_script_and_of_sub_agents_that_must_begin(tmp_path: Path) -> None:
    text = """\
tools: [shell, read, search]
model: [{calls: [{shell: {command: ls}}]}]
side: [{says: title, model: [{calls: [{search: {pattern: x}}]}]}]
subagents: [{says: part, model: [{calls: [{read: {path: x}}]}]}]
expect: {outcome: completed}
"""
    assert called_tools(loaded(tmp_path, text)) == {"shell", "read"}


def test_words_are_replaced_once_and_only_those_that_are_known() -> None:
    assert text_of("$a ${b}c $d $A", {"a": "$b", "b": 1}) == "$b 1c $d $A"
    assert words_of({"n": ["$b", "x$b"]}, {"b": True}) == {"n": [True, "xtrue"]}
    assert list(words_in({"n": ["$b ${c}", 1]})) == ["b", "c"]


def test_what_is_required_and_may_be_null_is_null() -> None:
    number, null = {"type": "number"}, {"type": "null"}
    properties = {"a": number, "b": {"anyOf": [number, null]}, "c": {"type": ["string", "null"]}, "d": null}
    schema = {"properties": properties, "required": ["a", "b", "c"]}
    assert json.loads(with_nulls('{"c": "x"}', schema)) == {"c": "x", "b": None}
    assert with_nulls('{"c": ', schema) == '{"c": '
    assert with_nulls("{}", {"type": "object"}) == "{}"


@from_table(__file__, "test_what_an_agent_cannot_be_asked")
def test_what_an_agent_cannot_be_asked(tmp_path: Path, text: str, problem: str) -> None:
    model = "model: [{calls: [{shell: {command: ls}}]}]\n" if "shell" in text else "model: [{text: Hi.}]\n"
    found = problems(tmp_path, f"{text}{model}expect: {{outcome: completed}}\n")
    assert any(each.startswith(problem) or problem in each for each in found), found


@from_table(__file__, "test_what_only_an_agent_has")
def test_what_only_an_agent_has(tmp_path: Path, old: str, new: str, problem: str) -> None:
    text = HEAD.replace("coding-agent", "universal") + "model: [{text: Hi.}]\nexpect: {outcome: completed}\n"
    file = tmp_path / "mine.yaml"
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        load([file])
    assert any(problem in each for each in raised.value.problems), raised.value.problems


def test_an_agent_brings_its_own_system_prompt(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    prompt = HEAD.replace("prompt: Hello.", "prompt: [{system: Be brief.}, {user: Hello.}]")
    file.write_text(f"{prompt}model: [{{text: Hi.}}]\nexpect: {{outcome: completed}}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="expected 'user' only"):
        load([file])


@pytest.mark.parametrize(
    ("expected", "found", "words"),
    [
        (FileExpect("a", absent=True), {}, []),
        (FileExpect("a", absent=True), {"a": "x"}, ["no file a"]),
        (FileExpect("a", value=ValueExpect(equals=("x",))), {"a": "x"}, []),
        (FileExpect("a", value=ValueExpect(equals=("",))), {}, ["a with the text ''"]),
        (FileExpect("a", value=ValueExpect(contains=("x", "y"))), {"a": "x"}, ["a with 'y' in it"]),
        (FileExpect("a", value=ValueExpect(lacks=("x",))), {"a": "x"}, ["a without 'x' in it"]),
        (FileExpect("a", value=ValueExpect(lacks=("x",))), {}, ["a without 'x' in it"]),
    ],
)
def test_files_are_compared(expected: FileExpect, found: dict[str, str], words: list[str]) -> None:
    findings = compare_files([expected], found)
    assert [each.expected for each in findings] == words
    assert all(each.rule == "expect/files" for each in findings)
