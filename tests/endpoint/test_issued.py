"""Where nobody knows what a program asks, a request goes on only from what the endpoint has issued."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.endpoint import AutomaticModel, Conversations, ScriptSource
from harness.scenario import Cut, HttpErrorStep, TurnStep
from harness.wire import Text, Turn
from tests.endpoint.endpoint import CALL, DONE, PATH, desk, opened
from tests.endpoint.endpoint import answered as delivered
from tests.endpoint.program import OTHER, READ, TOOL, Program, after_calls, answered, said, user, with_an_answer

SYSTEM = {"role": "system", "content": "You label texts."}
AT_ANSWER = 5
"""Where the answer is in a history: behind the orders, the question, a turn with two calls, and their results."""

SHOTS = ({"role": "user", "content": "Example: a"}, {"role": "assistant", "content": "All done."})


def test_requests_that_share_examples_of_the_programs_own_are_independent() -> None:
    program = Program()
    for text in ("doc one", "doc two", "doc three"):
        program.ask(SYSTEM, *SHOTS, user(text))
    assert (program.counts, program.rules) == ([[1], [1], [1]], [])


def test_an_example_that_says_what_the_model_has_said_elsewhere_is_no_link() -> None:
    program = Program(DONE, DONE, DONE)
    for text in ("doc one", "doc two"):
        assert program.ask(SYSTEM, *SHOTS, user(text))["content"] == "All done."
    assert (program.counts, program.rules) == ([[1], [1]], [])


def test_examples_with_calls_of_the_programs_own_are_no_link() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path":"example"}'}}
    shots = (user("Example"), *answered({"role": "assistant", "content": None, "tool_calls": [call]}))
    program = Program()
    for text in ("doc one", "doc two"):
        first = program.ask(*shots, user(text), tools=[TOOL])
        program.ask(*shots, user(text), *answered(first), tools=[TOOL])
    assert (program.counts, program.rules) == ([[2], [2]], [])


def test_a_text_of_a_script_is_a_link_where_it_answers_what_it_answered() -> None:
    program = Program(DONE, DONE)
    first = program.ask(SYSTEM, user("one"))
    program.ask({**SYSTEM, "content": "Be brief."}, user("one"), said(first), user("two"), tools=[TOOL])
    program.ask(SYSTEM, user("another"), said(first), user("two"))
    assert program.counts == [[1, 1], [1]]


def test_a_text_of_the_automatic_model_is_recognised_whatever_became_of_it() -> None:
    program = Program()
    first = program.ask(SYSTEM, user("one"))
    changed = {"role": "assistant", "content": f"So: {first['content']}"}
    program.ask(SYSTEM, user("one"), changed, user("two"))
    assert program.counts == [[2]]
    assert "history/model-text" in program.rules


def test_a_request_that_goes_on_from_an_earlier_turn_is_a_branch() -> None:
    """The user edits an earlier message, or has the answer made anew."""
    program = Program()
    history: list[Any] = [SYSTEM, user("one")]
    for text in ("two", "three"):
        history += [said(program.ask(*history)), user(text)]
    program.ask(*history)
    for _ in range(2):
        program.ask(*history[:-1], user("another three"))
    program.ask(*history[:3], user("another two"))
    assert (program.counts, program.rules) == ([[3, 1, 1, 1]], [])


def test_a_branch_goes_on_and_is_judged_by_itself() -> None:
    program = Program()
    first = program.ask(SYSTEM, user("one"), tools=[TOOL])
    history = [SYSTEM, user("one"), *answered(first)]
    second = program.ask(*history, tools=[TOOL])
    branched = program.ask(*history, tools=[TOOL])
    program.ask(*history, said(second), user("two"), tools=[TOOL])
    program.ask(*history, said(branched), user("two, other"), tools=[TOOL])
    assert (program.counts, program.rules) == ([[3, 2]], [])
    lost = {**answered(first)[1], "tool_call_id": "call_of_nobody"}
    assert "error" in program.ask(SYSTEM, user("one"), first, lost, said(branched), user("three"), tools=[TOOL])
    assert "continuation/openai-chat" in program.rules


def test_on_responses_two_requests_may_name_the_same_response() -> None:
    program = Program()
    first = program.post("/v1/responses", {"model": "gpt-4.1", "input": "one"})
    for text in ("two", "another two"):
        body = {"model": "gpt-4.1", "previous_response_id": first["id"], "input": text}
        second = program.post("/v1/responses", body)
    program.post("/v1/responses", {"model": "gpt-4.1", "previous_response_id": second["id"], "input": "three"})
    assert (program.counts, program.rules) == ([[2, 2]], [])


def test_a_title_and_a_judge_that_send_the_history_are_branches() -> None:
    program = Program()
    first = program.ask(SYSTEM, user("one"))
    history = [user("one"), said(first)]
    program.ask({"role": "system", "content": "Write a title."}, *history, user("Title?"))
    program.ask({"role": "system", "content": "You judge answers."}, *history, user("Is it good?"))
    program.ask(SYSTEM, *history, user("two"))
    assert (program.counts, program.rules) == ([[2, 1, 1]], [])


def test_an_agent_that_takes_over_with_other_orders_and_tools_is_a_branch() -> None:
    program = Program()
    first = program.ask(SYSTEM, user("one"), tools=[TOOL])
    program.ask({"role": "system", "content": "You write."}, user("one"), *answered(first), tools=[OTHER])
    assert (program.counts, program.rules) == ([[1, 1]], [])


@pytest.mark.parametrize(
    ("system", "tools"),
    [(None, [TOOL]), (SYSTEM, []), (None, [])],
    ids=["no-orders", "no-tools", "neither"],
)
def test_a_loop_that_loses_its_orders_or_tools_is_blamed(system: Any, tools: list[Any]) -> None:
    program = Program()
    first = program.ask(SYSTEM, user("one"), tools=[TOOL])
    program.ask(*([system] if system else []), user("one"), *answered(first), tools=tools)
    assert program.counts == [[2]]
    assert program.rules


def test_what_got_no_whole_answer_is_asked_again_in_its_conversation() -> None:
    program = Program(HttpErrorStep(500))
    assert "error" in program.ask(SYSTEM, *SHOTS, user("doc one"))
    program.ask(SYSTEM, *SHOTS, user("doc two"))
    assert program.ask(SYSTEM, *SHOTS, user("doc one"))["content"]
    assert (program.counts, program.rules) == ([[2, 1]], [])


def test_a_lost_result_of_a_call_is_found_though_only_the_ids_are_left() -> None:
    program = Program()
    first = program.ask(user("one"), tools=[TOOL])
    program.ask(user("Go on."), *answered(first)[1:], tools=[TOOL])
    assert program.counts == [[2]]
    assert program.rules


def test_a_title_request_that_quotes_the_prompt_before_the_run_breaks_nothing() -> None:
    """It wants JSON, so it is no run of a scenario without tools; nothing was asked before that it could take over."""
    prompt = (("system", "You are kind."), ("user", "Hello."))
    answer = TurnStep(Turn((Text("Hi."),)))
    apart = Conversations(prompt, [], (), AutomaticModel, restart=lambda: ScriptSource([answer]))
    case = desk([answer], apart=apart)
    endpoints = opened(case)
    texts = []
    for system, more in (("Write a title.", {"response_format": {"type": "json_object"}}), ("You are kind.", {})):
        messages = [{"role": "system", "content": system}, user("Hello.")]
        body = json.dumps({"model": "gpt-4.1", "messages": messages, **more}).encode()
        plan = delivered(endpoints, PATH, body)
        assert plan.status == 200
        texts.append(json.loads(b"".join(plan.chunks))["choices"][0]["message"]["content"])
    assert texts[1] == "Hi."
    assert [each.number for each in case.apart] == [1, 0]


def test_a_request_with_another_opening_after_a_broken_answer_is_still_of_its_conversation() -> None:
    cut = TurnStep(Turn((Text("It is in"),)), cut=Cut(after=1, how="cut"))
    program = Program(CALL, cut)
    history = after_calls(program, user("one"))
    program.ask(*history, tools=[TOOL], stream=True)
    program.ask(user("one, second attempt"), *history[1:], tools=[TOOL])
    assert program.counts == [[3]]
    assert program.rules == ["history/append-only"]


def test_of_two_answers_to_the_same_request_the_one_whose_thoughts_come_back_is_meant() -> None:
    """Both say the same text; only their signatures differ."""
    program = Program(wire="anthropic-messages")
    body = {"model": "claude-sonnet-4-6", "max_tokens": 4096, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    first = program.post("/v1/messages", {**body, "messages": [user("one")]})
    history = [user("one"), {"role": "assistant", "content": first["content"]}, user("two")]
    answers = [program.post("/v1/messages", {**body, "messages": history})["content"] for _ in range(2)]
    for answer in reversed(answers):
        asked = [*history, {"role": "assistant", "content": answer}, user("three")]
        assert "content" in program.post("/v1/messages", {**body, "messages": asked})
    assert (program.counts, program.rules) == ([[3, 2]], [])


def test_results_of_another_conversation_are_a_mistake_of_the_one_whose_turn_they_are_sent_with() -> None:
    program = Program()
    one, two = (program.ask(user(text), tools=[TOOL]) for text in ("one", "two"))
    program.ask(user("two"), answered(two)[0], *answered(one)[1:], tools=[TOOL])
    assert program.counts == [[1], [2]]
    assert "history/append-only" not in program.rules
    assert "continuation/openai-chat" in program.rules


@pytest.mark.parametrize("first", ["aside", "on"])
def test_a_side_question_without_tools_and_the_next_question_with_them_are_both_right(first: str) -> None:
    program = Program()
    *history, _ = with_an_answer(program, SYSTEM, user("one"))
    asked = {"aside": ([*history, user("Title?")], []), "on": ([*history, user("two")], [TOOL])}
    for name in (first, *(each for each in asked if each != first)):
        messages, tools = asked[name]
        program.ask(*messages, tools=tools)
    assert (program.counts, program.rules) == ([[3, 1]], [])


@pytest.mark.parametrize(
    ("changed", "rules"),
    [
        ({}, []),
        ({0: {**SYSTEM, "content": "It is noon."}}, []),
        ({1: user("one, but otherwise")}, ["history/append-only"]),
        ({AT_ANSWER: None}, ["history/model-text"]),
    ],
    ids=["right", "orders", "question", "answer"],
)
def test_the_first_request_of_a_branch_is_compared_with_what_it_goes_on_from(
    changed: dict[int, Any], rules: list[str]
) -> None:
    program = Program()
    history = with_an_answer(program, SYSTEM, user("one"))
    program.ask(*history, tools=[TOOL])
    if AT_ANSWER in changed:  # its tag says whose it is
        changed = {AT_ANSWER: {"role": "assistant", "content": f"So: {history[AT_ANSWER]['content']}"}}
    history[-1] = user("another two")
    program.ask(*(changed.get(at, each) for at, each in enumerate(history)), tools=[TOOL])
    assert (program.counts, program.rules) == ([[3, 1]], rules)


@pytest.mark.parametrize("kept", [True, False], ids=["question kept", "question lost"])
def test_a_past_may_be_shortened_but_not_the_question_that_is_being_answered(kept: bool) -> None:
    program = Program()
    history = with_an_answer(program, SYSTEM, user("one"), then="and two?")
    called = answered(program.ask(*history, tools=[TOOL], tool_choice="required"))
    begun = [user("and two?")] if kept else [user("Go on.")]
    program.ask(SYSTEM, *begun, *called, tools=[TOOL])
    assert (program.counts, program.rules) == ([[4]], [] if kept else ["history/append-only"])


def test_of_two_that_ask_the_same_each_goes_on_from_its_own_answer() -> None:
    program = Program()
    answers = [said(program.ask(user("one"))) for _ in range(2)]
    assert answers[0] != answers[1]
    for answer in answers:
        program.ask(user("one"), answer, user("two"))
    assert (program.counts, program.rules) == ([[2], [2]], [])


def test_a_chat_with_a_model_that_thinks_may_keep_its_texts_alone() -> None:
    program = Program(wire="anthropic-messages")
    body = {"model": "claude-sonnet-4-5", "max_tokens": 4096, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    first = program.post("/v1/messages", {**body, "messages": [user("one")]})
    (text,) = [each for each in first["content"] if each["type"] == "text"]
    program.post(
        "/v1/messages", {**body, "messages": [user("one"), {"role": "assistant", "content": [text]}, user("two")]}
    )
    assert (program.counts, program.rules) == ([[2]], [])


def test_functions_of_2023_are_not_called() -> None:
    program = Program()
    function = {"name": "read", "parameters": READ}
    assert "tool_calls" not in program.ask(user("one"), functions=[function])
    (case,) = program.rounds.endpoints
    assert list(case.source.notes(case.conversations[0][1])) == [  # type: ignore[attr-defined]
        "no tool is called: the automatic model calls functions of 'tools', and no custom tools or 'functions'"
    ]


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param(lambda history: history[-1:], id="a-window"),
        pytest.param(lambda history: [{**SYSTEM, "content": "So far: one."}, *history[-1:]], id="a-summary"),
        pytest.param(lambda history: [history[0], history[1], *history[-2:]], id="without-calls"),
        pytest.param(lambda history: [{**SYSTEM, "content": "It is noon."}, *history[1:]], id="the-time"),
    ],
)
def test_what_was_said_before_the_latest_question_may_be_shortened(kept: Any) -> None:
    program = Program()
    shortened = after_calls(program, *kept(with_an_answer(program, SYSTEM, user("one"))))
    program.ask(*shortened, tools=[TOOL])
    assert program.rules == []


@pytest.mark.parametrize("lost", [1, 2, 3], ids=["the-question", "the-turn", "a-result"])
def test_what_belongs_to_the_latest_question_may_not(lost: int) -> None:
    program = Program()
    history = after_calls(program, SYSTEM, user("one"))
    program.ask(*history[:lost], *history[lost + 1 :], tools=[TOOL])
    assert program.rules


def test_a_request_that_only_names_a_response_breaks_nothing() -> None:
    """It has no message at all, and leaves the orders of the response behind."""
    program = Program(wire="openai-responses")
    first = program.post("/v1/responses", {"model": "gpt-4.1", "instructions": "Be kind.", "input": "one"})
    program.post("/v1/responses", {"model": "gpt-4.1", "previous_response_id": first["id"], "input": []})
    assert program.counts == [[2]]
