"""The schema of a request: every keyword has its words, whatever stands in a request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.finding import Finding
from harness.wire import IssuedState, UnreadableRequest
from harness.wire.openai_chat import WIRE
from harness.wire.openai_chat.schema import SCHEMA
from harness_lab.mutants.requests import base_requests
from tests.wire.openai_chat.chat_support import ROUTE

NUMBERS = {
    "minimum": {"decimal below", "integer below"},
    "maximum": {"decimal above", "integer above"},
}
SAYING = ("required", "type", "enum", "pattern", "minItems", "minLength", "maxItems", "maxLength", *NUMBERS)


def keywords(schema: Any, rule: str = "") -> Iterator[tuple[str, str]]:
    """Every keyword that can say no, with the rule that it is about."""
    if isinstance(schema, list):
        for each in schema:
            yield from keywords(each, rule)
    if not isinstance(schema, dict):
        return
    rule = schema.get("rule", rule)
    for name, value in schema.items():
        if name == "properties":
            for inner in value.values():
                yield from keywords(inner, rule)
        elif name in SAYING:
            yield rule, name
        elif name in ("items", "then", "allOf"):
            yield from keywords(value, rule)


@pytest.mark.parametrize(("rule", "keyword"), sorted(set(keywords(SCHEMA)) - {("OAC-01", "type")}))
def test_every_keyword_has_a_wording_in_its_rule(rule: str, keyword: str) -> None:
    names = {template.name for each in WIRE.rules if each.id == rule for template in each.templates}
    assert names & NUMBERS.get(keyword, {keyword})


def judge(body: Any) -> list[Finding]:
    try:
        return WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), IssuedState())
    except UnreadableRequest as unreadable:
        return [unreadable.finding]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


ODD = st.sampled_from([None, True, 0, -1, 7.5, 10**30, "", "x", "\ud800", [], {}, [[]], [None], ["x"], {"type": {}}])
BODIES = [base.play().last.body for base in base_requests("openai-chat")]


@settings(max_examples=400, deadline=None)
@given(body=st.sampled_from(BODIES), data=st.data())
def test_whatever_stands_anywhere_is_judged(body: dict[str, Any], data: st.DataObject) -> None:
    """Nothing of it may end in an error, and all that is said of it is said in full."""
    body = deepcopy(body)
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(sorted(places(body), key=str)))
        holder = body
        for step in way:
            holder = holder[step]
        holder[last] = deepcopy(data.draw(ODD))
    for violation in judge(body):
        assert violation.id in {rule.id for rule in WIRE.rules}
        assert violation.expected
        assert violation.got
