"""Timelines of scenario files: every moment that can be named, and what is told of one that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.scenario import CallerAct, NextRun, Resolve, When
from tests.scenario.files import HEAD, loaded, problems

FILE = f"""\
{HEAD}WIRESprompt: Hello.
tools: [create_file]
timeline:
  - ENTRY
model:
  - thinking: Hm, well.
    text: I will.
    calls:
      - create_file: {{path: index.html, content: <p>}}
  - text: Done.
expect:
  outcome: completed
"""


def written(entry: str, wires: str = "") -> str:
    return FILE.replace("ENTRY", entry).replace("WIRES", f"wires: {wires}\n" if wires else "")


@pytest.mark.parametrize(
    ("when", "moment", "words"),
    [
        ("{turn: 1, call: 1}", When(turn=1, call=1), "call 1 of turn 1 has begun"),
        ("{turn: 1, call: 1, ended: true}", When(turn=1, call=1, ended=True), "call 1 of turn 1 has ended"),
        (
            "{turn: 1, call: 1, characters: 9}",
            When(turn=1, call=1, characters=9),
            "9 characters of call 1 of turn 1 have arrived",
        ),
        ("{turn: 2, characters: 5}", When(turn=2, characters=5), "5 characters of turn 2 have arrived"),
        ("{turn: 1, thinking: 9}", When(turn=1, thinking=9), "9 characters of the thinking of turn 1 have arrived"),
        ("{request: 2}", When(request=2), "request 2 has arrived"),
    ],
)
def test_a_moment_is_named_by_its_cause(tmp_path: Path, when: str, moment: When, words: str) -> None:
    scenario = loaded(tmp_path, written(f"{{when: {when}, do: cancel}}", "[openai-chat]"))
    assert scenario.acts == (CallerAct(moment, "cancel"),)
    assert str(moment) == words


def test_a_message_and_another_run(tmp_path: Path) -> None:
    assert loaded(tmp_path, written("{when: {request: 1}, do: {say: Quick.}}")).acts == (
        CallerAct(When(request=1), "say", "Quick."),
    )
    entry = "{when: end, do: {say: More., resume: true, model: gpt-5.2, wire: openai-responses}}"
    scenario = loaded(tmp_path, written(entry, "[openai-chat]"))
    assert scenario.runs == (NextRun("More.", resumed=True, model="gpt-5.2", wire="openai-responses"),)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("{when: {turn: 3, characters: 1}, do: cancel}", "expected at most 2, as the model has turns, got 3"),
        ("{when: {turn: 1, call: 2}, do: cancel}", "expected at most 1, as turn 1 has calls, got 2"),
        ("{when: {turn: 2, characters: 6}, do: cancel}", "expected at most 5, as the text has characters, got 6"),
        ("{when: {turn: 1, thinking: 10}, do: cancel}", "expected at most 9, as the thinking has characters, got 10"),
        ("{when: {request: 3}, do: cancel}", "expected at most 2, as the model has answers, got 3"),
        ("{when: {turn: 1}, do: cancel}", "expected a moment of a run, got turn"),
        ("{when: {turn: 1, thinking: 1, characters: 1}, do: cancel}", "got characters, thinking, turn"),
        ("{when: end, do: cancel}", "expected a message of the user, got 'cancel'"),
        ("{when: {request: 1}, do: {say: Hi., resume: true}}", "expected 'resume' only with 'when: end'"),
        ("{when: end, do: {say: Hi., model: other}}", "expected one wire, from which the run switches"),
        ("{when: end, do: {resume: true}}", "say"),
        ("{when: end, do: {say: Hi., resolve: {create_file: approve}}}", "say"),
        ("{when: end, do: {resolve: {create_file: approve}}}", "expected a tool of kind 'external' or 'unapproved'"),
        ("{when: {request: 1}, do: {resolve: {create_file: approve}}}", "expected 'resolve' only with 'when: end'"),
        (
            "{when: {turn: 1, call: 1, characters: 9}, do: cancel}",
            "expected wires on which arguments come piece by piece, got gemini-generate among them",
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_place(tmp_path: Path, entry: str, told: str) -> None:
    (problem,) = problems(tmp_path, written(entry))
    assert problem.startswith("a.yaml:7:")
    assert told in problem


def test_no_more_of_the_arguments_can_have_arrived_than_there_are(tmp_path: Path) -> None:
    entry = "{when: {turn: 1, call: 1, characters: 99}, do: cancel}"
    (problem,) = problems(tmp_path, written(entry, "[openai-chat]"))
    assert "expected at most 40, as the arguments have characters, got 99" in problem


WAITS = FILE.replace(
    "[create_file]", "[{name: drop, description: Drops., parameters: {type: object}, kind: unapproved, returns: 1}]"
).replace("create_file", "drop")


def test_a_run_may_begin_with_what_becomes_of_calls_that_wait(tmp_path: Path) -> None:
    entry = "{when: end, do: {resolve: {drop: [approve, {deny: No.}]}, resume: true}}"
    scenario = loaded(tmp_path, WAITS.replace("WIRES", "").replace("ENTRY", entry))
    resolved = {"drop": (Resolve("approve"), Resolve("deny", "No."))}
    assert scenario.runs == (NextRun("", resumed=True, resolves=resolved),)
    assert [tool.kind for tool in scenario.tools] == ["unapproved"]


@pytest.mark.parametrize("beside", ["compact: true", "wire: openai-chat", "model: gpt-5.2"])
def test_what_becomes_of_waiting_calls_is_decided_where_they_wait(tmp_path: Path, beside: str) -> None:
    entry = f"{{when: end, do: {{resolve: {{drop: approve}}, {beside}}}}}"
    (problem,) = problems(tmp_path, WAITS.replace("WIRES", "wires: [openai-chat]\n").replace("ENTRY", entry))
    assert f"expected '{beside.partition(':')[0]}' only beside 'say', got 'resolve'" in problem


def test_without_a_timeline_nobody_could_approve(tmp_path: Path) -> None:
    head, _, rest = WAITS.replace("WIRES", "").partition("timeline:\n  - ENTRY\n")
    (problem,) = problems(tmp_path, head + rest)
    assert "expected 'kind' only with profile 'pydantic-ai', or 'kind: unapproved' with a timeline" in problem


def test_a_loop_that_compacts_by_itself_has_several_runs(tmp_path: Path) -> None:
    text = written("{when: {request: 1}, do: cancel}").replace("profile: universal", "profile: resilient")
    assert loaded(tmp_path, text).profile == "resilient"


def test_other_profiles_have_callers_of_their_own(tmp_path: Path) -> None:
    text = written("{when: {request: 1}, do: cancel}").replace("profile: universal", "profile: hugind")
    assert any("'timeline' only with profile 'universal'" in each for each in problems(tmp_path, text))
