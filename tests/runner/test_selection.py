"""-k expressions."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.runner.plan import PlannedCase, case_of, selected
from harness.runner.selection import NeededScenarios, selector
from harness.scenario.loader import load_needed
from tests.commands import write_hello
from tests.scenarios import shipped_scenarios

CASE = "parallel-calls.openai-chat.byte"
BEHIND = ("recorded", "event+websocket", "event+index-zero", "byte+no-done")


@pytest.mark.parametrize(
    ("expression", "selected"),
    [
        ("", True),
        ("parallel", True),
        ("PARALLEL", True),
        ("gemini", False),
        ("not gemini", True),
        ("not not parallel", True),
        ("parallel and byte", True),
        ("parallel and whole", False),
        ("gemini or chat", True),
        ("gemini or chat and whole", False),
        ("(gemini or chat) and byte", True),
        ("not (gemini or chat)", False),
        (CASE, True),
    ],
)
def test_an_expression_selects_by_the_words_of_the_case_id(expression: str, selected: bool) -> None:
    assert selector(expression)(CASE) is selected


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("and", "expected a word, found 'and'"),
        ("a and", "expected a word, found 'the end'"),
        ("(a", "a ')' is missing"),
        ("a b", "'b' is left over"),
        ("a )", "')' is left over"),
        ("not", "expected a word, found 'the end'"),
    ],
)
def test_a_broken_expression_says_what_is_wrong_and_what_to_write(expression: str, why: str) -> None:
    with pytest.raises(BadInput) as caught:
        selector(expression)
    assert why in str(caught.value)
    assert "write words joined with and, or, not and parentheses" in str(caught.value)


def test_the_whole_id_of_a_case_selects_no_other_case() -> None:
    """``answer.openai-chat.event`` does not select ``page-in-the-last-answer.openai-chat.event``, too."""
    planned = [
        PlannedCase(case_of(scenario, "openai-chat", "event", target="t"), scenario) for scenario in shipped_scenarios()
    ]
    found = selected(planned, (), "answer.openai-chat.event")
    assert [item.case.id for item in found] == ["answer.openai-chat.event"]
    assert len(selected(planned, (), "answer.openai-chat")) > 1


@pytest.mark.parametrize(
    ("expression", "narrows"),
    [
        ("", False),
        ("openai-chat", False),
        ("event", False),
        ("index-zero", False),
        ("websocket", False),
        ("not parallel", True),
        ("not openai-chat", True),
        ("parallel", True),
        ("PARALLEL", True),
        ("parallel and byte", True),
        ("raises.openai", True),
        ("answer.openai-chat.event", True),
        ("parallel-calls or chat", False),
        ("(retry or parallel) and not (gemini or cut)", True),
        (".byte", False),
        ("event+index", False),
    ],
)
def test_a_scenario_is_needed_if_one_of_its_cases_may_be_selected(expression: str, narrows: bool) -> None:
    needed, selects = NeededScenarios(expression), selector(expression)
    for scenario in shipped_scenarios():
        ids = [f"{scenario.name}.{wire}.{end}" for wire in scenario.wires for end in (*scenario.chunkings, *BEHIND)]
        assert needed(scenario.name) or not any(map(selects, ids)), scenario.name
    assert needed.narrowed is narrows


def test_of_the_last_failed_only_their_scenarios_are_needed() -> None:
    needed = NeededScenarios("", ["answer.openai-chat.event", "answer-again.openai-chat.event"])
    assert [name for name in ("answer", "answer-again", "answer-a", "tool") if needed(name)] == [
        "answer",
        "answer-again",
    ]


def test_a_scenario_that_is_not_needed_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("scenario: broken\nprompt: [", encoding="utf-8")
    write_hello(tmp_path, "greeting", wires="[openai-chat]")
    assert [each.name for each in load_needed([tmp_path], NeededScenarios("greeting"))] == ["greeting"]
    (tmp_path / "nameless.yaml").write_text("prompt: hi", encoding="utf-8")
    with pytest.raises(BadInput, match="nameless"):
        load_needed([tmp_path], NeededScenarios("greeting"))
