"""A finding: what a check yields, and what others read of it."""

from __future__ import annotations

import pytest

from harness.finding import Finding, ProviderAnswer, broken, conversation_name, line_of, record_of
from harness.wire.rule import LEVELS, Certainty, ErrorTemplate, WireRule

RULE = WireRule(
    "ANT-01",
    "Every call is answered.",
    "It is refused.",
    "likely",
    ("docs",),
    (
        ErrorTemplate("{at}: no result for {id}", "{at}.content", "missing", name="usual"),
        ErrorTemplate("No.", certainty="certain", name="sure"),
    ),
)


def test_a_check_says_what_it_saw_and_leaves_the_rest_to_its_rule() -> None:
    found = broken(0, "one end", "two", "the second at once")
    assert (found.rule, found.level, found.impact) == ("", "", "")
    assert (found.at, found.expected, found.got, found.remark) == (2, "one end", "two", "the second at once")
    assert broken(0, "one end", "two", level="INFO").level == "INFO"


@pytest.mark.parametrize("record", [0, 1, 80])
def test_the_first_record_is_behind_the_header(record: int) -> None:
    assert line_of(record) == record + 2
    assert record_of(line_of(record)) == record


def test_a_wire_rule_says_what_the_provider_answers() -> None:
    found = RULE.broken("messages.2", expected="a result", got="none", id="call_1")
    assert (found.id, found.reference, found.rule, found.level) == ("ANT-01", "ANT-01", "", "SHOULD")
    assert found.provider == ProviderAnswer(
        "messages.2: no result for call_1", 400, "messages.2", "messages.2.content", "missing"
    )
    assert found.explanation == "messages.2: HTTP 400 messages.2: no result for call_1"


@pytest.mark.parametrize(
    ("template", "certainty", "level"),
    [(None, None, "SHOULD"), ("sure", None, "MUST"), ("sure", "inferred", "INFO"), (None, "certain", "MUST")],
)
def test_the_level_follows_from_the_certainty(template: str | None, certainty: Certainty | None, level: str) -> None:
    found = RULE.broken("messages", expected="a", got="b", template=template, certainty=certainty, id="x")
    assert found.level == level
    assert RULE.level == LEVELS["likely"]


@pytest.mark.parametrize("template", ["", "sur"])
def test_a_wire_rule_has_no_other_templates(template: str) -> None:
    with pytest.raises(KeyError):
        RULE.broken("messages", expected="a", got="b", template=template, id="x")


def test_a_baseline_calls_it_by_the_providers_rule_and_a_report_by_both() -> None:
    ours = Finding("order/one-end", "MUST", "unsafe", 3, "one", "two")
    theirs = Finding("continuation/openai-chat", "MUST", "invalid", 3, "one", "two", reference="OAC-03")
    assert (ours.id, ours.name) == ("order/one-end", "order/one-end")
    assert (theirs.id, theirs.name) == ("OAC-03", "continuation/openai-chat (OAC-03)")


def test_what_no_provider_answers_is_refused_by_none() -> None:
    assert Finding("order/one-end", "MUST", "unsafe", 3, "one", "two").answered.status == 200


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (ProviderAnswer("No."), "HTTP 400 No."),
        (ProviderAnswer("No.", 404, "input[1]"), "input[1]: HTTP 404 No."),
        (ProviderAnswer("It is lost.", 200, "messages[1]"), "messages[1]: It is lost."),
    ],
)
def test_an_answer_in_words(answer: ProviderAnswer, words: str) -> None:
    assert str(answer) == words


def test_an_explanation_begins_with_another_conversation() -> None:
    found = Finding("order/one-end", "MUST", "unsafe", 3, "one", "two", "so", conversation=conversation_name(1))
    assert found.explanation == "in the conversation 'side 1'; so"
    assert [conversation_name(number) for number in (0, 2, None)] == ["", "side 2", "not identified"]
