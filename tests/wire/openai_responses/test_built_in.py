"""Calls of built-in tools, approvals, namespaces, output schemas: what only the memory of a case shows, and edges."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.lint import Judge, LintedRequest
from harness.wire import IssuedState, Reply, Route, Turn, aside_of, route_of
from harness.wire.openai_responses import WIRE
from harness.wire.openai_responses.rules.kinds import CALL_KINDS
from tests.wire.openai_responses.histories import Items, judge
from tests.wire.openai_responses.speak import QUESTION, ask

NOBODY = IssuedState()
CALL = {"type": "function_call", "call_id": "call_1", "name": "create_widget", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "{}"}
REQUEST = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "ask", "server_label": "wiki", "arguments": "{}"}
APPROVED = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
FOUND = {"type": "tool_search_output", "call_id": "call_1", "execution": "client", "tools": []}
WIDGET = {"type": "function", "name": "create_widget", "parameters": {"type": "object", "properties": {}}}


def issued(*items: dict[str, Any], **members: Any) -> IssuedState:
    """A case whose endpoint has sent these items."""
    sent = IssuedState()
    sent.add(ask(**members), Reply("openai-responses", "resp_1", "gpt-5.5", items, Turn()))
    return sent


def found(sent: IssuedState, items: Items, **members: Any) -> list[tuple[str, str]]:
    return [(each.id, each.answered.message) for each in judge(sent, items, **members) if each.level == "MUST"]


@pytest.mark.parametrize("kind", CALL_KINDS)
def test_a_call_of_any_kind_that_is_named_needs_its_output(kind: str) -> None:
    call = {"type": kind, "call_id": "call_1", "execution": "client"}
    named: dict[str, Any] = {"previous_response_id": "resp_1"}
    words = CALL_KINDS[kind].words
    assert found(issued(call), [QUESTION], **named) == [("OAI-10", f"No tool output found for {words} call_1.")]
    output = {"type": CALL_KINDS[kind].output, "call_id": "call_1", "execution": "client", "output": "a"}
    assert [each for each in found(issued(call), [output], **named) if each[0] != "OAI-05"] == []


def test_a_shell_of_azure_has_no_environment() -> None:
    call = {"type": "shell_call", "call_id": "call_1", "action": {"commands": ["ls"]}, "environment": None}
    assert found(NOBODY, [QUESTION, call]) == [("OAI-10", "No tool output found for shell call call_1.")]
    hosted = {**call, "environment": {"type": "container_reference", "container_id": "cntr_1"}}
    assert found(NOBODY, [QUESTION, hosted]) == []


def test_all_approvals_that_lack_are_named_at_once() -> None:
    second = {**REQUEST, "id": "mcpr_2"}
    message = "The following MCP approval requests do not have an approval: mcpr_1, mcpr_2"
    assert found(NOBODY, [QUESTION, REQUEST, second, QUESTION]) == [("OAI-10", message)]
    assert found(NOBODY, [QUESTION, REQUEST, second, APPROVED]) == [("OAI-10", message.replace("mcpr_1, ", ""))]


def test_a_call_that_was_made_shows_that_it_was_approved() -> None:
    made = {"type": "mcp_call", "id": "mcp_1", "approval_request_id": "mcpr_1", "name": "ask", "server_label": "wiki"}
    assert found(NOBODY, [QUESTION, REQUEST, made]) == []


def test_an_approval_answers_a_request_that_is_named() -> None:
    sent = issued(REQUEST)
    assert found(sent, [APPROVED], previous_response_id="resp_1") == []
    assert found(sent, [{"type": "item_reference", "id": "mcpr_1"}, APPROVED]) == []
    assert found(NOBODY, [APPROVED], conversation="conv_of_others") == []
    text = "The following MCP approval requests have approval responses but weren't passed as input: mcpr_1"
    assert found(NOBODY, [QUESTION, APPROVED]) == [("OAI-11", text)]


# --- compaction ---------------------------------------------------------------------------------------------

COMPACT = "https://api.openai.com/v1/responses/compact"


def compacted(sent: IssuedState, items: Items, **members: Any) -> list[tuple[str, str]]:
    route = aside_of("POST", COMPACT)
    assert route is not None
    asked = WIRE.read(route, json.dumps({"model": "gpt-5.5", "input": items, **members}).encode())
    return [(each.id, each.answered.message) for each in WIRE.violations(WIRE.resolve(asked, sent), sent)]


def test_nothing_else_is_known_of_a_request_for_compaction() -> None:
    assert compacted(NOBODY, [QUESTION, OUTPUT], model=None, temperature=9) == []


@pytest.mark.parametrize("path", ["/v1/responses/compact", "/openai/v1/responses/compact/", "/responses/compact?a=b"])
def test_what_asks_for_compaction_is_no_request_to_the_model(path: str) -> None:
    assert route_of("POST", path) is None
    assert aside_of("POST", path) == Route("openai-responses", aside="compact")
    assert (aside_of("GET", path), aside_of("POST", path.replace("compact", "input_tokens"))) == (None, None)


def test_compaction_in_a_recording_is_judged_and_not_remembered() -> None:
    """The compacted window is no answer of the model's: the run goes on from what was there before."""
    judge_all, headers = Judge(), {"content-type": "application/json"}
    answer = {"id": "resp_2", "object": "response.compaction", "output": [{**CALL, "call_id": "call_2"}]}
    body = json.dumps({"model": "gpt-5.5", "input": [QUESTION, CALL]}).encode()
    route, asks = aside_of("POST", COMPACT), route_of("POST", "/v1/responses")
    assert route is not None
    assert asks is not None
    first = LintedRequest(route, headers, body, 200, "application/json", json.dumps(answer).encode())
    assert [each.id for each in judge_all.judge(first).accepted] == ["OAI-COMPACT"]
    refused = LintedRequest(route, headers, body, 400, "application/json", b'{"error": {}}')
    assert [each.id for each in judge_all.judge(refused).violations] == ["OAI-COMPACT"]
    assert judge_all.judge(LintedRequest(asks, headers, body)).remembered == 0


