"""The schema of a request: every keyword has its words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.wire.openai_chat import WIRE
from harness.wire.openai_chat.schema import SCHEMA

NUMBERS = {"minimum": {"decimal below", "integer below"}, "maximum": {"decimal above", "integer above"}}
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
