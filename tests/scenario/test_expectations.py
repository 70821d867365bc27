"""What a trace must meet: each expectation met, and each one missed."""

# ruff: noqa: E501 - the cases are a table, one a line
from __future__ import annotations

import pytest

from harness.finding import Finding
from harness.scenario import Expect, ExpectedError, FinalExpect, SentExpect, compare, unmet
from harness.scenario.grammar import parse
from harness.trace import (
    FAILURES,
    Assistant,
    Case,
    Event,
    EventRecord,
    Failure,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from harness.wire import Conversation


def trace(*records: Event | int) -> Trace:
    """Events, and exchanges given by their status; a status is a request and its response."""
    found: list[Record] = []
    exchange = 0
    for record in records:
        if isinstance(record, int):
            found.append(RequestRecord(exchange, "POST", "/v1/responses", {}, b"{}"))
            found.append(ResponseRecord(exchange, record, {}, b""))
            exchange += 1
        else:
            found.append(EventRecord(record))
    return Trace(Case("c", "s", "openai-responses"), tuple(found))


RUN = trace(
    TurnStart(1),
    429,
    200,
    Thinking("Let me ", "t1"),
    Thinking("think.", "t1"),
    Assistant("On", "a1"),
    Assistant("e.", "a1"),
    ToolStart("1", "create_file"),
    SetCode("<p>", "1", preview=True),
    SetCode("<p>1", "1", preview=True),
    SetCode("<p>1</p>", "1"),
    ToolResult("1", "create_file", None, ok=True),
    TurnStart(2),
    200,
    Assistant("Two.", "a2"),
    Final("<p>1</p>"),
)
EVENTS = """
    thinking("Let me think.") assistant("One.")
    toolStart(create_file) setCode(preview)* setCode(result) toolResult(create_file, ok)
    assistant("Two.") final(completed)
"""
FAILED = trace(TurnStart(1), 400, Failure("http", "400 Bad Request"))


@pytest.mark.parametrize(
    "expect",
    [
        Expect(("completed",)),
        Expect(("completed",), turns=2, requests=3),
        Expect(("completed",), events=parse(EVENTS)),
        Expect(("completed",), events=parse("turnStart(1) thinking+ assistant+ toolStart setCode{3} toolResult turnStart(2) assistant final")),
        Expect(("completed",), final=FinalExpect("<p>1</p>", ("<p>", "1"), ("2",))),
    ],
)  # fmt: skip
def test_a_run_that_meets_everything(expect: Expect) -> None:
    assert compare(expect, RUN) == []


@pytest.mark.parametrize(
    ("expect", "mismatch"),
    [
        (Expect(("refused",)), unmet("outcome", "refused", "completed", 18)),
        (Expect(("failed",)), unmet("outcome", "failed", "completed", 18)),
        (Expect(("truncated", "refused", "failed")), unmet("outcome", "truncated, refused or failed", "completed", 18)),
        (Expect(("completed",), turns=3), unmet("turns", "3 model turns", "2", 15)),
        (Expect(("completed",), requests=2), unmet("requests", "2 requests", "3", 15)),
        (Expect(("completed",), final=FinalExpect("<p>")), unmet("final", "code '<p>'", "'<p>1</p>'", 18)),
        (Expect(("completed",), final=FinalExpect(contains=("2",))), unmet("final", "code that contains '2'", "'<p>1</p>'", 18)),
        (Expect(("completed",), final=FinalExpect(lacks=("1",))), unmet("final", "code without '1'", "'<p>1</p>'", 18)),
        (Expect(("completed",), error=ExpectedError("http")), unmet("error", "an error of kind http", "none")),
        (
            Expect(("completed",), events=parse('thinking assistant("One") final')),
            unmet("events", 'assistant("One") after thinking("Let me think.")', 'assistant("One.")', 7),
        ),
        (
            Expect(("completed",), events=parse("thinking assistant toolStart setCode* toolResult(failed)")),
            unmet(
                "events",
                'setCode or toolResult(failed) after thinking("Let me think.") assistant("One.") toolStart(create_file)'
                " setCode(preview) x2 setCode(result)",
                "toolResult(create_file, ok)",
                13,
            ),
        ),
        (
            Expect(("completed",), events=parse("turnStart thinking")),
            unmet("events", 'the end of the run after turnStart(1) thinking("Let me think.")', 'assistant("One.")', 7),
        ),
        (
            Expect(("completed",), events=parse("turnStart thinking assistant toolStart setCode* toolResult turnStart assistant final error")),
            unmet(
                "events",
                'error after … assistant("One.") toolStart(create_file) setCode(preview) x2 setCode(result)'
                ' toolResult(create_file, ok) turnStart(2) assistant("Two.") final(completed)',
                "the end of the run",
            ),
        ),
    ],
)  # fmt: skip
def test_what_a_run_does_not_meet(expect: Expect, mismatch: Finding) -> None:
    (found,) = compare(expect, RUN)
    assert found.rule == mismatch.rule
    assert found.got == mismatch.got
    assert found.at == mismatch.at
    assert found.expected == mismatch.expected


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        (Final("", "truncated"), "truncated"),
        (Final("", "refused"), "refused"),
        (Failure("turn-limit", "enough"), "turn-limit"),
        (Failure("crash", "x"), "failed"),
    ],
)
def test_outcomes(event: Event, outcome: str) -> None:
    assert compare(Expect((outcome,)), trace(200, event)) == []  # type: ignore[arg-type]
    assert [found.rule for found in compare(Expect(("completed",)), trace(200, event))] == ["expect/outcome"]


