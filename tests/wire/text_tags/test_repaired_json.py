"""Repaired JSON: strict JSON comes out as it went in, three faults are mended, anything else breaks it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire.text_tags.repaired_json import RepairedJson

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def repaired(*pieces: str) -> tuple[str, str]:
    """What is handed out, and the problem. A blank ends a number that stands alone."""
    machine = RepairedJson(depth=0)
    text = "".join(part.text for piece in [*pieces, " "] for part in machine.feed(piece))
    return text.rstrip(), machine.problem


@given(json_values, st.booleans(), st.sampled_from([None, 2]))
@settings(max_examples=200, deadline=None)
def test_json_stays_as_it_is(value: Any, ascii: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    assert repaired(text) == (text, "")
    assert repaired(*text) == (text, "")


@given(st.text(alphabet='{}[]:,"\\ab_1 .-+e\n\ttrufalsn', max_size=30))
@settings(max_examples=400, deadline=None)
def test_what_comes_out_whole_is_json(text: str) -> None:
    machine = RepairedJson(depth=0)
    out = "".join(part.text for part in machine.feed(text))
    if machine.whole:
        json.loads(out)
    try:
        json.loads(text)
    except ValueError:
        return
    assert out == text.rstrip() or out == text or not machine.whole, "JSON needs no repair"
    assert not machine.broken


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{a:[1,2,],}", {"a": [1, 2]}),
        ("{a :1, _b2\n: {é: true,\n},}", {"a": 1, "_b2": {"é": True}}),
        ('["a\nb\x01",]', ["a\nb\x01"]),
        ('{"a: b,}": "x: 1,}"}', {"a: b,}": "x: 1,}"}),
        ("{true:false,null:null}", {"true": False, "null": None}),
    ],
)
def test_three_faults_are_mended(text: str, value: Any) -> None:
    out, problem = repaired(text)
    assert (json.loads(out), problem) == (value, "")
    assert repaired(*text) == (out, problem)


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("{x: hello}", '{"x": '),
        ("{'a':1}", "{"),
        ("{1a:1}", "{"),
        ("{a-b:1}", '{"a"'),
        ("[1,,2]", "[1,"),
        ("[,1]", "["),
        ("{,}", "{"),
        ('{"a" 1}', '{"a" '),
        ('{"a":}', '{"a":'),
        ("[1}", "[1"),
        ("[1 2]", "[1 "),
        ("[01]", "["),
        ("[NaN]", "["),
        ("[tru]", "["),
        ('"\\x"', '"'),
        ('"\\u12g4"', '"'),
        ("{} {}", "{} "),
        ("}", ""),
        ("// {}", ""),
    ],
)
def test_anything_else_breaks_it_there(text: str, until: str) -> None:
    out, problem = repaired(text)
    assert (out, bool(problem)) == (until.rstrip(), True)
    assert repaired(*text) == (out, problem)


def test_values_of_an_object_are_told_apart() -> None:
    machine = RepairedJson(depth=1)
    parts = [part for character in '{a:1,"\\u0062":{c:[2]},}' for part in machine.feed(character)]
    values: dict[int, str] = {}
    for part in parts:
        values[part.value] = values.get(part.value, "") + part.text
    assert machine.keys == ["a", "b"]
    assert (values[1], values[2]) == ("1", '{"c":[2]}')
    assert [part.text for part in parts if part.closes] == ["}"]


def test_at_depth_one_it_must_be_an_object() -> None:
    machine = RepairedJson(depth=1)
    machine.feed("[1]")
    assert machine.problem == "it is no object"


def test_deep_nesting_needs_no_stack() -> None:
    assert repaired("[" * 20_000 + "]" * 20_000) == ("[" * 20_000 + "]" * 20_000, "")
