"""Any bytes as a scenario file: loaded, or bad input with its place; never anything else."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.fuzz.yaml_text import yaml_text
from harness.scenario import load, shipped
from tests.scenario.hostile import FINE, HOSTILE, called

_LONGEST = 20_000
_PIECES = (
    *("$ref", "#", "#/properties/a", "http://127.0.0.1:1/", "{", "}", "[", "]", ": ", "- ", "&a ", "*a", "!include "),
    *("|\n  ", ">", "'", '"', "\\", "\n", "\t", "  ", "null", "1e999", "-0", "0x1", "\x00", "\ufeff", "\u202e", "~"),
    *(
        "events: ",
        "final(",
        "){3,",
        "*",
        "+",
        "?",
        "(" * 60,
        "pattern",
        "^(a+)+$",
        "(?=",
        "\\1",
        "name",
        "invalid: true",
        "{{result.1.a}}",
        "{{result.",
        "{{fresh}}",
    ),
    *("9" * 30, "repeat: ", "tools", "model", "expect", "<<: *a", "? ", "--- ", "...", "%YAML 1.1\n", "!!str ", "@"),
)


@cache
def _seeds() -> tuple[bytes, ...]:
    written = [path.read_bytes() for path in sorted(shipped().rglob("*.yaml"))]
    made = [each if isinstance(each, bytes) else each.encode() for each in (HOSTILE | FINE).values()]
    return tuple(seed for seed in (*written, *made) if len(seed) <= _LONGEST)


@st.composite
def _files(draw: st.DrawFn) -> bytes:
    """A scenario in which some places are overwritten, doubled or cut out."""
    content = draw(st.sampled_from(_seeds()))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        kind = draw(st.sampled_from(["piece", "bytes", "double", "cut"]))
        middle = {
            "piece": lambda: draw(st.sampled_from(_PIECES)).encode(),
            "bytes": lambda: draw(st.binary(max_size=6)),
            "double": lambda part=content[start:end]: part * draw(st.integers(2, 5)),
            "cut": lambda: b"",
        }[kind]()
        content = content[:start] + middle + content[end:]
    return content


_WORDS = (
    "a",
    "b",
    "#",
    "#/$defs/a",
    "#/properties/a",
    "^a",
    "(a|b)+$",
    "(?!a)b",
    "object",
    "integer",
    "http://127.0.0.1:1/",
)
_KEYWORDS = (
    *("type", "properties", "items", "$ref", "$defs", "allOf", "anyOf", "oneOf", "not", "if", "then", "enum", "const"),
    *("pattern", "patternProperties", "additionalProperties", "required", "uniqueItems", "multipleOf", "minimum"),
    *("contains", "prefixItems", "unevaluatedItems", "unevaluatedProperties", "dependentSchemas", "$id", "$schema"),
)
_LEAVES = st.none() | st.booleans() | st.integers(-2, 9) | st.floats(-2, 2) | st.sampled_from(_WORDS)
_JSON = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from((*_KEYWORDS, "a", "b")), inner, max_size=4)
    ),
    max_leaves=12,
)
_SCHEMAS = st.dictionaries(st.sampled_from(_KEYWORDS), _JSON, max_size=5).map(lambda made: {**made, "type": "object"})


def _assert_judged(folder: Path, content: bytes) -> None:
    path = folder / "a.yaml"
    path.write_bytes(content)
    problems: tuple[str, ...] = ()
    try:
        loaded = load([path])
    except BadInput as error:
        loaded, problems = [], error.problems
    assert bool(loaded) is not bool(problems)
    assert all(problem.startswith(f"{path}:") for problem in problems)


_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@_FOLDER
@given(_files())
def test_a_damaged_file_is_loaded_or_bad_input(tmp_path: Path, content: bytes) -> None:
    _assert_judged(tmp_path, content)


@_FOLDER
@given(_SCHEMAS, _JSON, st.booleans())
def test_any_schema_and_any_arguments_are_judged(tmp_path: Path, schema: dict[str, Any], value: Any, raw: bool) -> None:
    arguments = json.dumps(value) if raw or not isinstance(value, dict) else value
    _assert_judged(tmp_path, called(schema, arguments).encode())


@_FOLDER
@given(st.dictionaries(st.sampled_from(["scenario", "tools", "model", "expect", "prompt", "wires", "side"]), _JSON))
def test_any_value_of_a_key_is_judged(tmp_path: Path, data: dict[str, Any]) -> None:
    _assert_judged(tmp_path, f"profile: universal\nsummary: s\n{yaml_text(data)[1:-1]}".replace(', "', '\n"').encode())


@pytest.mark.parametrize("build", [lambda: b"scenario: [", lambda: b"\xff"])
def test_the_check_sees_what_is_no_scenario(tmp_path: Path, build: Callable[[], bytes]) -> None:
    (tmp_path / "a.yaml").write_bytes(build())
    with pytest.raises(BadInput):
        load([tmp_path / "a.yaml"])
