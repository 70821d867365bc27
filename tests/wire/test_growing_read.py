"""A request that begins as an earlier one says the same, whether the earlier one is known or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import Conversation, Wire, wire
from harness.wire.base import GrowingRead

CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}
TAGS = '<think>Hm.</think><tool_call>{"name":"look","args":{"n": 1}}</tool_call>'

HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": TAGS},
    {"role": "user", "content": "Tool results:\n\n[look] 1"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "2"},
    {"role": "assistant", "content": TAGS},
    {"role": "user", "content": [{"type": "text", "text": "Tool results:\n\n[look] 1"}]},
]


@pytest.fixture(params=["openai-chat", "text-tags"])
def speaker(request: pytest.FixtureRequest) -> Wire:
    return wire(request.param)


def read(speaker: Wire, messages: Any, before: Conversation | None = None) -> Conversation:
    assert isinstance(speaker.read, GrowingRead)
    return speaker.read.after(before, json.dumps({"model": "m", "messages": messages}).encode())


@pytest.mark.parametrize("known", range(len(HISTORY) + 1))
def test_what_an_earlier_request_has_said_is_taken_over(speaker: Wire, known: int) -> None:
    before = read(speaker, HISTORY[:known])
    now = read(speaker, HISTORY, before)
    assert now == read(speaker, HISTORY)
    assert all(one is other for one, other in zip(before.messages, now.messages, strict=False))


@pytest.mark.parametrize(
    "earlier",
    [
        [],
        None,
        HISTORY[1:],
        [*HISTORY[:2], {"role": "assistant", "content": "No."}],
        [*HISTORY, {"role": "user", "content": "More."}],
        [*HISTORY[:4], {**HISTORY[4], "n": True}],
    ],
    ids=["empty", "none", "without the first", "another answer", "longer", "a member more"],
)
def test_a_request_that_begins_otherwise_is_read_anew(speaker: Wire, earlier: Any) -> None:
    assert read(speaker, HISTORY, read(speaker, earlier)) == read(speaker, HISTORY)


def test_numbers_that_python_takes_for_equal_are_not_the_same(speaker: Wire) -> None:
    called = [{"role": "assistant", "tool_calls": [{**CALL, "id": 1}]}]
    meant = [{"role": "assistant", "tool_calls": [{**CALL, "id": True}]}]
    assert read(speaker, meant, read(speaker, called)).messages[0].calls[0].id == "True"
