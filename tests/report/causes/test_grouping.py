"""Across cases: one entry for one mistake, two for two."""

from __future__ import annotations

import io
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.finding import Finding, Level, ProviderAnswer
from harness.report.causes import ERROR, causes, counts, statement
from harness.report.causes.behaviour import masked
from harness.report.causes.ranking import rank
from harness.report.causes.subjects import HISTORY, subjects
from harness.report.entries import label, labelled
from harness.report.explanations import FINDINGS
from harness.report.files import results_json
from harness.report.formats.github import workflow_commands
from harness.report.formats.junit import junit
from harness.report.formats.markdown import markdown
from harness.report.formats.sarif import sarif
from harness.report.terminal import Terminal
from harness.rules import RULES
from harness.runner.results import CaseResult, DriverFinding, RunResult
from harness.scenario import Expect
from harness.wire import WireName, wire, wires
from tests.case_tables import from_table
from tests.report.runs import case, run

WIRES = {
    "openai-chat": "OAC-03",
    "anthropic-messages": "ANT-01",
    "openai-responses": "OAI-10",
    "gemini-generate": "GEM-06",
}


def refusal(wire: str, expected: str, got: str) -> Finding:
    """A request that the endpoint has refused because of a provider's rule."""
    rule, reference = f"continuation/{wire}", WIRES[wire]
    return Finding(rule, "MUST", "invalid", 6, expected, got, answer=3, refused=400, reference=reference)


def forgets(wire: str, scenario: str = "two-calls", chunking: str = "event", *, number: int = 1) -> CaseResult:
    """A case in which the result of a call does not go back."""
    call = f"call_{number}abcdef"
    said = (f"a result of get_weather {call}", "none in the next request")
    found = (
        refusal(wire, f"in {wire} words", f"none for {call}"),
        Finding("history/results", "MUST", "invalid", 6, *said, answer=3, refused=400),
    )
    names = ("get_weather", call)
    return case(
        id=f"{scenario}.{wire}.{chunking}", scenario=scenario, wire=wire, chunking=chunking, findings=found, names=names
    )


def test_one_mistake_on_four_wires_is_one_entry_that_names_all_rules() -> None:
    cases = [forgets(wire, scenario, number=number) for number, wire in enumerate(WIRES) for scenario in ("a", "b")]
    (cause,) = causes(run(*cases))
    assert set(cause.rules) == {"OAC-03", "ANT-01", "OAI-10", "GEM-06", "history/results"}
    assert cause.rules[-1] == "history/results"
    assert counts(cause) == "8 cases of 2 scenarios, 4 wires"


def test_chunkings_are_counted() -> None:
    (cause,) = causes(run(*(forgets("openai-chat", chunking=each) for each in ("whole", "event", "byte"))))
    assert counts(cause) == "3 cases of 1 scenario, 3 chunkings"


def test_two_mistakes_against_one_rule_are_two_entries() -> None:
    one = Finding("history/model-calls", "MUST", "unsafe", 6, "the call 'a'", "it was not sent back")
    other = replace(one, expected="a call of 'a'", got="'b'")
    found = causes(run(case(findings=(one,)), case(id="b", findings=(one,)), case(id="c", findings=(other,))))
    assert [len(cause.members) for cause in found] == [2, 1]
    assert len({cause.id for cause in found}) == 2


def test_more_and_fewer_requests_than_expected_are_two_entries() -> None:
    few = Finding("expect/requests", "MUST", "expectation", 2, "3", "1")
    many = replace(few, expected="1", got="2")
    assert len(causes(run(case(findings=(few,)), case(id="b", findings=(many,))))) == 2
    again = replace(few, expected="5", got="4")
    assert len(causes(run(case(findings=(few,)), case(id="b", findings=(again,))))) == 1


def test_errors_of_one_kind_are_one_entry() -> None:
    errors = [f"Traceback\n  line {number}\nKeyError: 'a{number}'" for number in range(3)]
    cases = [case("error", id=f"e{number}", error=error) for number, error in enumerate(errors)]
    (cause,) = causes(run(*cases))
    assert (cause.rules, cause.category, len(cause.members)) == ((ERROR,), "error", 3)


def test_causes_are_ranked_by_what_they_mean_and_then_by_their_cases() -> None:
    found = [
        Finding("order/r", "MUST", "style", 3, "a", "b"),
        Finding("preview/prefix", "MUST", "unsafe", 3, "a", "b"),
        Finding("guardrail/turn-limit", "MUST", "unsafe", 3, "a", "b"),
        Finding("continuation/openai-chat", "MUST", "invalid", 3, "a", "b", refused=400, reference="OAC-03"),
        Finding("continuation/openai-chat", "SHOULD", "invalid", 3, "a", "b", reference="OAC-15"),
    ]
    ranked = [cause.category for cause in causes(run(*(case(id=each.rule, findings=(each,)) for each in found)))]
    assert ranked == ["refused", "unsafe", "likely-refused", "wrong", "opinion"]
    often = Finding("execution/arguments", "MUST", "unsafe", 3, "a", "b")
    cases = [case(id="x", findings=(found[2],)), *(case(id=f"y{n}", findings=(often,)) for n in range(2))]
    assert [cause.rule for cause in causes(run(*cases))] == ["execution/arguments", "guardrail/turn-limit"]


