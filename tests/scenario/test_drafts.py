"""Parameters are read by the draft that they name; jsonschema's own validator of each draft is the oracle."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema.validators import validator_for

from harness.scenario.arguments import UnusableSchema, argument_problems, validator
from harness.scenario.drafts import DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019, NEWEST

OLDER = (DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019)
PAIR = {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False}
SIBLING = {"definitions": {"text": {"type": "string"}}, "v": {"$ref": "#/definitions/text", "maxLength": 1}}

CASES: list[tuple[str, dict[str, Any], list[object]]] = [
    (DRAFT_04, {"v": {"minimum": 0, "exclusiveMinimum": True}}, [0, 1]),
    *((draft, {"v": PAIR}, [["a", 1], [1, 1], ["a", 1, 2]]) for draft in OLDER),
    *((draft, SIBLING, ["a", "ab", 1]) for draft in (*OLDER, NEWEST)),
    (NEWEST, {"v": {"prefixItems": PAIR["items"], "items": False}}, [["a", 1], [1, 1], ["a", 1, 2]]),
    (DRAFT_07, {"v": {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}}, [{"a": 1}, {"a": 1, "b": 2}, {"c": 1}]),
    (DRAFT_2019, {"v": {"items": [{"type": "string"}], "unevaluatedItems": False}}, [["a"], ["a", 1]]),
    (DRAFT_07, {"v": {"pattern": "^a", "uniqueItems": True, "multipleOf": 2}}, ["ab", "b", [1, 1.0], 3]),
]


def parameters(draft: str, members: dict[str, Any]) -> dict[str, Any]:
    return {
        "$schema": draft,
        "type": "object",
        "definitions": members.get("definitions", {}),
        "properties": {"v": members["v"]},
    }


@pytest.mark.parametrize(("draft", "members", "values"), CASES)
def test_values_are_judged_by_the_named_draft(draft: str, members: dict[str, Any], values: list[object]) -> None:
    schema = parameters(draft, members)
    theirs, ours = validator_for(schema)(schema), validator(schema)
    verdicts = [not list(argument_problems({"v": value}, ours)) for value in values]
    assert verdicts == [theirs.is_valid({"v": value}) for value in values]
    assert len(set(verdicts)) == 2


@pytest.mark.parametrize("draft", OLDER)
def test_the_newest_draft_refuses_what_an_older_one_takes(draft: str) -> None:
    schema = parameters(draft, {"v": PAIR})
    validator(schema)
    with pytest.raises(UnusableSchema):
        validator({**schema, "$schema": NEWEST})


def test_a_schema_within_a_list_or_a_dependency_is_looked_at() -> None:
    for inside in ({"items": [{"pattern": "("}]}, {"dependencies": {"a": {"pattern": "("}}}):
        with pytest.raises(UnusableSchema):
            validator(parameters(DRAFT_07, {"v": inside}))


def test_an_unknown_draft_is_read_as_the_newest() -> None:
    schema = parameters("https://example.com/my-draft", {"v": {"prefixItems": [{"type": "string"}]}})
    assert list(argument_problems({"v": [1]}, validator(schema)))
