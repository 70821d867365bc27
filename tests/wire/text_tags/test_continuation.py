"""TAG rules: a right continuation keeps them all, and each is broken by the mistake that it is about."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.errors import BadInput
from harness.finding import Finding
from harness.rules import rule
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    IssuedState,
    Route,
    Text,
    ThinkingPart,
    Turn,
    WireRule,
)
from harness.wire.text_tags import WIRE
from harness.wire.text_tags.prompt import ANSWER_NOW
from harness_lab.mutants.requests import mutants
from tests.wire.text_tags.reading import call

Body = dict[str, Any]
IDS = {rule.id for rule in WIRE.rules}
READ = Call("read", '{"path": "a.py"}')
ROUTE = Route("text-tags")
TURN = Turn((ThinkingPart("Both."), Text("I look."), READ, Call("now", "{}"), READ), FinishReason.TOOL_CALLS)
READING = call("read", '{"path": "a.py"}')
CONTENT = f"<think>Both.</think>I look.{READING}{call('now')}{READING}"
RESULTS = "Tool results:\n\n[read] one\n\n[now] two\n\n[read] three"
PROMPT = [{"role": "system", "content": "S"}, {"role": "user", "content": "hi"}]


def user(text: str) -> Body:
    return {"role": "user", "content": text}


def assistant(text: str) -> Body:
    return {"role": "assistant", "content": text}


def asked(messages: list[Body], **members: Any) -> Conversation:
    return WIRE.read(ROUTE, json.dumps({"model": "m", "messages": messages, **members}).encode())


class Endpoint:
    """Issues turns and judges what comes after them."""

    def __init__(self) -> None:
        self.sent = IssuedState()
        self._identity = Identity("case")

    def issue(self, turn: Turn, messages: list[Body]) -> None:
        conversation = asked(messages)
        self.sent.add(conversation, WIRE.render(turn, self._identity, conversation).reply)

    def judge(self, messages: list[Body], **members: Any) -> list[Finding]:
        return WIRE.violations(asked(messages, **members), self.sent)


def after_one_turn(*messages: Body, turn: Turn = TURN, **members: Any) -> list[Finding]:
    endpoint = Endpoint()
    endpoint.issue(turn, PROMPT)
    return endpoint.judge([*PROMPT, *messages], **members)


RIGHT = [assistant(CONTENT), user(RESULTS)]


@pytest.mark.parametrize("behind", [[], [user("Look: a map.")], [user(ANSWER_NOW)], [user("Look."), user(ANSWER_NOW)]])
def test_a_right_continuation_breaks_nothing(behind: list[Body]) -> None:
    assert after_one_turn(*RIGHT, *behind) == []


def test_a_turn_that_called_nothing_is_followed_by_anything() -> None:
    assert after_one_turn(assistant("Done."), user("And now?"), turn=Turn((Text("Done."),))) == []
    assert after_one_turn(assistant(""), turn=Turn()) == []


def test_a_turn_that_a_caller_put_under_a_shorter_history_has_its_message() -> None:
    endpoint = Endpoint()
    endpoint.issue(TURN, PROMPT)
    assert endpoint.judge([user("Anew."), *RIGHT]) == []
    assert [each.id for each in endpoint.judge([user("Anew."), user("hi"), *RIGHT[1:]])] == ["TAG-01"]


MUTANTS: dict[str, tuple[str, list[Body]]] = {
    "thinking stripped": ("TAG-01", [assistant(CONTENT.split("</think>")[1]), user(RESULTS)]),
    "calls stripped": ("TAG-01", [assistant("<think>Both.</think>I look."), user(RESULTS)]),
    "arguments tidied": ("TAG-01", [assistant(CONTENT.replace('": "', '":"')), user(RESULTS)]),
    "results without the turn": ("TAG-01", [user(RESULTS)]),
    "results behind a note, without the turn": ("TAG-01", [user("Look: a map."), user(RESULTS)]),
    "no results": ("TAG-02", [assistant(CONTENT)]),
    "something else instead": ("TAG-02", [assistant(CONTENT), user("Here you are.")]),
    "a note in front of the results": ("TAG-02", [assistant(CONTENT), user("Look: a map."), user(RESULTS)]),
    "one message per result": (
        "TAG-02",
        [assistant(CONTENT), *(user(f"Tool results:\n\n[{name}] x") for name in ("read", "now", "read"))],
    ),
    "a result dropped": ("TAG-03", [assistant(CONTENT), user("Tool results:\n\n[read] one\n\n[now] two")]),
    "results reordered": ("TAG-03", [assistant(CONTENT), user("Tool results:\n\n[now] two\n\n[read] 1\n\n[read] 3")]),
    "a wrong name": ("TAG-03", [assistant(CONTENT), user(RESULTS.replace("[now]", "[date]"))]),
    "no entries": ("TAG-03", [assistant(CONTENT), user("Tool results:\n\n[1] nothing")]),
    "a result added": ("TAG-04", [assistant(CONTENT), user(f"{RESULTS}\n\n[now] again")]),
    "demand in the results": ("TAG-06", [assistant(CONTENT), user(f"{RESULTS}\n\n{ANSWER_NOW}")]),
}


@pytest.mark.parametrize("mistake", MUTANTS)
def test_each_mistake_is_found_by_its_rule(mistake: str) -> None:
    id, messages = MUTANTS[mistake]
    assert id in IDS
    assert {violation.id for violation in after_one_turn(*messages)} == {id}


def test_a_demand_in_front_of_the_results_is_found_by_both() -> None:
    found = after_one_turn(assistant(CONTENT), user(ANSWER_NOW), user(RESULTS))
    assert [(violation.id, violation.answered.place) for violation in found] == [
        ("TAG-02", "messages[3]"),
        ("TAG-06", "messages[3]"),
    ]


NATIVE: dict[str, Callable[[], list[Finding]]] = {
    "tools": lambda: after_one_turn(*RIGHT, tools=[{"type": "function", "function": {"name": "read"}}]),
    "functions": lambda: after_one_turn(*RIGHT, functions=[{"name": "read"}]),
}


@pytest.mark.parametrize("declared", NATIVE)
def test_native_tools_are_not_declared(declared: str) -> None:
    (found,) = NATIVE[declared]()
    assert (found.id, found.answered.place, found.answered.status) == ("TAG-05", declared, 200)


def test_native_calls_and_results_break_this_protocol() -> None:
    native = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    turn = {**assistant(CONTENT), "tool_calls": [native]}
    found = after_one_turn(turn, {"role": "tool", "tool_call_id": "call_1", "content": "one"}, user(RESULTS))
    assert [violation.id for violation in found] == ["TAG-05", "TAG-05", "TAG-02"]


def test_every_rule_has_its_mistake() -> None:
    assert {id for id, _ in MUTANTS.values()} | {"TAG-05"} == IDS


def test_what_the_chat_api_refuses_is_found_first_and_is_the_only_thing_refused() -> None:
    found = after_one_turn(assistant(CONTENT), {"role": "user", "content": None})
    assert [(violation.id, violation.answered.status) for violation in found] == [("OAC-09", 400), ("TAG-02", 200)]


# --- the evidence -------------------------------------------------------------------------------------------


def test_the_words_of_the_model_are_shown_from_where_they_differ() -> None:
    (found,) = after_one_turn(assistant(CONTENT.replace("I look", "I looked")), user(RESULTS))
    assert (found.answered.place, found.level) == ("messages[2]", "MUST")
    assert found.expected.startswith("'…>Both.</think>I look.<tool_call>")
    assert found.got.startswith("'…>Both.</think>I looked.<tool_call>")


def test_entries_are_shown_as_they_must_be_and_as_they_are() -> None:
    (found,) = after_one_turn(assistant(CONTENT), user("Tool results:\n\n[read] one\n\n[read] three"))
    assert (found.answered.place, found.expected, found.got) == ("messages[3]", "[read] [now] [read]", "[read] [read]")


def test_an_added_result_is_only_likely_because_a_result_may_say_so() -> None:
    (found,) = after_one_turn(assistant(CONTENT), user(f"{RESULTS}\n\n[now] again"))
    assert (found.level, found.got) == ("SHOULD", "1 more")


def test_results_after_a_turn_that_called_nothing_are_only_likely_wrong() -> None:
    (found,) = after_one_turn(assistant("Done."), user(RESULTS), turn=Turn((Text("Done."),)))
    assert (found.id, found.level) == ("TAG-02", "SHOULD")


# --- which turns are judged ---------------------------------------------------------------------------------


def test_a_mistake_is_reported_once_and_a_later_change_anew() -> None:
    endpoint = Endpoint()
    endpoint.issue(TURN, PROMPT)
    wrong = [*PROMPT, assistant(CONTENT), user("Tool results:\n\n[read] one")]
    assert [violation.id for violation in endpoint.judge(wrong)] == ["TAG-03"]
    endpoint.issue(Turn((READ,)), wrong)
    behind = [assistant(READING), user("Tool results:\n\n[read] one")]
    assert endpoint.judge([*wrong, *behind]) == []
    forgotten = [*PROMPT, assistant(CONTENT.split("</think>")[1]), *wrong[3:], *behind]
    assert [(each.id, each.answered.place) for each in endpoint.judge(forgotten)] == [
        ("TAG-01", "messages[2]"),
        ("TAG-03", "messages[3]"),
    ]


def test_a_turn_that_broke_and_was_asked_for_again_is_not_expected_back() -> None:
    endpoint = Endpoint()
    endpoint.issue(Turn((READ,), ending="eof"), PROMPT)
    endpoint.issue(Turn((Text("First."),)), PROMPT)
    endpoint.issue(TURN, PROMPT)
    assert endpoint.judge(PROMPT) == []
    assert endpoint.judge([*PROMPT, *RIGHT]) == []


def test_a_turn_that_the_caller_left_out_is_for_the_rules_on_histories() -> None:
    assert after_one_turn(user("Rather in Celsius, please.")) == []
    assert after_one_turn(assistant("It is 21 degrees."), user("In Celsius?")) == []


def test_histories_of_others_are_not_judged_by_what_was_never_issued() -> None:
    history = [*PROMPT, assistant(call("old")), user("Never mind."), assistant("Well."), user("Go on.")]
    assert Endpoint().judge(history) == []
    endpoint = Endpoint()
    endpoint.issue(TURN, history)
    assert endpoint.judge([*history, *RIGHT]) == []


# --- the rule -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule_of_wire", WIRE.rules, ids=lambda rule: rule.id)
def test_each_rule_of_the_wire_is_reported_and_refused_by_nobody(rule_of_wire: WireRule) -> None:
    assert rule(rule_of_wire.id).id == "continuation/text-tags"
    assert {wording.status for wording in rule_of_wire.templates} == {200}
    assert rule_of_wire.statement.endswith(".")
    assert rule_of_wire.why.endswith(".")
    assert rule_of_wire.evidence


@pytest.mark.parametrize(
    ("id", "wording"), [(rule.id, wording.message) for rule in WIRE.rules for wording in rule.templates]
)
def test_every_wording_is_said_of_some_mutant(id: str, wording: str) -> None:
    said = set()
    for mutant in mutants("text-tags"):
        played = mutant.base_requests[0].play()
        posted = played.last
        mutant.edit(posted)
        said |= {(violation.id, violation.answered.message) for violation in played.judge(posted)}
    assert (id, wording) in said


def test_the_rule_is_not_said_to_be_a_providers() -> None:
    assert "HTTP 400" not in rule("continuation/text-tags").why
    with pytest.raises(BadInput):
        rule("TAGS-01")
