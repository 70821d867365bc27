"""-k expressions."""

from __future__ import annotations

import pytest

from harness.errors import BadInput
from harness.runner.plan import PlannedCase, case_of, selected
from harness.runner.selection import selector
from tests.scenarios import shipped_scenarios

CASE = "parallel-calls.openai-chat.byte"


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
