"""Arguments as they go back (INT-16): half a character that nobody can send, and a call that came without any."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import Call, FinishReason, IssuedState, Route, Turn
from harness.wire.gemini_interactions import WIRE
from harness.wire.played import BaseRequest, PlayedLoop
from harness.wire.posted import put

HALF = Turn((Call("list_files", '{"path": "half \\ud83d of it"}'),), FinishReason.TOOL_CALLS)


def played() -> PlayedLoop:
    return BaseRequest("int-half", WIRE.name, WIRE.default_model, (HALF,), {"store": False}).play()


def going_back(loop: PlayedLoop, issued: IssuedState, arguments: dict[str, Any]) -> list[str]:
    """What is found where the call of a loop goes back with these arguments."""
    body = loop.last.body
    assert put([step for step in body["input"] if step["type"] == "function_call"], arguments=arguments)
    read = WIRE.read(Route(WIRE.name, None), json.dumps(body).encode())
    return [finding.id for finding in WIRE.violations(WIRE.resolve(read, issued), issued)]


@pytest.mark.parametrize(
    ("path", "found"),
    [(f"half {chr(0xD83D)} of it", []), (f"half {chr(0xFFFD)} of it", []), ("half a dog", ["INT-16"])],
    ids=["itself", "a sign that can be sent", "another text"],
)
def test_half_a_character_may_go_back_as_a_sign_that_can_be_sent(path: str, found: list[str]) -> None:
    loop = played()
    assert going_back(loop, loop.issued, {"path": path}) == found


@pytest.mark.parametrize(("arguments", "found"), [({}, []), ({"path": "made up"}, ["INT-16"])])
def test_a_call_that_came_without_arguments_has_none(arguments: dict[str, Any], found: list[str]) -> None:
    """A whole answer may leave them out; the rule raised a ``KeyError``."""
    loop, issued = played(), IssuedState()
    (call,) = loop.issued.replies[-1].turn.calls
    steps = [dict(item) for item in loop.issued.replies[-1].items]
    steps[-1].pop("arguments")
    body = json.dumps({"id": "v1_x", "status": "requires_action", "steps": steps}).encode()
    assert steps[-1]["id"] == call.id
    issued.add(loop.requests[0].conversation, WIRE.parse("application/json", body))
    assert going_back(loop, issued, arguments) == found
