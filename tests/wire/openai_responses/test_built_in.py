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
from tests.wire.openai_responses.speak import QUESTION, READ_FILE, ask

NOBODY = IssuedState()
CALL = {"type": "function_call", "call_id": "call_1", "name": "create_widget", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "{}"}
REQUEST = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "ask", "server_label": "wiki", "arguments": "{}"}
APPROVED = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
SEARCH = {"type": "tool_search_call", "id": "tsc_1", "call_id": "call_1", "execution": "client", "arguments": {}}
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


@pytest.mark.parametrize("kind", CALL_KINDS)
def test_an_output_of_any_kind_needs_its_call(kind: str) -> None:
    output = {"type": CALL_KINDS[kind].output, "call_id": "call_9", "output": "a", "execution": "client"}
    message = f"No tool call found for {CALL_KINDS[kind].output_words} with call_id call_9."
    assert ("OAI-11", message) in found(NOBODY, [QUESTION, output])


@pytest.mark.parametrize("kind", [kind for kind, it in CALL_KINDS.items() if not it.built_in])
def test_an_output_of_a_function_answers_no_other_callers_tool(kind: str) -> None:
    other = "custom_tool_call" if kind == "function_call" else "function_call"
    call = {"type": kind, "call_id": "call_1", "name": "f", "arguments": "{}", "input": ""}
    wrong = {"type": CALL_KINDS[other].output, "call_id": "call_1", "output": "a"}
    assert {"OAI-10", "OAI-11"} <= {rule for rule, _ in found(NOBODY, [QUESTION, call, wrong])}


def test_the_output_of_a_function_answers_a_search() -> None:
    """Recorded: test_tool_availability_portability_matrix[R5-T3-native-search]."""
    assert found(NOBODY, [QUESTION, SEARCH, {**OUTPUT, "output": "Found one."}]) == []


def test_a_search_that_was_dropped_was_made() -> None:
    (missing,) = judge(issued(SEARCH), [QUESTION, FOUND])
    assert (missing.id, missing.got) == ("OAI-11", "no call: it was made, and is left out of this history")


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


@pytest.mark.parametrize(("item", "answer"), [(REQUEST, APPROVED), (SEARCH, FOUND)])
def test_an_item_that_is_named_is_not_sent_again(item: dict[str, Any], answer: dict[str, Any]) -> None:
    """Two recorded refusals: the response that previous_response_id names has the item."""
    text = f"Duplicate item found with id {item['id']}. Remove duplicate items from your input and try again."
    assert found(issued(item), [item, answer], previous_response_id="resp_1")[:1] == [("OAI-09", text)]
    assert found(issued(item), [QUESTION, item, answer]) == []


def test_a_conversation_wants_the_request_once_more() -> None:
    """What somebody was refused without: community.openai.com/t/1365706."""
    sent = issued(REQUEST, conversation="conv_1")
    assert found(sent, [REQUEST, APPROVED], conversation="conv_1") == []
    assert found(NOBODY, [REQUEST, REQUEST, APPROVED])[0][0] == "OAI-09"


# --- compaction ---------------------------------------------------------------------------------------------

COMPACT = "https://api.openai.com/v1/responses/compact"
LACKS = "No tool output found for function call call_1."


def compacted(sent: IssuedState, items: Items, **members: Any) -> list[tuple[str, str]]:
    route = aside_of("POST", COMPACT)
    assert route is not None
    asked = WIRE.read(route, json.dumps({"model": "gpt-5.5", "input": items, **members}).encode())
    return [(each.id, each.answered.message) for each in WIRE.violations(WIRE.resolve(asked, sent), sent)]


def test_a_history_is_compacted_when_all_outputs_are_there() -> None:
    assert compacted(NOBODY, [QUESTION, CALL, OUTPUT]) == []
    assert compacted(NOBODY, [QUESTION, CALL]) == [("OAI-COMPACT", LACKS)]


def test_a_chain_that_is_compacted_has_all_outputs() -> None:
    sent = issued({**CALL, "id": "fc_1"})
    assert compacted(sent, [], previous_response_id="resp_1") == [("OAI-COMPACT", LACKS)]
    assert compacted(sent, [OUTPUT], previous_response_id="resp_1") == []


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


LOST = (
    "Missing namespace for function_call 'create_widget'. It does not exist in the default namespace. Round-trip the "
    "model's function_call item with its namespace field included."
)


def test_a_call_without_its_namespace() -> None:
    (lost,) = judge(NOBODY, [QUESTION, CALL, OUTPUT], tools=shop(WIDGET))
    assert (lost.id, lost.level, lost.answered.message) == ("OAI-NS", "MUST", LOST)
    assert (lost.answered.place, lost.answered.param) == ("input[1]", "input[1].namespace")
    assert judge(NOBODY, [QUESTION, {**CALL, "namespace": "shop"}, OUTPUT], tools=shop(WIDGET)) == []


