"""Calls that a program has never answered, as far as its requests show it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.scenario import Cut, TurnStep
from harness.wire import Call, FinishReason, Text, Turn
from tests.endpoint.program import OTHER, TOOL, Program, answered, user, with_an_answer

UNFINISHED = "final/unfinished"


def left(program: Program) -> list[tuple[str, str]]:
    return [(each.rule, each.level) for each in program.found()]


def test_calls_that_nobody_answers_are_found_once_the_program_has_ended() -> None:
    program = Program()
    program.ask(user("one"), tools=[TOOL])
    assert left(program) == [(UNFINISHED, "SHOULD")]
    assert program.found(over=False) == []
    (finding,) = program.found()
    assert (finding.expected, finding.at) == ("a request with the results of read, read", 3)


def test_a_program_that_has_answered_calls_before_has_lost_them() -> None:
    program = Program()
    program.ask(*with_an_answer(program, user("one")), tools=[TOOL])
    assert left(program) == [(UNFINISHED, "MUST")]


def test_calls_that_are_answered_are_not_found() -> None:
    program = Program()
    program.ask(user("one"), *answered(program.ask(user("one"), tools=[TOOL])), tools=[TOOL])
    assert left(program) == []


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ("required", []),
        ({"type": "function", "function": {"name": "read"}}, []),
        ("auto", [(UNFINISHED, "SHOULD")]),
        (None, [(UNFINISHED, "SHOULD")]),
    ],
    ids=["required", "named", "auto", "null"],
)
def test_a_call_that_the_request_has_forced_is_its_result(choice: Any, found: list[tuple[str, str]]) -> None:
    program = Program()
    program.ask(user("one"), tools=[TOOL], tool_choice=choice)
    assert left(program) == found


@pytest.mark.parametrize("turn", [1, 2], ids=["with-another-agent", "in-a-branch"])
def test_calls_may_be_answered_in_another_conversation(turn: int) -> None:
    program = Program()
    first = program.ask({"role": "system", "content": "You read."}, user("one"), tools=[TOOL])
    if turn == 1:
        program.ask({"role": "system", "content": "You write."}, user("one"), *answered(first), tools=[OTHER])
    else:
        history = ({"role": "system", "content": "You read."}, user("one"), *answered(first))
        for text in ("two", "three"):
            program.ask(*history, user(text), tools=[TOOL], tool_choice="none")
    assert left(program) == []


def test_a_branch_that_leaves_calls_behind_is_found() -> None:
    program = Program()
    history = with_an_answer(program, user("one"))
    program.ask(*history, tools=[TOOL])
    program.ask(*history[:-1], user("another two"))
    assert left(program) == [(UNFINISHED, "MUST")]


@pytest.mark.parametrize(
    "step",
    [
        TurnStep(Turn((Call("read", "{}"),), FinishReason.MAX_TOKENS)),
        TurnStep(Turn((Call("read", "{}"),), FinishReason.TOOL_CALLS), cut=Cut(after=1, how="cut")),
        TurnStep(Turn((Call("of_nobody", "{}"),), FinishReason.TOOL_CALLS)),
        TurnStep(Turn((Text("No."),))),
    ],
    ids=["stopped", "cut", "not-offered", "no-call"],
)
def test_what_no_loop_must_answer_is_not_found(step: TurnStep) -> None:
    program = Program(step)
    program.ask(user("one"), tools=[TOOL], stream=True)
    assert left(program) == []


def test_a_loop_that_makes_the_same_calls_may_stop_at_a_limit_of_its_own() -> None:
    program = Program(*[TurnStep(Turn((Call("read", "{}"),), FinishReason.TOOL_CALLS))] * 3)
    history = [user("one")]
    for turns in (2, 1, 0):
        assert (left(program) == []) is (turns == 2)
        history += answered(program.ask(*history, tools=[TOOL]))
    assert left(program) == []
