"""A dialect has the path of its wire: which of the two is spoken is for the case to say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from harness.endpoint import CaseEndpoint, Conversations, ResponsePlan, Rounds
from harness.rules import judge
from harness.wire import WireName
from tests.endpoint.endpoint import PATH, answered, opened, question, turn_back
from tests.endpoint.endpoint import desk as case_desk

RESULTS = {"role": "user", "content": "Tool results:\n\n[read] done"}


def desk(wire: WireName, name: str = "a-case") -> CaseEndpoint:
    return case_desk(wire=wire, name=name, apart=Conversations(alone=True))


def ask(case: CaseEndpoint | Rounds, *messages: Any, path: str = PATH) -> ResponsePlan:
    return answered(opened(case), path, question(*messages))


def said(answer: ResponsePlan) -> bytes:
    return b"".join(answer.chunks)


@pytest.mark.parametrize(("wire", "native"), [("openai-chat", True), ("text-tags", False)])
def test_the_case_says_which_of_two_wires_with_one_path_is_spoken(wire: WireName, native: bool) -> None:
    answer = ask(desk(wire))
    assert answer.reply is not None
    assert answer.reply.wire == wire
    assert (b'"tool_calls"' in said(answer), b"<" in said(answer)) == (native, not native)


def test_another_wire_than_the_cases_is_answered_in_its_own_words() -> None:
    refused = ask(desk("text-tags"), path="/v1/messages")
    assert json.loads(said(refused))["type"] == "error"


@pytest.mark.parametrize(
    ("results", "rules"),
    [([RESULTS], []), ([], ["TAG-02"]), ([{"role": "user", "content": "Tool results:\n\n[write] x"}], ["TAG-03"])],
)
def test_no_server_refuses_a_text_so_neither_does_the_endpoint(results: Sequence[Any], rules: list[str]) -> None:
    case = desk("text-tags")
    ask(case)
    assert ask(case, turn_back(case), *results).status == 200
    assert [violation.id for _, violation in case.violations] == rules


def test_what_the_chat_api_refuses_is_refused_here_too() -> None:
    case = desk("text-tags")
    ask(case)
    refused = ask(case, turn_back(case), {"role": "tool", "tool_call_id": "call_1", "content": "done"})
    assert refused.status == 400
    assert "messages with role 'tool' must be a response" in json.loads(said(refused))["error"]["message"]


def test_a_stored_trace_is_judged_in_the_wire_of_its_case() -> None:
    case = desk("text-tags")
    for messages in ([], [{"role": "assistant", "content": "<tool_call>"}, RESULTS]):
        ask(case, *messages)
    found = judge(case.recorder.trace(), ["TAG-01"])
    assert [(finding.rule, finding.reference, finding.level) for finding in found] == [
        ("continuation/text-tags", "TAG-01", "MUST")
    ]
    assert found[0].explanation.startswith("messages[1]: The model does not find its own words")


def test_a_fresh_conversation_is_a_new_round_in_a_dialect_too() -> None:
    rounds = Rounds(lambda number: desk("text-tags", f"round-{number}"))
    ask(rounds)
    ask(rounds, turn_back(rounds.endpoints[0]), RESULTS)
    ask(rounds)
    assert [len(each.issued.turns) for each in rounds.endpoints] == [2, 1]
    assert rounds.endpoints[0].violations == []