@pytest.mark.parametrize(
    "holder", [{"type": "additional_tools", "role": "developer"}, {**FOUND, "execution": "server", "call_id": None}]
)
def test_items_bring_namespaces_too(holder: dict[str, Any]) -> None:
    (lost,) = judge(NOBODY, [QUESTION, {**holder, "tools": shop(WIDGET)}, CALL, OUTPUT])
    assert (lost.id, lost.level, lost.answered.place) == ("OAI-NS", "MUST", "input[2]")


def test_a_namespace_that_came_with_a_call_is_missed() -> None:
    """Likely only: the default namespace has the function, or nobody declares it."""
    sent = issued({**CALL, "namespace": "shop"})
    for tools in ([WIDGET], [READ_FILE]):
        (lost,) = judge(sent, [QUESTION, CALL, OUTPUT], tools=tools)
        assert (lost.id, lost.level, lost.got) == ("OAI-NS", "SHOULD", "none; it came with one")
    (lost,) = judge(sent, [QUESTION, CALL, OUTPUT], tools=shop(WIDGET))
    assert (lost.level, lost.expected) == ("MUST", "function_call create_widget with namespace shop")


def test_nothing_is_missed_of_a_function_that_nobody_declares() -> None:
    assert judge(NOBODY, [QUESTION, CALL, OUTPUT], tools=shop(READ_FILE)) == []
    assert judge(NOBODY, [QUESTION, CALL, OUTPUT], tools=[*shop(WIDGET), WIDGET]) == []


@pytest.mark.parametrize(
    ("output", "broken"),
    [
        ("{}", False),
        ('"text"', False),
        ("null", False),
        ([{"type": "input_text", "text": "closed"}], False),
        ("closed", True),
        ("", True),
        ("{", True),
    ],
)
def test_the_output_of_a_function_with_a_schema_is_json(output: Any, broken: bool) -> None:
    tools = [{**WIDGET, "output_schema": {"type": "object"}}]
    rules = [rule for rule, _ in found(NOBODY, [QUESTION, CALL, {**OUTPUT, "output": output}], tools=tools)]
    assert rules == ["OAI-OUTSCHEMA"] * broken
    assert found(NOBODY, [QUESTION, CALL, {**OUTPUT, "output": output}], tools=[WIDGET]) == []
    assert (
        found(NOBODY, [QUESTION, CALL, {**OUTPUT, "output": output}], tools=[{**WIDGET, "output_schema": None}]) == []
    )


# --- DeepSeek -----------------------------------------------------------------------------------------------

TEXT = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Both."}]}
OTHER = {**CALL, "call_id": "call_2"}
OTHERS = {**OUTPUT, "call_id": "call_2"}


@pytest.mark.parametrize(
    ("items", "refused"),
    [
        ([TEXT, CALL, OUTPUT], False),
        ([TEXT, CALL, OUTPUT, OTHER, OTHERS], True),
        ([TEXT, CALL, OTHER, OUTPUT, OTHERS], False),
        ([TEXT, CALL, OUTPUT, TEXT, OTHER, OTHERS], False),
        ([CALL, OUTPUT], True),
        ([{**TEXT, "content": []}, CALL, OUTPUT], True),
        ([{**TEXT, "content": [{"type": "reasoning_text", "text": ""}]}, CALL, OUTPUT], True),
        ([TEXT, {"role": "assistant", "content": "I look."}, CALL, OUTPUT], False),
        ([TEXT, QUESTION, CALL, OUTPUT], True),
    ],
)
def test_deepseek_wants_its_text_in_front_of_the_calls_of_a_message(items: Items, refused: bool) -> None:
    """The first five variants were tried on its server, and so answered."""

    def rules(**members: Any) -> list[str]:
        sent = judge(NOBODY, [QUESTION, *items], **{"model": "deepseek-v4-flash", **members})
        return [each.id for each in sent if each.id == "OAI-DS" and each.level == "MUST"]

    assert rules() == ["OAI-DS"] * refused
    assert rules(reasoning={"effort": "none"}) == rules(tools=None) == rules(model="deepseek-chat") == []
    assert rules(model="deepseek-ai/DeepSeek-V4-Pro") == rules(model="gpt-5.5") == []


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


@pytest.mark.parametrize(
    ("model", "level"),
    [("gpt-5.5", "SHOULD"), ("openai/gpt-5.5", "INFO"), ("openai.gpt-oss-120b-1:0", "INFO"), ("grok-4", "INFO")],
)
def test_other_servers_have_parameters_of_their_own(model: str, level: str) -> None:
    """Recorded: OpenRouter's provider. Parameters that moved here from Chat are refused by everybody."""
    (unknown,) = [each for each in judge(NOBODY, [QUESTION], model=model, provider={"only": []}) if each.id == "OAI-05"]
    assert unknown.level == level
    (moved,) = [each for each in judge(NOBODY, [QUESTION], model=model, reasoning_effort="low") if each.id == "OAI-05"]
    assert moved.level == "MUST"
