"""The tools that the model is offered: a declaration that Python takes for equal may ask for other arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.rules import judge
from harness.trace import Case, RequestRecord, Trace


def expected(declared: Any, offered: Any) -> list[str]:
    """What is wrong with a request that offers a tool with these parameters instead of the declared ones."""
    handed_over = {"pay": {"description": "Pay.", "parameters": _of(declared)}}
    function = {"name": "pay", "description": "Pay.", "parameters": _of(offered)}
    body = {
        "model": "gpt-5",
        "messages": [{"role": "user", "content": "Pay."}],
        "tools": [{"type": "function", "function": function}],
    }
    record = RequestRecord(0, "POST", "/v1/chat/completions", {}, json.dumps(body).encode())
    found = judge(Trace(Case("c", "s", "openai-chat", tools=handed_over), (record,)), ["offered"])
    return [each.expected for each in found]


def _of(value: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"bill": value}}


@pytest.mark.parametrize("schema", [{"type": "string"}, {"enum": [1]}, {"enum": [True]}, {"enum": [1.0]}])
def test_a_schema_is_offered_as_it_was_declared(schema: Any) -> None:
    assert expected(schema, schema) == []


@pytest.mark.parametrize(("declared", "offered"), [(1, True), (True, 1), (1, 1.0)])
def test_values_that_python_takes_for_equal_are_told_apart(declared: Any, offered: Any) -> None:
    (words,) = expected({"enum": [declared]}, {"enum": [offered]})
    assert words == f"argument 'bill' of pay: one of {json.dumps(declared)}"


def test_members_may_be_in_another_order() -> None:
    declared, offered = {"type": "string", "description": "Which."}, {"description": "Which.", "type": "string"}
    assert expected(declared, offered) == []
