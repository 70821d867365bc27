"""Within a case: what follows from what, and what does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.finding import Finding, Impact, Level, ProviderAnswer
from harness.report.causes import causes
from tests.case_tables import from_table
from tests.report.runs import case, run

REFUSED = Finding(
    "continuation/openai-chat",
    "MUST",
    "invalid",
    6,
    "a tool message",
    "none",
    answer=3,
    refused=400,
    reference="OAC-03",
)
STATED = Finding("history/results", "MUST", "invalid", 6, "a result of get_time call_1", "none", answer=3, refused=400)
RAN = Finding("final/stopped-call", "MUST", "unsafe", 8, "transfer not to run", "it ran", answer=5)
ENDED = Finding("expect/outcome", "MUST", "expectation", 8, "completed", "failed")
TOO_FEW = Finding("expect/turns", "MUST", "expectation", 2, "2 model turns", "1", since=9)
NEVER = Finding("expect/ran", "MUST", "expectation", None, "transfer to run", "nothing shows that it ran")


def entries(*evidence: Finding, names: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], list[str]]]:
    """The rules of each cause of one case, with its consequences."""
    found = causes(run(case("fail", findings=evidence, names=names)))
    return [(cause.rules, [each.rule for each in cause.consequences]) for cause in found]


def test_what_was_missed_behind_a_refusal_follows_from_it() -> None:
    (cause,) = entries(REFUSED, STATED, ENDED, TOO_FEW, NEVER)
    assert cause == (("OAC-03", "history/results"), ["expect/outcome", "expect/turns", "expect/ran"])


def test_what_was_missed_before_a_refusal_is_a_cause_of_its_own() -> None:
    early = Finding("expect/sent", "MUST", "expectation", 2, "request 1 with 'Hi'", "'Ho'")
    assert entries(REFUSED, early) == [(("OAC-03",), []), (("expect/sent",), [])]


def test_what_is_no_refusal_explains_no_other_end() -> None:
    """The same finding, but for what the endpoint has done."""
    accepted = replace(REFUSED, at=6, expected="a tool message", got="none", refused=None)
    assert entries(accepted, ENDED) == [(("OAC-03",), []), (("expect/outcome",), [])]


def test_a_side_conversation_explains_nothing_of_the_main_one() -> None:
    aside = replace(REFUSED, at=6, expected="a", got="b", answer=3, refused=400, conversation="side 1")
    assert len(entries(aside, ENDED)) == 2


def test_a_call_that_ran_explains_what_came_after_the_turn_that_made_it() -> None:
    begun = Finding("expect/events", "MUST", "expectation", 7, "final", "toolStart")
    assert entries(RAN, begun, ENDED) == [(("final/stopped-call",), ["expect/events", "expect/outcome"])]


@pytest.mark.parametrize(("level", "kind"), [("SHOULD", "unsafe"), ("SHOULD", "style")])
def test_what_cannot_change_the_course_explains_nothing(level: Level, kind: Impact) -> None:
    opinion = Finding("final/stopped-call", level, kind, 6, "a", "b", answer=5)
    assert len(entries(opinion, ENDED)) == 2


def test_of_expectations_alone_the_first_that_says_how_the_run_went_is_the_cause() -> None:
    assert entries(TOO_FEW, NEVER, ENDED) == [(("expect/outcome",), ["expect/turns", "expect/ran"])]


def test_a_run_that_must_not_be_is_no_consequence_of_another_expectation() -> None:
    ran = Finding("expect/not_ran", "MUST", "expectation", 9, "no run", "one")
    assert {rules for rules, _ in entries(ENDED, ran)} == {("expect/outcome",), ("expect/not_ran",)}


def test_two_mistakes_in_one_refused_request_are_two_causes() -> None:
    other = Finding("history/model-text", "MUST", "unsafe", 6, "as it came", "altered", answer=3, refused=400)
    assert [rules for rules, _ in entries(REFUSED, STATED, other)] == [
        ("OAC-03", "history/results"),
        ("history/model-text",),
    ]


def test_a_body_that_is_wrong_in_its_form_explains_what_else_is_seen_in_it() -> None:
    form = Finding(
        "continuation/openai-chat", "MUST", "invalid", 6, "a list", "text", refused=400, reference="OAC-TYPE"
    )
    altered = Finding("history/model-calls", "MUST", "unsafe", 6, "a call", "none", refused=400)
    assert entries(form, altered) == [(("OAC-TYPE",), ["history/model-calls"])]


def test_the_refusal_behind_a_run_that_must_not_be_follows_from_that() -> None:
    later = replace(REFUSED, at=12, expected="a tool message", got="none", answer=11, refused=400)
    assert entries(RAN, later) == [(("final/stopped-call",), ["OAC-03"])]


def test_what_is_found_elsewhere_by_itself_is_a_cause_there_and_here() -> None:
    later = replace(REFUSED, at=12, expected="a tool message", got="none", answer=11, refused=400)
    found = causes(run(case("fail", findings=(RAN, later)), case("fail", id="another", findings=(REFUSED,))))
    assert [(cause.rule, len(cause.members)) for cause in found] == [("final/stopped-call", 1), ("OAC-03", 2)]


def test_what_the_baseline_expects_is_no_part_of_a_cause() -> None:
    known = Finding("order/one-end", "MUST", "unsafe", 3, "one", "two", known="So it is.")
    assert entries(known, ENDED) == [(("expect/outcome",), [])]


# --- one fact, told by several rules ----------------------------------------------------------------------------

CALL = "call_1abcdef"
RESULT = Finding("history/result-value", "MUST", "unsafe", 9, "the result of a", "another value: '\"\"'", answer=3)


def said(rule: str, expected: str, got: str, at: int = 6, level: Level = "MUST", answer: int = 3) -> Finding:
    """A finding of one of our rules about the turn that was answered at line ``answer``."""
    return Finding(rule, level, "unsafe", at, expected, got, answer=answer)


@from_table(__file__, "test_rules_that_tell_one_fact_are_one_cause")
def test_rules_that_tell_one_fact_are_one_cause(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert len(entries(said(**one), said(**other), names=("read", "write", CALL))) == 1


@from_table(__file__, "test_rules_that_tell_two_facts_are_two_causes")
def test_rules_that_tell_two_facts_are_two_causes(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert len(entries(said(**one), said(**other), names=("read", "write", CALL, "call_2"))) == 2


def test_a_model_that_was_given_another_result_answers_otherwise() -> None:
    wrong = Finding("expect/results", "MUST", "expectation", 9, "the result of call 1", "'\"\"'")
    early = replace(wrong, at=6)
    ran = Finding("expect/ran", "MUST", "expectation", None, "b with 1 to run", "b ran with 2")
    assert entries(RESULT, early, wrong, ran) == [
        (("history/result-value",), ["expect/results", "expect/ran"]),
    ]
    assert entries(wrong, ran) == [(("expect/results",), ["expect/ran"])]
    not_ran = Finding("expect/not_ran", "MUST", "expectation", 12, "b not to run", "it ran")
    assert {rules for rules, _ in entries(RESULT, not_ran)} == {("history/result-value",), ("expect/not_ran",)}


def test_behind_a_loop_without_a_bound_the_script_has_no_more_answers() -> None:
    again = said("retry/request", "at most 11 attempts", "attempt 12", at=24, level="SHOULD", answer=23)
    spent = Finding("expect/requests", "MUST", "expectation", None, "at most 30 requests", "61 requests", since=62)
    refused = said("retry/refused", "another request, or an error", "the same again", at=64, level="SHOULD", answer=63)
    assert entries(again, spent, refused) == [(("retry/request",), ["expect/requests", "retry/refused"])]


def test_an_end_that_an_expectation_tells_too_is_one_cause() -> None:
    end = said("guardrail/limit-reported", "final, 'turn-limit'", "final, 'completed'", at=8, level="SHOULD")
    assert entries(end, ENDED) == [(("guardrail/limit-reported",), ["expect/outcome"])]
    assert len(entries(replace(end, at=7), ENDED)) == 2


def test_what_a_provider_says_of_one_entry_is_one_cause() -> None:
    def of_entry(rule: str, place: str, expected: str) -> Finding:
        body = ProviderAnswer("broken", place=place)
        return replace(REFUSED, reference=rule, expected=expected, provider=body)

    role, last = of_entry("ANT-06", "messages.2", "role user"), of_entry("ANT-13", "messages.2", "a user message")
    assert len(entries(role, last, of_entry("ANT-01", "messages.1", "the results"))) == 1
    assert len(entries(role, of_entry("ANT-16", "messages.0", "thinking"))) == 2
