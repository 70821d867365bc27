"""Tools that the provider runs, with the memory of what was sent in a case: programs, signers, turns of one text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harness.wire import FinishReason, Identity, IssuedState, Reply, Text, ThinkingPart, Turn
from harness.wire.anthropic_messages import WIRE
from tests.wire.anthropic_messages.histories import ROUTE, Body, assistant, body_of, call, judge, result, text, user

PROGRAM = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "1"}}
CALLER = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
SEARCH = {
    "type": "server_tool_use",
    "id": "srvtoolu_2",
    "name": "web_search",
    "input": {"query": "x"},
    "caller": CALLER,
}
PAGES = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_2", "content": [], "caller": CALLER}


def found(body: Body, sent: IssuedState | None = None) -> list[tuple[str, str]]:
    return [(each.id, each.level) for each in judge(body, sent)]


def given(*blocks: Body, model: str = "claude-sonnet-4-6") -> IssuedState:
    """A case in which the endpoint has answered ``a`` with these blocks."""
    sent = IssuedState()
    asked = WIRE.read(ROUTE, json.dumps(body_of(user("a"), model=model)).encode())
    turn = Turn((), FinishReason.TOOL_CALLS)
    sent.add(asked, Reply("anthropic-messages", "msg_1", model, blocks, turn))
    return sent


def going_on(*blocks: Body, **members: Any) -> Body:
    return body_of(user("a"), assistant(*blocks), user(result("toolu_1")), **members)


# --- containers: ANT-31 ---------------------------------------------------------------------------------------


def test_a_search_by_the_program_needs_its_container() -> None:
    assert found(going_on(PROGRAM, SEARCH, PAGES, call("toolu_1"))) == [("ANT-31", "MUST")]


@pytest.mark.parametrize("stream", [True, False])
def test_the_container_of_a_response_is_read(stream: bool) -> None:
    named = {"id": "container_1", "expires_at": "2026-11-25T00:00:00Z"}
    whole = {"id": "msg_1", "type": "message", "model": "m", "content": [PROGRAM], "stop_reason": "tool_use"}
    delta = {"stop_reason": "tool_use", "container": named}
    events = [
        {"type": "message_start", "message": {**whole, "content": [], "container": None}},
        {"type": "message_delta", "delta": delta, "usage": {}},
        {"type": "message_stop"},
    ]
    frames = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
    body = frames if stream else json.dumps({**whole, "container": named})
    kind = "text/event-stream" if stream else "application/json"
    assert WIRE.parse(kind, body.encode()).container == "container_1"


# --- callers, references, betas: ANT-32, ANT-33, ANT-35 ---------------------------------------------------------


@pytest.mark.parametrize(
    ("asked_first", "ids"),
    [("", []), ("mcp-client-2025-11-20", []), ("compact-2026-01-12", ["ANT-35"])],
    ids=["never asked for it", "asked for another", "asked for it at first"],
)
def test_a_loop_that_never_asked_for_the_beta_has_lost_no_header(asked_first: str, ids: list[str]) -> None:
    block = {"type": "compaction", "content": "Nothing yet.", "encrypted_content": "c2VhbGVk"}
    headers = {"x-api-key": "key", "anthropic-version": "2023-06-01"}
    first = json.dumps(body_of(user("a"))).encode()
    sent = IssuedState()
    asking = WIRE.read(ROUTE, first, {**headers, "anthropic-beta": asked_first} if asked_first else headers)
    sent.add(asking, Reply("anthropic-messages", "msg_1", "claude-sonnet-4-6", (block, text("b")), Turn((Text("b"),))))
    body = json.dumps(body_of(user("a"), assistant(block, text("b")), user("c"))).encode()
    assert [each.id for each in WIRE.violations(WIRE.read(ROUTE, body, headers), sent)] == ids


def test_a_tool_that_a_message_declares() -> None:
    reference = {"type": "tool_reference", "tool_name": "late"}
    addition = {"type": "tool_addition", "tool": {"type": "custom", "name": "late", "input_schema": {"type": "object"}}}
    body = body_of(user("a"), assistant(call("x")), user(result("x", [reference])), model="claude-opus-4-8")
    assert found(body) == [("ANT-33", "MUST")]
    body["messages"].append({"role": "system", "content": [addition]})
    assert found(body) == []


# --- strict schemas: ANT-36 -------------------------------------------------------------------------------------


def strict(**definitions: Body) -> list[Body]:
    schema = {"type": "object", "properties": {}, "$defs": definitions, "additionalProperties": False}
    return [{"name": "f", "strict": True, "input_schema": schema}]


def leads(*names: str) -> Body:
    return {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}


@pytest.mark.parametrize(
    ("definitions", "circle"),
    [
        ({"A": leads("B"), "B": leads("C", "A"), "C": {}}, "A -> B -> A"),
        ({"A": leads("B"), "B": leads("C"), "C": leads("C")}, "C -> C"),
        ({"A": leads("B", "C"), "B": leads("D"), "C": leads("D"), "D": {}}, ""),
        ({"A": leads("nowhere"), "B": leads("A")}, ""),
    ],
)
def test_definitions_that_lead_to_themselves(definitions: dict[str, Body], circle: str) -> None:
    told = [each.got for each in judge(body_of(user("a"), tools=strict(**definitions))) if each.id == "ANT-36"]
    assert told == ([circle] if circle else [])


def test_tools_that_are_not_strict_have_no_such_limits() -> None:
    schema = {"type": "object", "properties": {f"p{at}": {"type": ["string", "null"]} for at in range(40)}}
    tools = [{"name": f"f{at}", "input_schema": schema} for at in range(40)]
    assert found(body_of(user("a"), tools=tools)) == []


# --- who has signed: ANT-34, ANT-14 -----------------------------------------------------------------------------

THOUGHT = {"type": "thinking", "thinking": "t", "signature": "c2lnbmVk"}


@pytest.mark.parametrize(
    ("signed_by", "asked", "level"),
    [
        ("claude-opus-4-8", "claude-fable-5", "INFO"),
        ("MiniMax-M2.5", "claude-opus-4-7", "MUST"),
        ("claude-sonnet-4-6", "us.anthropic.claude-sonnet-4-6", "INFO"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5", "INFO"),
        ("claude-opus-4-5-20251101", "claude-opus-4-5", ""),
        ("claude-sonnet-4-0", "claude-sonnet-4-20250514", ""),
        ("claude-opus-4-8", "MiniMax-M2.5", ""),
    ],
)
def test_thinking_of_another_model(signed_by: str, asked: str, level: str) -> None:
    sent = given(THOUGHT, call("toolu_1"), model=signed_by)
    told = [each for each in judge(going_on(THOUGHT, call("toolu_1"), model=asked), sent) if each.id == "ANT-34"]
    assert [each.level for each in told] == [level] * bool(level)
    assert all(each.got.startswith(f"signed by {signed_by} on ") for each in told)


def test_thinking_of_the_same_model_on_another_platform() -> None:
    """The path says where a request goes, though the name of the model is the same."""
    sent = given(THOUGHT, call("toolu_1"))
    path = "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-6:rawPredict"
    route = WIRE.route("POST", path)
    assert route is not None
    body = {name: value for name, value in going_on(THOUGHT, call("toolu_1")).items() if name != "model"}
    [finding] = WIRE.violations(WIRE.read(route, json.dumps(body).encode()), sent)
    assert (finding.id, finding.level) == ("ANT-34", "INFO")
    assert finding.got == "signed by claude-sonnet-4-6 on the Claude API"


@pytest.mark.parametrize("signature", ["reasoning_content", "a signature", "c2lnbmVk!"])
def test_what_no_claude_has_signed(signature: str) -> None:
    body = going_on({**THOUGHT, "signature": signature}, call("toolu_1"))
    assert found(body) == [("ANT-14", "MUST")]
    assert found({**body, "model": "MiniMax-M2.5"}) == [("ANT-MODEL", "INFO")]


@pytest.mark.parametrize("signature", ["c2lnbmVk", "c2lnbmU=", "c2lnbmU", "_-8_", "claude#c2lnbmVk"])
def test_what_may_be_a_signature(signature: str) -> None:
    assert found(going_on({**THOUGHT, "signature": signature}, call("toolu_1"))) == []


# --- turns of one text: ANT-15 ----------------------------------------------------------------------------------


class SameWords:
    """A case in which every turn says ``Done.``, each with thinking of its own."""

    def __init__(self, turns: int) -> None:
        self.sent = IssuedState()
        self.body = body_of(user("a"))
        for number in range(turns):
            asked = WIRE.read(ROUTE, json.dumps(self.body).encode())
            said = Turn((ThinkingPart(f"Thought {number}."), Text("Done.")))
            reply = WIRE.render(said, Identity("same words"), asked).reply
            reply = replace(reply, items=({**reply.items[0], "signature": f"c2ln{number:04}"}, *reply.items[1:]))
            self.sent.add(asked, reply)
            self.body["messages"] += [assistant(*(dict(item) for item in reply.items)), user("b")]

    def found(self) -> list[tuple[str, str]]:
        return found(self.body, self.sent)

    def thinking(self, turn: int) -> Body:
        content: list[Body] = self.body["messages"][2 * turn + 1]["content"]
        return content[0]


@pytest.mark.parametrize("other", [0, 1])
def test_thinking_of_another_turn_with_the_same_text(other: int) -> None:
    case = SameWords(3)
    case.body["messages"][5]["content"][0] = dict(case.thinking(other))
    assert case.found() == [("ANT-15", "MUST")]


def test_a_request_that_was_answered_twice() -> None:
    """Which of two answers to one request a loop has kept is not known, and either is right."""
    case = SameWords(2)
    asked, reply = case.sent.turns[1]
    case.sent.add(
        asked, replace(reply, id="msg_2", items=({**reply.items[0], "signature": "c2ln9999"}, reply.items[1]))
    )
    assert case.found() == []
    case.thinking(1)["signature"] = "c2ln9999"
    assert case.found() == []
