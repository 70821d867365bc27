"""What is the same JSON, and what only Python takes for equal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire.same_json import same_json

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("one", "other"),
    [(True, 1), (1, 1.0), (False, 0), ({"a": [True]}, {"a": [1]}), ({"a": 1, "b": 2}, {"b": 2, "a": 1})],
)
def test_these_are_equal_and_not_the_same(one: Any, other: Any) -> None:
    assert one == other
    assert not same_json(one, other)


@given(VALUES)
def test_what_was_written_alike_is_the_same(value: Any) -> None:
    text = json.dumps(value)
    assert same_json(json.loads(text), json.loads(text))


def test_whichever_objects_values_share() -> None:
    part = ["a text", 10**30]
    assert same_json([part, part], [["a text", 10**30], ["a text", 10**30]])
