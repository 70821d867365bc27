"""Arguments as they go back: half a character that nobody can send may go back as U+FFFD."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import Call, Conversation, FinishReason, Identity, IssuedState, Message, Result, Route, Text, Turn
from harness.wire.gemini_interactions import WIRE

PROMPT = (Message("user", (Text("Write it down."),), ""),)


def findings(sent_back: dict[str, Any]) -> list[str]:
    """What is found where a call with half a surrogate pair goes back with these arguments."""
    settings = {**WIRE.settings, "store": False}
    first = Conversation(WIRE.name, WIRE.default_model, True, PROMPT, body=settings)
    written = WIRE.write(first)
    asked = WIRE.read(Route(WIRE.name, None), written.body)
    call = Call("note", '{"text": "half \\ud83d of it"}', "call_1")
    reply = WIRE.render(Turn((call,), FinishReason.TOOL_CALLS), Identity("arguments"), asked).reply
    issued = IssuedState()
    issued.add(asked, reply)
    history = (
        *PROMPT,
        *WIRE.returned(reply, ["call_1"]),
        *WIRE.answers(reply, ["call_1"], [Result("call_1", "ok", "note")]),
    )
    body = json.loads(WIRE.write(Conversation(WIRE.name, WIRE.default_model, True, history, body=settings)).body)
    for step in body["input"]:
        if step.get("type") == "function_call":
            step["arguments"] = sent_back
    read = WIRE.read(Route(WIRE.name, None), json.dumps(body).encode())
    return [finding.id for finding in WIRE.violations(WIRE.resolve(read, issued), issued)]


@pytest.mark.parametrize("code", [0xD83D, 0xFFFD])
def test_half_a_character_may_go_back_as_a_sign_that_can_be_sent(code: int) -> None:
    assert "INT-16" not in findings({"text": f"half {chr(code)} of it"})


def test_another_text_is_found() -> None:
    assert "INT-16" in findings({"text": "half a dog"})


def test_a_call_that_came_without_arguments_has_none() -> None:
    """A whole answer may leave them out; the rule raised a ``KeyError``."""
    call = {"type": "function_call", "id": "call_1", "name": "note"}
    body = json.dumps({"id": "v1_x", "status": "requires_action", "steps": [call]}).encode()
    settings = {**WIRE.settings, "store": False}
    asked = WIRE.read(
        Route(WIRE.name, None),
        WIRE.write(Conversation(WIRE.name, WIRE.default_model, False, PROMPT, body=settings)).body,
    )
    reply = WIRE.parse("application/json", body)
    issued = IssuedState()
    issued.add(asked, reply)

    def found(arguments: dict[str, Any]) -> list[str]:
        result = {"type": "function_result", "call_id": "call_1", "name": "note", "result": "ok"}
        prompt = {"type": "user_input", "content": [{"type": "text", "text": "Write it down."}]}
        sent = {**json.loads(WIRE.write(asked).body), "input": [prompt, {**call, "arguments": arguments}, result]}
        read = WIRE.read(Route(WIRE.name, None), json.dumps(sent).encode())
        return [finding.id for finding in WIRE.violations(WIRE.resolve(read, issued), issued)]

    assert "INT-16" not in found({})
    assert "INT-16" in found({"text": "made up"})
