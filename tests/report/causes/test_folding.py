"""Within a case: what follows from what, and what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.finding import Finding
from harness.report.causes import causes
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
def test_what_cannot_change_the_course_explains_nothing(level: str, kind: str) -> None:
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
