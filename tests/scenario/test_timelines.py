"""Timelines of scenario files: every moment that can be named, and what is told of one that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.scenario import CallerAct, NextRun, Resolve, When
from tests.case_tables import from_table
from tests.scenario.files import loaded, problems

FILE = (Path(__file__).parent / "data" / "timelines_file.yaml").read_text(encoding="utf-8")


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


@from_table(__file__, "test_what_cannot_be_is_told_with_its_place")
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
