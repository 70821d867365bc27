"""Requests that are nested deeply are judged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import IssuedState
from harness.wire.anthropic_messages import WIRE
from tests.wire.anthropic_messages.histories import ROUTE, assistant, body_of, call, result, user


def nested(depth: int, member: str) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {member: value}
    return value


def lists(depth: int) -> Any:
    content: Any = "ok"
    for _ in range(depth):
        content = [result("x", content)]
    return content


@pytest.mark.parametrize("depth", [100, 300, 400])
def test_deep_nesting_is_judged(depth: int) -> None:
    properties = nested(depth, "properties")
    for body in (
        body_of(user("a"), assistant(call("x") | {"input": nested(depth, "a")}), user(result("x"))),
        body_of(user("a"), assistant(call("x")), user(result("x", lists(depth // 2)))),
        body_of(user("a"), tools=[{"name": "f", "input_schema": {"type": "object", **properties}}]),
        body_of(user("a"), output_config={"format": {"type": "json_schema", "schema": properties}}),
        body_of(user("a"), system=[nested(depth, "content")]),
    ):
        assert isinstance(WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), IssuedState()), list)
