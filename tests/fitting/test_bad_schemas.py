"""Schemas that nothing fits, that are none, or that are made to take for ever: a reason each, and no more than that."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from time import process_time
from typing import Any, Final

import pytest

from harness.fitting import fitting
from tests.fitting.validity import D4, fits

TEXT: Final = {"type": "string"}

MOST_SECONDS: Final = 30.0
"""Of the processor, for three values of one schema; the slowest below takes 3 on the machine where it was measured."""


def of(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(members)}


def nested(levels: int, word: str, inner: Any = TEXT) -> Any:
    for _ in range(levels):
        inner = of(a=inner) if word == "properties" else {word: [inner] if word in ("allOf", "anyOf") else inner}
    return inner


def ten_of_ten(levels: int) -> Any:
    schema: Any = TEXT
    for _ in range(levels):
        schema = {"type": "array", "minItems": 10, "items": schema}
    return schema


REASONS: Final[Mapping[str, tuple[Any, str]]] = {
    "a member that must be and must not": (of(a=False), "accepts no value at all"),
    "bounds that exclude each other": (
        of(a={"type": "integer", "minimum": 3, "maximum": 2}),
        "accepts no value at all",
    ),
    "false": (False, "accepts no value at all"),
    "three different booleans": (
        of(a={"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3}),
        "accepts no value at all",
    ),
    "no object": (TEXT, "exclude each other"),
    "itself as a member": (of(a={"$ref": "#"}), "accepts no value at all"),
    "itself": ({"$ref": "#"}, "leads back to itself"),
    "itself by two": (
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        "leads back to itself",
    ),
    "another document": (of(a={"$ref": "http://127.0.0.1:9/x.json"}), "http://127.0.0.1:9/x.json, which is not in it"),
    "a file": (of(a={"$ref": "file:///etc/passwd"}), "file:///etc/passwd, which is not in it"),
    "nothing": (of(a={"$ref": "#/$defs/x"}), "/$defs/x, which is not in it"),
    "10,000 levels": (nested(10_000, "items"), "nested more than 200 deep"),
    "400 levels": (nested(400, "properties"), "nested more than 200 deep"),
    "99 levels, each needed": (nested(99, "properties"), "nested more than 60 deep"),
    "a billion items": (of(a={"type": "array", "minItems": 10**9}), "more than 3,000 items"),
    "a billion characters": (of(a={"type": "string", "minLength": 10**9}), "more than 100,000 characters"),
    "a billion members": ({"type": "object", "minProperties": 10**9}, "more than 3,000 members"),
    "lists of lists": (of(a=ten_of_ten(8)), "more than 3,000 parts"),
    "5 MB of needed members": (
        of(**{f"member {number:06}": TEXT for number in range(90_000)}),
        "more than 3,000 parts",
    ),
    "a pattern that backtracks": (of(a={"type": "string", "pattern": "^(a+)+$(?=b)"}), "no text was found"),
    "a pattern that backtracks in a long text": (
        of(a={"type": "string", "minLength": 200, "pattern": "^(?=((a+)+)+b)(a|aa)+$"}),
        "no text was found",
    ),
    "a pattern that is too large": (
        of(a={"type": "string", "pattern": "^((a{1,100}){1,100}){1,100}$"}),
        "its pattern at 'properties/a/pattern' is too large",
    ),
    "a format that no text of that length has": (
        of(a={"type": "string", "format": "date", "maxLength": 3}),
        "accepts no value at all",
    ),
}


@pytest.mark.parametrize("name", REASONS)
def test_what_nothing_fits_has_a_reason(name: str) -> None:
    schema, reason = REASONS[name]
    began = process_time()
    for number in range(3):
        fit = fitting(schema, number=number, arguments=True)
        assert fit.text is None, fit.text
        assert reason in fit.why
        assert "\n" not in fit.why
        assert len(fit.why) < 500
    assert process_time() - began < MOST_SECONDS


LARGE: Final[Mapping[str, Any]] = {
    "5 MB of members": {"type": "object", "properties": {f"member {number:06}": TEXT for number in range(100_000)}},
    "5 MB of text": {**of(a=TEXT), "description": "x" * 5_000_000},
    "5 MB of values": of(a={"enum": [f"a value of {number}" for number in range(200_000)]}),
    "ten members that are itself": {
        "type": "object",
        "properties": {str(number): {"$ref": "#"} for number in range(10)},
    },
    "4^20 ways": {
        "type": "object",
        "allOf": [{"anyOf": [{"required": [f"{a} {b}"]} for b in "wxyz"]} for a in range(20)],
    },
    "30 conditions": {
        "type": "object",
        "dependentSchemas": {f"a{number}": {"required": [f"b{number}"]} for number in range(30)},
    },
    "2^40 places": {
        **of(a={"$ref": "#/$defs/0"}),
        "$defs": {
            **{str(at): {"properties": {name: {"$ref": f"#/$defs/{at + 1}"} for name in "ab"}} for at in range(40)},
            "40": TEXT,
        },
    },
    "a number of 400 digits": of(a={"type": "integer", "minimum": 10**400}),
    "500 different texts": of(a={"type": "array", "items": TEXT, "uniqueItems": True, "minItems": 40}),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_schema_takes_a_bounded_time(name: str) -> None:
    began = process_time()
    for number in range(3):
        fit = fitting(LARGE[name], number=number, arguments=True)
        assert fit.text is not None, fit.why
        assert fits(LARGE[name], json.loads(fit.text))
        assert len(fit.text) < 200_000
    assert process_time() - began < MOST_SECONDS


def test_a_schema_that_was_read_before_costs_nothing_but_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = of(a={"type": "string", "pattern": "^[a-c]{17}$"})
    first = fitting(schema, arguments=True)

    def refused(*_: object) -> None:
        raise AssertionError("the schema was read again")

    monkeypatch.setattr("harness.fitting.reading.readings", refused)
    assert fitting(json.loads(json.dumps(schema)), arguments=True) is first
    fitting(schema, number=1, arguments=True)  # compiled once for all calls


def test_nothing_is_ever_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *where, **_: asked.append(where))
    server = socket.create_server(("127.0.0.1", 0))
    server.setblocking(False)
    with server:
        there = f"http://127.0.0.1:{server.getsockname()[1]}"
        for word in ("$ref", "$dynamicRef", "$schema", "$id"):
            for schema in ({word: f"{there}/x"}, of(a={word: f"{there}/x"}), {"type": "object", **of(a={word: there})}):
                fitting(schema, arguments=True)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert not asked


PASSED_OVER: Final[Mapping[str, tuple[Any, tuple[str, ...]]]] = {
    "no regular expression": (of(a={"type": "string", "pattern": "("}), ("properties/a/pattern",)),
    "no type": (of(a={"type": "text"}), ("properties/a/type",)),
    "no schema": ({"type": "object", "properties": {"a": "string", "b": TEXT}}, ("properties/a",)),
    "required as it was once": (
        {"type": "object", "properties": {"a": {**TEXT, "required": True}}},
        ("properties/a/required",),
    ),
    "no number": (of(a={"type": "number", "minimum": float("nan")}), ("properties/a/minimum",)),
}


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_is_no_schema_is_passed_over_and_named(name: str) -> None:
    schema, places = PASSED_OVER[name]
    fit = fitting(schema, number=1, arguments=True)
    assert fit.text is not None, fit.why
    assert "a" in json.loads(fit.text) or name == "no schema"
    assert fit.passed_over == places


def test_a_draft_that_nobody_knows_is_read_as_none() -> None:
    schema = {"$schema": "https://example.com/our-own-draft", **of(a={"type": "integer", "minimum": 3})}
    assert fitting(schema, arguments=True).text == '{"a": 3}'


def test_half_a_character_is_no_obstacle() -> None:
    assert fitting(of(**{"\ud800": TEXT}), arguments=True).text is not None


def test_what_only_an_older_draft_allows_is_read_by_that_draft() -> None:
    schema = of(a={"type": "integer", "minimum": 3, "exclusiveMinimum": True})
    fit = fitting(schema, arguments=True)
    assert fit.passed_over == ()
    assert fits(schema, json.loads(str(fit.text)), D4)