def test_a_call_that_ran_although_it_must_not_stands_above_a_refusal() -> None:
    """B15: what was done cannot be undone, a refusal is loud and harms nobody."""
    ran = Finding("final/stopped-call", "MUST", "unsafe", 8, "transfer not to run", "it ran", answer=5)
    refused = Finding("continuation/openai-chat", "MUST", "invalid", 3, "a", "b", refused=400, reference="OAC-03")
    found = causes(
        run(case(id="a", findings=(refused,)), case(id="b", findings=(refused,)), case(id="c", findings=(ran,)))
    )
    assert [cause.rule for cause in found] == ["final/stopped-call", "OAC-03"]


def test_a_cause_says_in_how_many_of_its_cases_it_is_as_bad_as_its_headline() -> None:
    """B5: one refusal among cases of which no other was refused."""
    changed = Finding("history/model-thinking", "MUST", "unsafe", 6, "its thinking", "none")
    refused = replace(changed, refused=400, impact="invalid")
    cases = [case(id=f"c{number}", findings=(changed if number else refused,)) for number in range(16)]
    (cause,) = causes(run(*cases))
    assert (cause.category, cause.worst, len(cause.members)) == ("refused", 1, 16)
    assert label(cause).startswith("MUST, refused by the provider in 1 of 16 cases")
    (cause,) = causes(run(cases[0]))
    assert label(cause) == "MUST, refused by the provider, 1 case"


def test_what_is_said_of_the_tools_follows_from_nothing_that_is_said_of_the_messages() -> None:
    """B4: two members of a request, two bugs."""
    body = ProviderAnswer("broken", place="messages[1].content")
    refused = Finding(
        "continuation/openai-chat", "MUST", "invalid", 6, "a", "b", refused=400, reference="OAC-01", provider=body
    )
    tools = Finding("history/tools", "SHOULD", "unsafe", 6, "the tools as before", "removed: get_weather")
    order = Finding("history/result-order", "MUST", "unsafe", 6, "a", "b")
    found = {
        cause.rule: [each.rule for each in cause.consequences]
        for cause in causes(run(case(findings=(refused, tools, order))))
    }
    assert found == {"OAC-01": ["history/result-order"], "history/tools": []}
    later = replace(tools, at=9)
    assert {cause.rule for cause in causes(run(case(findings=(refused, later))))} == {"OAC-01", "history/tools"}


@from_table(__file__, "test_only_what_rests_on_the_events_concerned_is_uncertain")
def test_only_what_rests_on_the_events_concerned_is_uncertain(check: str, rule: str, category: str) -> None:
    """B1: a swallowed tool error is read from a request body, whatever is wrong with the events."""
    flaw = DriverFinding(check, "MUST", "it is right", ("openai-chat",), "a", "b", "loop.py:3", "change it")
    (cause,) = causes(replace(run(case(findings=(Finding(rule, "MUST", "unsafe", 3, "a", "b"),))), driver=(flaw,)))
    assert cause.category == category


def test_one_value_cut_off_in_several_ways_is_one_cause() -> None:
    """B3: the sign behind a long id ends the clause, as it does behind a short one."""
    wanted = ('which is {"degrees": 18}', 'which is {"sky": "clear", "wa…', "which is a JSON object")
    found = [
        Finding(
            "history/result-value",
            "MUST",
            "unsafe",
            6,
            f"the result of look call_6zlCho01gkUG75vmIRbXI1dx, {each}",
            "cut",
        )
        for each in wanted
    ]
    assert len(causes(run(*(case(id=each.expected, findings=(each,)) for each in found)))) == 1


@pytest.mark.parametrize(("level", "told"), [("INFO", ""), ("MUST", "HTTP 400 not so")])
def test_what_no_provider_has_refused_is_not_shown_in_a_providers_words(level: Level, told: str) -> None:
    """B14: with ``--info``, an opinion is told without an answer that nobody has given."""
    body = ProviderAnswer("not so", place="messages[1]")
    found = Finding("continuation/openai-chat", level, "style", 3, "a", "b", reference="OAC-15", provider=body)
    result = run(case(findings=(found,)))
    lines = dict(labelled(causes(result)[0], result, None))
    assert told in lines.get("provider", "") + lines.get("evidence", "")
    assert ("HTTP" in str(lines)) is bool(told)
    assert "messages[1]" in str(lines)


def test_no_provider_refuses_what_breaks_the_text_protocol() -> None:
    found = Finding("continuation/text-tags", "MUST", "invalid", 3, "a", "b", reference="TAG-02")
    (cause,) = causes(run(case(findings=(found,))))
    assert cause.category == "unsafe"


