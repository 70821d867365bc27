"""Interactions of agents: the calls that an agent has run itself are no calls of the client's (INT-24)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import FinishReason, Identity, IssuedState, Route, wire

WIRE = wire("gemini-interactions")
RUN: list[dict[str, Any]] = [
    {"type": "function_call", "id": "a0n1t2c3", "name": "list_files", "arguments": {"path": "src"}},
    {"type": "function_result", "call_id": "a0n1t2c3", "name": "list_files", "result": "app.py"},
]
OPEN = {"type": "function_call", "id": "r7b1dyif", "name": "read_file", "arguments": {"path": "src/app.py"}}


def parsed(*steps: dict[str, Any], status: str) -> Any:
    answer = {"id": "v1_a", "status": status, "object": "interaction", "model": "", "steps": [*steps]}
    return WIRE.parse("application/json", json.dumps(answer).encode())


def test_a_call_whose_result_is_beside_it_is_done() -> None:
    reply = parsed(*RUN, OPEN, status="requires_action")
    assert [call.id for call in reply.turn.calls] == ["r7b1dyif"]
    done = parsed(*RUN, status="completed")
    assert (done.turn.calls, done.turn.stop) == ((), FinishReason.END)


def test_it_goes_back_as_it_came() -> None:
    reply = parsed(*RUN, OPEN, status="requires_action")
    entries = WIRE.entries(WIRE.returned(reply, ["mine"]))
    assert entries == [*RUN, {**OPEN, "id": "mine"}]


@pytest.mark.parametrize(("answered", "found"), [("r7b1dyif", []), ("a0n1t2c3", ["INT-24"])])
def test_only_an_open_call_is_answered(answered: str, found: list[str]) -> None:
    state = IssuedState()
    asked = {"agent": "antigravity-preview-09-2026", "input": "What is in src?"}
    first = WIRE.read(Route(WIRE.name), json.dumps(asked).encode())
    state.add(first, parsed(*RUN, OPEN, status="requires_action"))
    names = {"r7b1dyif": "read_file", "a0n1t2c3": "list_files"}
    results = [
        {"type": "function_result", "call_id": id, "name": names[id], "result": "x"} for id in {answered, "r7b1dyif"}
    ]
    body = {**asked, "previous_interaction_id": "v1_a", "input": results}
    second = WIRE.resolve(WIRE.read(Route(WIRE.name), json.dumps(body).encode()), state)
    assert [each.id for each in WIRE.violations(second, state)] == found


@pytest.mark.parametrize(
    "body",
    [
        {"input": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
        {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    ],
)
def test_the_form_that_is_no_longer_served_is_refused_and_said_once(body: dict[str, Any]) -> None:
    route = WIRE.route("POST", "/v1beta/interactions")
    assert route is not None
    asked = WIRE.read(route, json.dumps({"model": "gemini-3.8-flash", **body}).encode())
    assert [(each.id, each.level) for each in WIRE.violations(asked, IssuedState())] == [("INT-03", "MUST")]


def test_what_is_rendered_is_read_back_without_it() -> None:
    """What is rendered says the same when it is parsed."""
    from harness.wire.turn import Call, NativePiece, Turn

    turn = Turn(
        (Call("read_file", "{}"),), FinishReason.TOOL_CALLS, natives=tuple(NativePiece(0, each) for each in RUN)
    )
    asked = WIRE.read(Route(WIRE.name), b'{"model": "gemini-3.8-flash", "input": "Go.", "stream": true}')
    rendered = WIRE.render(turn, Identity("a"), asked)
    assert WIRE.parse(rendered.content_type, rendered.body).turn.calls == rendered.reply.turn.calls
    assert [call.name for call in rendered.reply.turn.calls] == ["read_file"]
