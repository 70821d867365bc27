"""What the keys of the profiles stand for: kinds of tools, calls that wait, skills, callers, what requests must say.

The wrong forms are in ``test_bad_files``.
"""

# ruff: noqa: E501 - the cases are a table, one a line
from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.scenario import (
    PROFILES,
    CallerAction,
    EditedTurn,
    EditToolResponse,
    GenerateToolResponse,
    PushMessages,
    Resolve,
    Round,
    Scenario,
    SetMessages,
    SetParams,
)
from harness.scenario.model import SentExpect
from harness.scenario.tools import CANONICAL
from harness.wire.text_tags.prompt import Skill
from tests.scenario.files import loaded
from tests.scenarios import shipped_scenarios

WAITING = (Path(__file__).parent / "data" / "policy_keys_waiting.yaml").read_text(encoding="utf-8")

CALLER = (Path(__file__).parent / "data" / "policy_keys_caller.yaml").read_text(encoding="utf-8")


def test_without_the_keys_a_tool_is_a_function_and_nobody_resolves_or_calls(tmp_path: Path) -> None:
    text = WAITING.replace("resolve: RESOLVE\n", "").replace(", extra: It is bright., finishes_after: create_file", "")
    scenario = loaded(tmp_path, text)
    create, look, *_ = scenario.tools
    assert create.declaration is CANONICAL["create_file"]
    assert (create.kind, create.extra, create.finishes_after) == ("function", "", None)
    assert (look.kind, look.extra, look.finishes_after) == ("function", "", None)
    assert (scenario.resolve, scenario.caller, scenario.skills, scenario.expect.sent) == ((), {}, {}, ())


def test_what_a_tool_says_of_itself(tmp_path: Path) -> None:
    _, look, ask, drop, done = loaded(tmp_path, WAITING.replace("RESOLVE", "[ask: {supply: 5}]")).tools
    assert (look.kind, look.returns, look.extra, look.finishes_after) == (
        "function",
        [1],
        "It is bright.",
        "create_file",
    )
    assert (ask.kind, ask.returns, ask.raises) == ("external", None, None)
    assert (drop.kind, drop.returns, drop.raises) == ("unapproved", None, "stuck")
    assert (done.kind, done.returns, done.raises) == ("output", None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[drop: approve]", ({"drop": Resolve("approve")},)),
        ("[drop: {deny: Keep it.}]", ({"drop": Resolve("deny", "Keep it.")},)),
        ("[ask: {supply: blue}]", ({"ask": Resolve("supply", "blue")},)),
        ("[ask: {supply: null}]", ({"ask": Resolve("supply", None)},)),
        ("[ask: {supply: {a: [1, {b: false}]}}]", ({"ask": Resolve("supply", {"a": [1, {"b": False}]})},)),
        ("[ask: {supply: no}]", ({"ask": Resolve("supply", "no")},)),
        ("[ask: {fail: It broke.}]", ({"ask": Resolve("fail", "It broke.")},)),
        ("[ask: {deny: No.}]", ({"ask": Resolve("deny", "No.")},)),
        ("[drop: [approve]]", ({"drop": (Resolve("approve"),)},)),
        ("[drop: [approve, {deny: a}, approve]]", ({"drop": (Resolve("approve"), Resolve("deny", "a"), Resolve("approve"))},)),
        ("[{drop: approve, ask: {supply: 1}}]", ({"drop": Resolve("approve"), "ask": Resolve("supply", 1)},)),
        ("[drop: approve, ask: {supply: 1}, drop: {deny: a}]",
         ({"drop": Resolve("approve")}, {"ask": Resolve("supply", 1)}, {"drop": Resolve("deny", "a")})),
    ],
)  # fmt: skip
def test_what_becomes_of_calls_that_wait(tmp_path: Path, text: str, expected: tuple[Round, ...]) -> None:
    assert loaded(tmp_path, WAITING.replace("RESOLVE", text)).resolve == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[{after: 1, do: [generate_tool_response]}]", {1: (GenerateToolResponse(),)}),
        ("[{after: 2, do: [push_messages: [turn, response, history]]}]", {2: (PushMessages(("turn", "response", "history")),)}),
        ("[{after: 1, do: [push_messages: [{user: a}, {assistant: b}, {system: c}]]}]",
         {1: (PushMessages((("user", "a"), ("assistant", "b"), ("system", "c"))),)}),
        ("[{after: 1, do: [set_messages: [history, turn, {user: a}]]}]", {1: (SetMessages(("history", "turn", ("user", "a"))),)}),
        ("[{after: 1, do: [push_messages: [{turn: {old: a, new: b}}, response]]}]",
         {1: (PushMessages((EditedTurn("a", "b"), "response")),)}),
        ("[{after: 1, do: [set_params: {max_tokens: 512, stop: [a]}]}]", {1: (SetParams({"max_tokens": 512, "stop": ["a"]}),)}),
        ("[{after: 1, do: [edit_tool_response: {old: a, new: ''}]}]", {1: (EditToolResponse("a", ""),)}),
        ("[{after: 3, do: [generate_tool_response, set_params: {a: 1}]}, {after: 1, do: [push_messages: [turn]]}]",
         {3: (GenerateToolResponse(), SetParams({"a": 1})), 1: (PushMessages(("turn",)),)}),
    ],
)  # fmt: skip
def test_what_a_caller_does(tmp_path: Path, text: str, expected: dict[int, tuple[CallerAction, ...]]) -> None:
    assert loaded(tmp_path, CALLER.replace("CALLER", text)).caller == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{request: 1}", SentExpect(1)),
        ("{request: 2, contains: a}", SentExpect(2, ("a",))),
        ("{request: 2, contains: [a, b], lacks: c}", SentExpect(2, ("a", "b"), ("c",))),
        ("{request: 12, lacks: [a, b]}", SentExpect(12, lacks=("a", "b"))),
    ],
)
def test_what_a_request_must_say(tmp_path: Path, text: str, expected: SentExpect) -> None:
    scenario = loaded(
        tmp_path, WAITING.replace("RESOLVE", "[drop: approve]").replace("completed", f"completed, sent: [{text}]")
    )
    assert scenario.expect.sent == (expected,)


