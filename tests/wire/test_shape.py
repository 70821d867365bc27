"""Faults of a request's shape: which rule, which place, what is missing or unknown."""

from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire.shape import Fault, RequestShape

SCHEMA = {
    "rule": "X-01",
    "type": "object",
    "required": ["model"],
    "properties": {
        "model": {"type": "string"},
        "items": {"type": ["array", "string"], "items": {"$ref": "#/$defs/item"}},
        "limit": {"rule": "X-02", "type": "integer", "minimum": 16},
    },
    "$defs": {
        "item": {
            "type": "object",
            "if": {"properties": {"type": {"const": "call"}}},
            "then": {
                "properties": {"type": {}, "id": {"rule": "X-03", "type": "string", "pattern": "^[a-z]+$"}},
                "required": ["id"],
                "additionalProperties": False,
            },
        }
    },
}


def faults(value: object) -> list[tuple[str, str, tuple[str | int, ...], str]]:
    return [(fault.rule, fault.keyword, fault.path, fault.member) for fault in RequestShape(SCHEMA).faults(value)]


def test_what_fits_has_no_fault() -> None:
    assert (
        faults({"model": "m", "items": [{"type": "call", "id": "a"}, {"type": "other", "any": 1}], "limit": 16}) == []
    )
    assert faults({"model": "m", "items": "text"}) == []


def test_a_missing_member_is_named() -> None:
    assert faults({}) == [("X-01", "required", (), "model")]


def test_each_unknown_member_is_a_fault_of_its_own() -> None:
    assert faults({"model": "m", "items": [{"type": "call", "id": "a", "foo": 1, "bar": 2}]}) == [
        ("X-01", "additionalProperties", ("items", 0), "foo"),
        ("X-01", "additionalProperties", ("items", 0), "bar"),
    ]


def test_the_nearest_rule_is_told_through_references_and_conditions() -> None:
    assert faults({"model": "m", "items": [{"type": "call", "id": "A b"}]}) == [
        ("X-03", "pattern", ("items", 0, "id"), "")
    ]
    (fault,) = RequestShape(SCHEMA).faults({"model": "m", "limit": 3})
    assert fault == Fault("X-02", "minimum", 16, ("limit",), 3)


def test_faults_come_in_the_order_of_the_request() -> None:
    request = {"limit": 1, "items": [{"type": "call", "id": "a"}, {"type": "call", "id": "1"}, 7], "model": 5}
    assert [path for _, _, path, _ in faults(request)] == [("limit",), ("items", 1, "id"), ("items", 2), ("model",)]


_values = st.recursive(
    st.none() | st.integers(0, 40) | st.sampled_from(["call", "a", "A"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "id", "model", "items", "limit", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(_values)
def test_another_validator_finds_the_same(value: object) -> None:
    independent = jsonschema.Draft202012Validator(SCHEMA)
    theirs = {(str(error.validator), tuple(error.absolute_path)) for error in independent.iter_errors(value)}
    assert {(keyword, path) for _, keyword, path, _ in faults(value)} == theirs


@pytest.mark.parametrize("value", [{"model": "\ud800"}, {"model": "m", "other": 10**400}, {"model": "m", "x": 1e400}])
def test_values_that_json_hardly_knows_do_no_harm(value: object) -> None:
    assert faults(value) == []


def test_faults_are_told_of_what_utf_8_cannot_say() -> None:
    assert faults({"model": ["\ud800"], "\ud800": 1}) == [("X-01", "type", ("model",), "")]
    call = {"type": "call", "id": "\ud800"}
    assert faults({"model": "m", "items": [call]}) == [("X-03", "pattern", ("items", 0, "id"), "")]


def test_faults_are_told_of_what_is_nested_deeply() -> None:
    nested: list[object] = []
    for _ in range(300):
        nested = [nested]
    (fault,) = RequestShape({"rule": "A", "type": "object"}).faults(nested)
    assert (fault.rule, fault.keyword, fault.path) == ("A", "type", ())
    assert RequestShape({"items": {"type": "array"}}).faults(nested) == []
