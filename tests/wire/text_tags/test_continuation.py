"""What the rules of the text protocol do not state of themselves: which turns are judged, and what is shown."""

from __future__ import annotations

import json
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
from tests.wire.text_tags.reading import call

Body = dict[str, Any]
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


def test_a_turn_that_called_nothing_is_followed_by_anything() -> None:
    assert after_one_turn(assistant("Done."), user("And now?"), turn=Turn((Text("Done."),))) == []
    assert after_one_turn(assistant(""), turn=Turn()) == []


def test_a_turn_that_a_caller_put_under_a_shorter_history_has_its_message() -> None:
    endpoint = Endpoint()
    endpoint.issue(TURN, PROMPT)
    assert endpoint.judge([user("Anew."), *RIGHT]) == []
    assert [each.id for each in endpoint.judge([user("Anew."), user("hi"), *RIGHT[1:]])] == ["TAG-01"]


def test_what_the_chat_api_refuses_is_found_first_and_is_the_only_thing_refused() -> None:
    found = after_one_turn(assistant(CONTENT), {"role": "user", "content": None})
    assert [(violation.id, violation.answered.status) for violation in found] == [("OAC-09", 400), ("TAG-02", 200)]


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


def test_the_rule_is_not_said_to_be_a_providers() -> None:
    assert "HTTP 400" not in rule("continuation/text-tags").why
    with pytest.raises(BadInput):
        rule("TAGS-01")
