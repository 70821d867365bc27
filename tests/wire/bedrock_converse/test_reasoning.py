"""BED-40, where ids were changed: the endpoint knows by the tools which turn it has issued without reasoning."""

from __future__ import annotations

from typing import Any

import pytest

from harness.wire import Call, FinishReason, Identity, IssuedState, Part, ThinkingPart, Turn, wire
from tests.wire.bedrock_converse.requests import assistant, body, call, read, result, user

THINKS = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}


def found(*parts: Part, name: str = "look") -> list[str]:
    """What is found where the endpoint has sent these parts, and the calls go back under an id of the loop's own."""
    speaker, state = wire("bedrock-converse"), IssuedState()
    asked = read(body(user("Look."), **THINKS))
    state.add(asked, speaker.render(Turn(parts, FinishReason.TOOL_CALLS), Identity("a"), asked).reply)
    going_back: Any = call("own_1")
    going_back["toolUse"]["name"] = name
    sent = read(body(user("Look."), assistant(going_back), user(result("own_1")), **THINKS))
    return [each.id for each in speaker.violations(sent, state)]


def test_a_turn_that_was_issued_without_reasoning_goes_back_without_it() -> None:
    assert found(Call("look", "{}")) == []


@pytest.mark.parametrize("name", ["look", "listen"])
def test_one_that_was_issued_with_it_or_of_which_nothing_is_known_does_not(name: str) -> None:
    assert found(ThinkingPart("Hm."), Call("look", "{}"), name=name) == ["BED-40"]
