"""What a scenario can expect of a loop that does not tell its user everything."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.scenario import Expect, ExpectedError, FinalExpect, Outcome, compare
from harness.scenario.automaton import Choice, Node, Repeat, Series, compile_expression
from harness.scenario.grammar import parse
from harness.scenario.patterns import EventPattern
from harness.trace import (
    RAISED,
    Assistant,
    Case,
    Event,
    EventRecord,
    Failure,
    Final,
    ToolArguments,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from tests.case_tables import from_table

# --- expressions of which some kinds are silent -----------------------------------------------------------------

EVENTS: dict[str, Event] = {"t": TurnStart(1), "a": Assistant("", "1"), "s": ToolStart("1", "t")}
KINDS = {"t": "turnStart", "a": "assistant", "s": "toolStart"}

nodes = st.recursive(
    st.sampled_from([EventPattern(kind) for kind in KINDS.values()]),
    lambda inner: (
        st.builds(Series, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Choice, st.lists(inner, min_size=1, max_size=3).map(tuple))
        | st.builds(Repeat, inner, st.integers(0, 1), st.sampled_from([1, 2, None]))
    ),
    max_leaves=6,
)


def regex(node: Node, silent: frozenset[str]) -> str:
    """The same as a regular expression over letters, with nothing in the place of silent events."""
    match node:
        case EventPattern(kind):
            letter = next(letter for letter, name in KINDS.items() if name == kind)
            return "(?:)" if kind in silent else letter
        case Series(items):
            return "(?:" + "".join(regex(item, silent) for item in items) + ")"
        case Choice(items):
            return "(?:" + "|".join(regex(item, silent) for item in items) + ")"
        case Repeat(item, low, high):
            return f"(?:{regex(item, silent)}){{{low},{'' if high is None else high}}}"


@given(nodes, st.sets(st.sampled_from(sorted(KINDS.values()))).map(frozenset), st.text("tas", max_size=6))
def test_an_expression_without_some_kinds_is_the_one_in_which_they_are_nothing(
    node: Node, silent: frozenset[str], word: str
) -> None:
    word = "".join(letter for letter in word if KINDS[letter] not in silent)
    expression = compile_expression("", node).without(silent)
    accepted = expression.match(EVENTS[letter] for letter in word) is None
    assert accepted == (re.fullmatch(regex(node, silent), word) is not None)


def test_what_could_have_come_names_nothing_that_is_silent() -> None:
    expression = parse("turnStart(1) assistant toolStart final").without(frozenset({"turnStart", "toolStart"}))
    failed = expression.match([Assistant("", "1"), Assistant("", "2")])
    assert failed is not None
    assert [str(pattern) for pattern in failed.expected] == ["final"]


# --- expectations of loops that tell less -----------------------------------------------------------------------


def told(emits: tuple[str, ...] | None, *events: Event) -> Trace:
    return Trace(Case("c", "s", "openai-chat", emits=emits), tuple(EventRecord(event) for event in events))


EVENTS_EXPECTED = Expect(("completed",), events=parse('turnStart(1) assistant("Hi.") final(completed)'))


CALLED = (ToolStart("1", "look"), ToolArguments("1", "{"), ToolArguments("1", "}"))


@from_table(__file__, "test_arguments_count_where_they_are_named_and_a_result_may_be_either")
def test_arguments_count_where_they_are_named_and_a_result_may_be_either(expression: str, *, fits: bool) -> None:
    trace = told(None, *CALLED, ToolResult("1", "look", "4", ok=None), Final(""))
    assert (compare(Expect(("completed",), events=parse(expression)), trace) == []) is fits


def test_events_that_the_loop_does_not_tell_are_not_expected_of_it() -> None:
    assert compare(EVENTS_EXPECTED, told(("assistant", "final"), Assistant("Hi.", "1"), Final(""))) == []
    assert compare(EVENTS_EXPECTED, told(("final",), Final(""))) == []


def test_events_that_the_loop_tells_are_expected_of_it_all_the_same() -> None:
    (missing,) = compare(EVENTS_EXPECTED, told(("assistant", "final"), Final("")))
    assert (missing.rule, missing.got) == ("expect/events", "final(completed) as the first event")
    assert compare(EVENTS_EXPECTED, told(None, Assistant("Hi.", "1"), Final("")))[0].rule == "expect/events"


def test_what_the_harness_saw_of_tools_is_no_event_of_a_loop_that_tells_no_tools() -> None:
    seen = told(("assistant", "final"), ToolStart("1", "lamp"), Assistant("Hi.", "1"), Final(""))
    assert compare(EVENTS_EXPECTED, seen) == []


@pytest.mark.parametrize(
    ("expected", "events", "fits"),
    [
        (("completed",), (), True),
        (("truncated",), (), True),
        (("completed",), (Failure(RAISED, "exit code 1"),), False),
        (("failed",), (Failure(RAISED, "exit code 1"),), True),
        (("failed",), (), False),
        (("turn-limit",), (), True),
        (("turn-limit",), (Failure(RAISED, "exit code 1"),), True),
        (("completed", "failed"), (), True),
        (("completed", "failed"), (Failure(RAISED, "exit code 1"),), True),
        (("completed", "refused"), (Failure(RAISED, "exit code 1"),), False),
    ],
)
def test_of_a_loop_that_tells_no_outcome_only_failures_are_known(
    expected: tuple[Outcome, ...], events: tuple[Event, ...], fits: bool
) -> None:
    expect = Expect(expected, final=FinalExpect(equals=""))
    assert (compare(expect, told(("error",), *events)) == []) is fits


def test_a_failure_of_which_only_that_it_was_raised_is_known_may_be_of_any_kind() -> None:
    expect = Expect(("failed",), events=parse("error(stream)"), error=ExpectedError("stream"))
    assert compare(expect, told(None, Failure(RAISED, "boom"))) == []
    assert [each.rule for each in compare(expect, told(None, Failure("http", "boom")))] == [
        "expect/events",
        "expect/error",
    ]


def test_a_loop_that_tells_no_errors_is_not_asked_for_their_kind() -> None:
    expect = Expect(("failed",), error=ExpectedError("stream"))
    silent = told(("final",), Final(""))
    assert [each.rule for each in compare(expect, silent)] == ["expect/outcome"]
    assert [each.rule for each in compare(replace(expect, outcome=("completed",)), silent)] == []


# --- loops that have not promised to report how a run ended ------------------------------------------------------


def ended(capabilities: tuple[str, ...] | None, *events: Event) -> Trace:
    given = told(("toolStart", "assistant", "error", "final"), *events)
    return replace(given, case=replace(given.case, capabilities=capabilities))


CUT = Expect(("truncated",), events=parse('assistant("Hi") final(truncated)'), final=FinalExpect(equals=""))
WAYS = ((Final("", "completed"),), (Final("", "truncated"),), (Failure(RAISED, "cut off"),), (Failure("http", "?"),))


@pytest.mark.parametrize("end", WAYS, ids=["text", "outcome", "raised", "error"])
def test_a_truncated_run_ends_as_the_loop_likes_that_reports_no_outcomes(end: tuple[Event, ...]) -> None:
    trace = ended(("streaming",), Assistant("Hi", "1"), *end)
    assert compare(CUT, trace) == []
    assert compare(replace(CUT, outcome=("refused",)), trace) == []


@pytest.mark.parametrize("capabilities", [None, ("outcomes",)])
def test_a_loop_that_reports_outcomes_must_report_the_right_one(capabilities: tuple[str, ...] | None) -> None:
    assert compare(CUT, ended(capabilities, Assistant("Hi", "1"), Final("", "truncated"))) == []
    wrong = compare(CUT, ended(capabilities, Assistant("Hi", "1"), Final("", "completed")))
    assert [each.rule for each in wrong] == ["expect/outcome", "expect/events"]
    raised = compare(CUT, ended(capabilities, Assistant("Hi", "1"), Failure(RAISED, "cut off")))
    assert [each.rule for each in raised] == ["expect/outcome", "expect/events", "expect/final"]


def test_all_else_is_compared_of_a_loop_that_reports_no_outcomes() -> None:
    ran = ended((), Assistant("Hi", "1"), ToolStart("1", "order"), Final("", "completed"))
    assert [each.rule for each in compare(CUT, ran)] == ["expect/events"]
    assert [each.rule for each in compare(CUT, ended((), Assistant("Hi", "1")))] == ["expect/outcome"]


def test_a_run_that_should_be_completed_may_not_fail_whatever_the_loop_promises() -> None:
    expect = Expect(("completed",), events=parse("final(completed)"))
    assert [each.rule for each in compare(expect, ended((), Failure(RAISED, "boom")))] == [
        "expect/outcome",
        "expect/events",
    ]
    failed = Expect(("failed",), events=parse("error"))
    assert [each.rule for each in compare(failed, ended((), Final("")))] == ["expect/outcome", "expect/events"]
