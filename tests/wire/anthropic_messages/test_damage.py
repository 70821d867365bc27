"""Requests that are damaged anywhere, in any way, are judged and refused; nothing is raised."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.wire import Identity, IssuedState
from harness.wire.anthropic_messages import WIRE
from harness_lab.mutants.requests import PlayedLoop, base_requests
from tests.wire.anthropic_messages.histories import ROUTE, Body, assistant, body_of, call, result, user

Path = tuple[str | int, ...]

JUNK = [
    *[None, True, 0, -3, 1.5, 10**30, "", " ", "x", "€", [], [None], [[]], [1, "a"], {}],
    *[{"type": "text"}, {"type": 5}, {"type": ["text"]}, {"type": "tool_use"}, [{"type": "tool_result"}]],
    *[
        {"role": "user"},
        {"type": "thinking", "signature": 3},
        {"type": "tool_result", "tool_use_id": "x", "content": 5},
    ],
]


@cache
def played() -> list[PlayedLoop]:
    return [base.play() for base in base_requests("anthropic-messages")]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in members:
        yield from places(each, (*path, step))


def damage(body: Body, path: Path, junk: Any) -> None:
    here: Any = body
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = json.loads(json.dumps(junk))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_whatever_is_damaged_is_judged(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(played()))
    posted = case.last
    for _ in range(data.draw(st.integers(1, 3))):
        damage(posted.body, data.draw(st.sampled_from(list(places(posted.body)))), data.draw(st.sampled_from(JUNK)))
    for violation in case.judge(posted):
        assert violation.answered.message
        assert violation.expected
        assert violation.got
        answer = WIRE.refuse(violation.answered, Identity("damage"))
        assert json.loads(answer.body)["error"]["message"] == violation.answered.message


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