# --- what a declaration says --------------------------------------------------------------------------------


def shop(*tools: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "namespace", "name": "shop", "description": "A shop.", "tools": [*tools]}]


@pytest.mark.parametrize(
    "holder", [{"type": "additional_tools", "role": "developer"}, {**FOUND, "execution": "server", "call_id": None}]
)
def test_items_bring_namespaces_too(holder: dict[str, Any]) -> None:
    (lost,) = judge(NOBODY, [QUESTION, {**holder, "tools": shop(WIDGET)}, CALL, OUTPUT])
    assert (lost.id, lost.level, lost.answered.place) == ("OAI-NS", "MUST", "input[2]")


# --- DeepSeek -----------------------------------------------------------------------------------------------


def test_what_deepseeks_endpoint_has_issued_goes_back_as_it_came() -> None:
    """Our own one has its thoughts in a summary, and a turn may have none."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAA"}
    call = {**CALL, "id": "fc_1"}
    assert judge(issued(thought, call), [QUESTION, thought, call, OUTPUT], model="deepseek-v4-flash") == []
    sent = IssuedState()
    answered = json.dumps({"id": "resp_1", "output": [call]}).encode()
    sent.add(ask(), WIRE.parse("application/json", answered))
    assert judge(sent, [QUESTION, call, OUTPUT], model="deepseek-v4-flash") == []


# --- whose encrypted content it is --------------------------------------------------------------------------


def test_what_came_back_as_it_was_sent_is_nobodys_mistake() -> None:
    """A provider that cannot read its own content (the incident of codex issue 8145) is not the loop's fault."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABqown"}
    call = {**CALL, "id": "fc_1"}
    assert judge(issued(thought, call), [QUESTION, thought, call, OUTPUT]) == []
    assert judge(NOBODY, [QUESTION, thought, call, OUTPUT]) == []
    foreign = {**thought, "encrypted_content": "gAAAAABqother"}
    assert [each.id for each in judge(issued(thought, call), [QUESTION, foreign, call, OUTPUT])] == ["OAI-17"]
