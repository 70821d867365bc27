"""What a case says of the caller: the turns at which the history, or the running of tools, was in its hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from harness.runner.plan import case_of
from harness.scenario import (
    CallerAction,
    EditToolResponse,
    GenerateToolResponse,
    PushMessages,
    Scenario,
    SetMessages,
    SetParams,
)
from tests.scenarios import shipped_scenarios

LOOKS = GenerateToolResponse()
PUSHES = PushMessages(("turn",))


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    (found,) = shipped_scenarios("universal/answer.yaml")
    return replace(found, profile="tool-runner")


@pytest.mark.parametrize(
    ("caller", "limit", "edits"),
    [
        ({}, None, ()),
        ({1: (PUSHES,)}, None, (1,)),
        ({1: (SetParams({"max_tokens": 9}),), 3: (LOOKS, PUSHES)}, None, (1, 3)),
        ({1: (LOOKS,), 2: (LOOKS,)}, None, ()),
        ({1: (LOOKS,), 2: (LOOKS,)}, 2, (2,)),
    ],
)
def test_looking_at_the_response_is_no_edit_but_in_the_last_turn_where_no_tool_would_have_run(
    scenario: Scenario, caller: Mapping[int, Sequence[CallerAction]], limit: int | None, edits: tuple[int, ...]
) -> None:
    given = replace(scenario, caller={turn: tuple(each) for turn, each in caller.items()}, turn_limit=limit)
    assert case_of(given, "openai-chat", "event", target="reference").edits == edits


@pytest.mark.parametrize(
    ("actions", "generated"),
    [
        ((LOOKS,), (2,)),
        ((EditToolResponse("a", "b"),), (2,)),
        ((PushMessages(("turn", "response")),), (2,)),
        ((SetMessages(("history", "turn", "response")),), (2,)),
        ((PushMessages(("turn", ("user", "response"))), SetParams({"max_tokens": 9})), ()),
    ],
)
def test_a_caller_that_wants_the_response_has_the_tools_run(
    scenario: Scenario, actions: Sequence[CallerAction], generated: tuple[int, ...]
) -> None:
    given = replace(scenario, caller={2: tuple(actions)})
    assert case_of(given, "openai-chat", "event", target="reference").generated == generated