def test_skills_have_a_description_and_instructions(tmp_path: Path) -> None:
    skills = "wires: [text-tags]\nskills:\n  bake: {description: Bread., instructions: Knead.}\nmodel"
    text = (
        WAITING.replace("pydantic-ai", "hugind").split("tools:")[0]
        + "model: [text: Hi.]\nexpect: {outcome: completed}\n"
    )
    assert loaded(tmp_path, text.replace("model", skills, 1)).skills == {"bake": Skill("Bread.", "Knead.")}


# --- the scenarios that come with the harness ---------------------------------------------------------------

SHIPPED = [scenario for scenario in shipped_scenarios() if scenario.profile == "pydantic-ai"]


def test_the_shipped_scenarios_of_the_profile_use_every_form_of_its_keys() -> None:
    tools = [tool for scenario in SHIPPED for tool in scenario.tools]
    assert {tool.kind for tool in tools} == {"function", "output", "external", "unapproved"}
    assert any(tool.extra for tool in tools)
    assert any(tool.finishes_after for tool in tools)
    words = [word for scenario in SHIPPED for each in scenario.resolve for word in each.values()]
    hows = {each.how for word in words for each in (word if isinstance(word, tuple) else (word,))}
    assert hows == {"approve", "deny", "supply", "fail"}
    assert {type(word) for word in words} == {Resolve, tuple}


@pytest.mark.parametrize("scenario", SHIPPED, ids=lambda scenario: scenario.name)
def test_a_shipped_scenario_of_the_profile_says_all_that_is_told_and_asked(scenario: Scenario) -> None:
    """An expectation that leaves room would let a loop through that does something else."""
    expect = scenario.expect
    assert scenario.profile in PROFILES
    assert None not in (expect.turns, expect.requests, expect.events)
    assert (expect.error is not None) == (expect.outcome in (("failed",), ("turn-limit",)))


def test_a_resilient_loop_has_an_output_and_nothing_that_waits(tmp_path: Path) -> None:
    tool = "  - {name: done, description: Be done., parameters: {type: object}, kind: KIND}\n"
    head, tail = WAITING.replace("pydantic-ai", "resilient").split("tools:")[0] + "tools:\n", "model: [text: Hi.]\n"
    text = head + tool + tail + "expect: {outcome: completed}\n"
    assert loaded(tmp_path, text.replace("KIND", "output")).tools[0].kind == "output"
    with pytest.raises(BadInput, match="'kind: output' with profile 'resilient'"):
        loaded(tmp_path, text.replace("KIND", "external"))
