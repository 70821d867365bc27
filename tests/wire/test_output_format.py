"""What requests demand of the form of their answers, as each provider's API spells it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.wire.output_format import demanded_schema

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}}


@pytest.mark.parametrize(
    "body",
    [
        {"response_format": {"type": "json_schema", "json_schema": {"name": "t", "schema": SCHEMA}}},
        {"text": {"format": {"type": "json_schema", "name": "t", "schema": SCHEMA}}},
        {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        {"output_format": {"type": "json_schema", "schema": SCHEMA}},
        {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}},
        {"generationConfig": {"responseMimeType": "application/json", "responseSchema": SCHEMA}},
    ],
)
def test_a_schema_is_found_wherever_a_provider_has_it(body: dict[str, Any]) -> None:
    assert demanded_schema(body) == SCHEMA


@pytest.mark.parametrize(
    "body",
    [
        {"response_format": {"type": "json_object"}},
        {"text": {"format": {"type": "json_object"}}},
        {"generationConfig": {"responseMimeType": "application/json"}},
    ],
)
def test_any_json_is_an_empty_schema(body: dict[str, Any]) -> None:
    assert demanded_schema(body) == {}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"response_format": {"type": "text"}},
        {"text": {"format": {"type": "text"}, "verbosity": "low"}},
        {"output_config": {"effort": "high"}},
        {"generationConfig": {"responseMimeType": "text/plain"}},
        {"response_format": [], "text": "no object", "generationConfig": {"responseMimeType": ["application/json"]}},
    ],
)
def test_any_text_will_do_where_nothing_is_demanded(body: dict[str, Any]) -> None:
    assert demanded_schema(body) is None
