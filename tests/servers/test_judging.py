"""One answer by itself: what a finding says, and what depends on more than the answer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from harness.servers.rules import Content, ReceivedResponse, judge_response
from harness.wire import NativeWireName, wire
from harness_lab.mutants.responses import ResponseMutant, response_mutants, served
from harness_lab.mutants.responses.mutant import by_document, by_events, each


def broken(name: NativeWireName, mutant_name: str) -> ReceivedResponse:
    """The answer that a mutant makes of the first one that it is for."""
    mutant: ResponseMutant = next(each for each in response_mutants(name) if each.name == mutant_name)
    answer = mutant.edit(served(name, mutant.on[0], stream=mutant.stream))
    assert answer is not None
    return answer.response


def test_a_finding_says_the_rule_the_place_and_what_came() -> None:
    (finding,) = judge_response("anthropic-messages", broken("anthropic-messages", "end-turn-with-calls"))
    assert (finding.rule, finding.reference, finding.level) == ("server/answer", "SA-05", "MUST")
    assert finding.detail.startswith("event ")
    assert (finding.expected, finding.got) == ("stop_reason tool_use", "end_turn")
    assert finding.at is None


@pytest.mark.parametrize(
    ("name", "rule", "content"),
    [
        ("openai-responses", "SR-10", "thinking signature"),
        ("anthropic-messages", "SA-07", "thinking signature"),
        ("gemini-generate", "SG-01", "call signature"),
        ("gemini-interactions", "SI-05", "thinking signature"),
    ],
)
def test_a_signature_that_the_model_does_not_give_is_missing_for_information(
    name: NativeWireName, rule: str, content: Content
) -> None:
    answer = broken(name, "no-encrypted-content" if rule == "SR-10" else "no-signature")
    found = judge_response(name, answer)
    assert {(finding.reference, finding.level == "INFO") for finding in found} == {(rule, False)}
    assert judge_response(name, replace(answer, unsigned=frozenset({"text signature"}))) == found
    found = judge_response(name, replace(answer, unsigned=frozenset({content})))
    assert {(finding.reference, finding.level) for finding in found} == {(rule, "INFO")}


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("openai-chat", "SC-05"),
        ("openai-responses", "SR-08"),
        ("anthropic-messages", "SA-09"),
        ("gemini-generate", "SG-07"),
        ("gemini-interactions", "SI-09"),
        ("bedrock-converse", "SB-08"),
    ],
)
def test_an_id_of_an_earlier_turn_is_not_given_again(name: NativeWireName, rule: str) -> None:
    answer = served(name, "a call", stream=True)
    assert answer.side.reply is not None
    (call,) = answer.side.reply.turn.calls
    earlier = replace(answer.response, earlier_ids=frozenset({str(call.id)}))
    assert [finding.reference for finding in judge_response(name, earlier)] == [rule]


def test_what_was_asked_for_decides() -> None:
    answer = served("openai-chat", "text", stream=True).response
    assert judge_response("openai-chat", answer) == []
    unasked = replace(answer, request={"stream": True})
    assert [each.reference for each in judge_response("openai-chat", unasked)] == ["SC-11"]
    forced = broken("openai-chat", "stop-with-calls")
    assert [each.reference for each in judge_response("openai-chat", forced)] == ["SC-08"]
    request = {**(forced.request or {}), "tool_choice": "required"}
    assert judge_response("openai-chat", replace(forced, request=request)) == []


def test_a_wire_on_the_paths_of_another_is_read_as_that() -> None:
    answer = broken("openai-chat", "stop-with-calls")
    assert judge_response("text-tags", answer) == judge_response("openai-chat", answer)


def test_a_wire_without_a_strict_reader_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    unread = replace(wire("openai-chat"), strict=None)
    monkeypatch.setattr("harness.servers.rules.judging.wire", lambda name: unread)
    assert judge_response("openai-chat", broken("openai-chat", "stop-with-calls")) == []


def test_a_delta_without_an_index_breaks_the_rule_about_indexes_alone() -> None:
    """A gateway leaves the index out of the deltas of a summary and has it in all else: the texts are the same."""
    answer = served("openai-responses", "thinking", stream=True)
    deltas = re.compile(rb'(reasoning_summary_text\.delta",[^\n]*?),"summary_index":\d+')
    edited = replace(answer, body=deltas.sub(rb"\1", answer.body))
    assert edited.body != answer.body
    assert {finding.reference for finding in judge_response("openai-responses", edited.response)} == {"SR-02"}


def test_items_without_an_index_are_known_by_their_ids() -> None:
    """llama.cpp's server leaves the index out of every event: that is one mistake, and not four."""
    answer = served("openai-responses", "three calls", stream=True)
    edited = replace(answer, body=re.sub(rb',"output_index":\d+|"output_index":\d+,', b"", answer.body))
    assert b"output_index" not in edited.body
    assert {finding.reference for finding in judge_response("openai-responses", edited.response)} == {"SR-02"}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("item", "rules"),
    [
        ({"type": "computer_call", "status": "in_progress", "call_id": "c", "action": {}}, set()),
        ({"type": "web_search_call", "status": "searching"}, set()),
        ({"type": "computer_call", "status": "incomplete", "call_id": "c", "action": {}}, {"SR-12"}),
        ({"type": "message", "status": "in_progress", "role": "assistant", "content": []}, {"SR-12"}),
    ],
)
def test_what_the_provider_runs_may_be_under_way_in_a_complete_answer(
    item: dict[str, Any], rules: set[str], stream: bool
) -> None:
    """Recorded: the call of a computer stays in progress until the client answers it."""
    answer = served("openai-responses", "text", stream=stream)

    def added(response: dict[str, Any]) -> None:
        response["output"].append({"id": "x_1", **item})

    edited = by_events(each(lambda event: added(event["response"]) if _is_completed(event) else None))(answer)
    edited = edited if stream else by_document(added)(answer)
    assert edited is not None
    found = judge_response("openai-responses", edited.response)
    assert {finding.reference for finding in found} - {"SR-05"} == rules  # it has not been streamed


def _is_completed(event: dict[str, Any]) -> bool:
    return event.get("type") == "response.completed"


def test_arguments_that_are_written_otherwise_are_the_same_value() -> None:
    """A gateway has them in the item without the blanks with which it has streamed them: one value."""
    answer = served("openai-responses", "a call", stream=True)
    spaced = rb"{\"path\": \"src/app.py\", \"limit\": 20}"
    assert answer.body.count(spaced) == 3

    def found(written: bytes) -> set[tuple[str, str]]:
        edited = replace(answer, body=answer.body.replace(spaced, written))
        return {(each.reference, each.level) for each in judge_response("openai-responses", edited.response)}

    assert found(rb"{\"path\":\"src/app.py\",\"limit\":20}") == {("SR-04", "SHOULD")}
    assert ("SR-04", "MUST") in found(rb"{\"path\":\"src/app.py\",\"limit\":21}")