def test_every_expectation_that_is_compared_has_a_statement_of_its_own() -> None:
    keys = {each.name for each in fields(Expect)} - {"uses_results"}
    compared = {f"expect/{key}" for key in keys} | {"expect/subagents", "expect/timeline"}
    assert compared == {name for name in FINDINGS if name.startswith("expect/")}
    results = [run(case(findings=(Finding(name, "MUST", "expectation", 3, "a", "b"),))) for name in compared]
    said = [statement(cause, result) for result in results for cause in causes(result)]
    assert len(set(said)) == len(compared)
    assert "" not in said


def test_what_only_a_faulty_driver_reports_is_uncertain_and_last() -> None:
    flaw = DriverFinding("driver/events", "MUST", "order", ("openai-chat",), "a", "b", "loop.py:3", "change it")
    shown = Finding("order/one-end", "MUST", "unsafe", 3, "one", "two")
    sent = Finding("history/model-text", "MUST", "unsafe", 6, "a", "b")
    result = run(case(findings=(shown,)), case(id="b", findings=(sent,)))
    assert {cause.rule: cause.category for cause in causes(replace(result, driver=(flaw,)))} == {
        "history/model-text": "unsafe",
        "order/one-end": "uncertain",
    }
    assert "uncertain" not in [cause.category for cause in causes(result)]


@from_table(__file__, "test_what_only_one_case_has_is_masked")
def test_what_only_one_case_has_is_masked(text: str, general: str) -> None:
    assert masked(text, ("get_weather",)) == general


def test_every_own_rule_with_a_subject_exists() -> None:
    assert [rule for rules in HISTORY.values() for rule in rules if rule not in RULES] == []


@pytest.mark.parametrize("name", [each.name for each in wires() if each.call_ids != "none"])
def test_on_every_wire_with_ids_a_lost_result_is_one_cause(name: WireName) -> None:
    assert [rule.id for rule in wire(name).rules if subjects(rule.id) & subjects("history/results")] != []


def test_the_form_of_a_request_is_no_subject() -> None:
    """Whatever else is seen in a request that is wrong in its form comes from that."""
    assert subjects("ANT-08") == subjects("BED-15") == subjects("OAC-TYPE") == frozenset()


# --- whatever a run has found ---------------------------------------------------------------------------------------

_RULES = [*RULES, "target/wire", "cassette/miss", "x"]
_REFERENCES = ["", "", *WIRES.values(), "OAC-TYPE"]
_EXPECTED = [f"expect/{key}" for key in ("outcome", "turns", "requests", "events", "sent", "ran", "not_ran")]
_LINES = st.none() | st.integers(1, 12)
_EVIDENCE = st.builds(
    Finding,
    st.sampled_from([*_RULES, *_EXPECTED]),
    st.sampled_from(["MUST", "SHOULD", "INFO"]),
    st.sampled_from(["invalid", "unsafe", "style", "expectation"]),
    _LINES,
    st.sampled_from(["a", "2", "'x' y", "call_1abcdef"]),
    st.sampled_from(["b", "3", "none", "{}"]),
    known=st.sampled_from(["", "", "", "So."]),
    conversation=st.sampled_from(["", "", "side 1"]),
    since=_LINES,
    answer=_LINES,
    refused=st.sampled_from([None, None, 400]),
    reference=st.sampled_from(_REFERENCES),
)
_CASES = st.lists(st.lists(_EVIDENCE, max_size=8), max_size=5)


def run_of(found: list[list[Finding]]) -> RunResult:
    cases = [case(id=f"c{number}", findings=tuple(evidence)) for number, evidence in enumerate(found)]
    return run(*cases)


@settings(deadline=None, max_examples=50)
@given(_CASES)
def test_every_finding_is_part_of_one_cause_and_what_is_expected_of_none(found: list[list[Finding]]) -> None:
    result = run_of(found)
    parts = [
        (member.case, number)
        for cause in causes(result)
        for member in cause.members
        for number in (*member.found, *member.follows)
    ]
    unexpected = [
        (place, number)
        for place, one in enumerate(result.cases)
        for number, each in enumerate(one.findings)
        if not each.known
    ]
    assert sorted(parts) == unexpected


@settings(deadline=None, max_examples=50)
@given(_CASES)
def test_causes_are_ranked_and_each_has_its_own_id(found: list[list[Finding]]) -> None:
    listed = causes(run_of(found))
    ranks = [rank(cause) for cause in listed]
    assert all(1 <= cause.worst <= len(cause.members) for cause in listed)
    assert ranks == sorted(ranks)
    assert all(member.found for cause in listed for member in cause.members)


@settings(deadline=None, max_examples=50)
@given(_CASES)
def test_no_rule_that_was_broken_is_hidden_in_any_format(found: list[list[Finding]]) -> None:
    result = run_of(found)
    broken = {each.id for one in result.cases for each in one.unexpected}
    named = {rule for cause in causes(result) for rule in (*cause.rules, *(each.rule for each in cause.consequences))}
    assert named == broken
    formats = (terminal, junit, sarif, markdown, results_json, workflow_commands)
    told = {each.__name__: each(result) for each in formats}
    assert [(name, rule) for name, text in told.items() for rule in broken if rule not in text] == []


def terminal(result: RunResult) -> str:
    Terminal(told := io.StringIO(), max_findings=1).summary(result, Path("out"))
    return told.getvalue()