def test_a_failure_that_is_known_by_its_text_alone_fits_every_kind() -> None:
    """A loop that hands on only a text cannot say whether it was its turn limit that ended the run."""
    failed = trace(200, Failure("raised", "MaxTurnsExceeded: 3"))
    for kind in FAILURES:
        assert compare(Expect(("failed",), error=ExpectedError(kind)), failed) == []
    assert compare(Expect(("turn-limit",)), failed) == []
    assert [found.rule for found in compare(Expect(("completed",)), failed)] == ["expect/outcome"]


def test_one_of_several_outcomes_is_enough() -> None:
    expect = Expect(("completed", "failed"))
    assert compare(expect, trace(200, Final(""))) == []
    assert compare(expect, FAILED) == []
    assert compare(expect, trace(200, Final("", "truncated"))) == [
        unmet("outcome", "completed or failed", "truncated", 2)
    ]


def test_a_failed_run() -> None:
    assert compare(Expect(("failed",), turns=0, requests=1, error=ExpectedError("http", "Bad")), FAILED) == []
    assert compare(Expect(("completed",), error=ExpectedError("stream")), FAILED) == [
        unmet("outcome", "completed", "failed (error(http): '400 Bad Request')", 3),
        unmet("error", "stream", "error(http): '400 Bad Request'", 3),
    ]
    assert compare(Expect(("failed",), error=ExpectedError("http", "Worse")), FAILED) == [
        unmet("error", "http that says 'Worse'", "error(http): '400 Bad Request'", 3),
    ]


def test_what_an_error_may_not_say() -> None:
    assert compare(Expect(("failed",), error=ExpectedError("http", lacks=("{", "Worse"))), FAILED) == []
    assert compare(Expect(("failed",), error=ExpectedError("http", lacks=("{", "Bad"))), FAILED) == [
        unmet("error", "a message without 'Bad'", "error(http): '400 Bad Request'", 3)
    ]


HISTORY = [{"role": "user", "text": "Hi"}, {"calls": [{"id": "c"}]}]
RETURNED = trace(200, Final("", usage={"input": 3}, history=HISTORY, output={"score": 4, "cups": 2}))


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (FinalExpect(usage={"input": 3, "cached": None}), []),
        (FinalExpect(usage={"input": 4}), ['a usage that has {"input": 4}']),
        (FinalExpect(output={"score": 4}), []),
        (FinalExpect(output={"score": 5}), ['an output that has {"score": 5}']),
        (FinalExpect(history=({}, {"calls": [{}], "files": None})), []),
        (FinalExpect(history=({},)), ["1 message in the history of the run"]),
        (
            FinalExpect(history=({"text": "Hi"}, {"calls": []})),
            ['message 2 of the history of the run that has {"calls": []}'],
        ),
    ],
)
def test_what_a_run_returns(expected: FinalExpect, words: list[str]) -> None:
    assert [each.expected for each in compare(Expect(("completed",), final=expected), RETURNED)] == words


def test_what_a_run_does_not_return_is_not_compared() -> None:
    expected = FinalExpect(usage={"input": 4}, history=({}, {}), output={"score": 4})
    assert compare(Expect(("completed",), final=expected), trace(200, Final(""))) == []


def test_an_answer_that_was_begun_and_never_closed_is_a_turn() -> None:
    run = trace(200, Failure("stream", "x"))
    unclosed = Trace(run.case, tuple(record for record in run.records if not isinstance(record, ResponseRecord)))
    assert compare(Expect(("failed",), turns=1, requests=1), unclosed) == []


def test_an_empty_trace_misses_everything_without_a_place() -> None:
    expect = Expect(("completed",), 1, 1, parse("final"), FinalExpect(""))
    assert compare(expect, trace()) == [
        unmet("outcome", "completed", "neither a final nor an error event"),
        unmet("turns", "1 model turn", "0"),
        unmet("requests", "1 request", "0"),
        unmet("events", "the run to end with final", "no event"),
        unmet("final", "a final event", "none"),
    ]


def test_texts_of_two_turns_or_two_kinds_are_not_joined() -> None:
    two = trace(Assistant("a", "1"), Assistant("b", "2"), Thinking("c", "2"), Final(""))
    assert compare(Expect(("completed",), events=parse('assistant("a") assistant("b") thinking("c") final')), two) == []


def test_the_halves_of_a_character_that_were_told_apart_are_that_character() -> None:
    halves = trace(Assistant("A \ud83d", "1"), Assistant("\ude80", "1"), Assistant(" \ud83d", "1"), Final(""))
    assert compare(Expect(("completed",), events=parse('assistant("A 🚀 \\ud83d") final')), halves) == []


def test_turn_starts_part_texts_only_when_the_expression_names_them() -> None:
    run = trace(Assistant("a", "1"), TurnStart(2), Assistant("b", "1"), Final(""))
    assert compare(Expect(("completed",), events=parse('assistant("ab") final')), run) == []
    assert compare(Expect(("completed",), events=parse("assistant turnStart assistant final")), run) == []


@pytest.mark.parametrize(("over", "words"), [("", []), ("websocket", ["request 1 with 'all' at /input"])])
def test_places_of_what_is_new_over_a_connection_are_those_of_a_scenario_that_is_about_it(
    over: str, words: list[str]
) -> None:
    request = RequestRecord(0, "POST", "/v1/responses", {}, b'{"input": "new"}', connection=1)
    run = Trace(Case("c", "s", "openai-responses"), (request, ResponseRecord(0, 200, {}, b""), EventRecord(Final(""))))
    expect = Expect(("completed",), sent=(SentExpect(1, values={"/input": "all"}),))
    whole = {0: Conversation("openai-responses", "m", stream=True, messages=())}
    assert [each.expected for each in compare(expect, run, whole, over=over)] == words
