"""Interactions of agents: the calls that an agent has run itself are no calls of the client's (INT-24)."""

from __future__ import annotations

import json
from typing import Any

from harness.wire import Call, FinishReason, Identity, Turn, wire
from harness.wire.turn import NativePiece
from tests.wire.spoken import asked

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


def test_what_is_rendered_is_read_back_without_it() -> None:
    turn = Turn(
        (Call("read_file", "{}"),), FinishReason.TOOL_CALLS, natives=tuple(NativePiece(0, each) for each in RUN)
    )
    rendered = WIRE.render(turn, Identity("a"), asked(WIRE.name, stream=True))
    assert WIRE.parse(rendered.content_type, rendered.body).turn.calls == rendered.reply.turn.calls
    assert [call.name for call in rendered.reply.turn.calls] == ["read_file"]
