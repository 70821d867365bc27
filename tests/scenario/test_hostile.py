"""Scenario files of strangers: each is bad input, at its line, and none reaches for anything outside of its folder."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.errors import BadInput
from harness.scenario import load
from harness.scenario.arguments import UnusableSchema, argument_problems, validator
from harness.scenario.bounded_validator import bounded
from harness.scenario.regexes import matches, readable
from harness.scenario.steps import StepBudget, TooManySteps, spending
from tests.scenario.files import SMALL, write
from tests.scenario.hostile import FINE, HOSTILE, called, mapping, with_tool, write_all

_OPENED: list[str] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        _OPENED.append(str(arguments[0]))


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    """A server that nobody may ask."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.setblocking(False)
        yield server


@pytest.fixture(scope="module", autouse=True)
def _noted() -> None:
    sys.addaudithook(_note)  # which cannot be taken back


def _write(folder: Path, name: str, listener: socket.socket) -> tuple[Path, Path]:
    """The file of this name, and the one that must be left alone."""
    secret = folder / "secret.json"
    secret.write_text('{"required": ["left-alone"]}', encoding="utf-8")
    files = {name: (HOSTILE | FINE)[name]}
    return write_all(folder, files, port=listener.getsockname()[1], file=secret)[name], secret


def _assert_left_alone(listener: socket.socket, secret: Path) -> None:
    with pytest.raises(BlockingIOError):
        listener.accept()
    assert str(secret) not in _OPENED


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_bad_input_at_its_line(name: str, tmp_path: Path, listener: socket.socket) -> None:
    path, secret = _write(tmp_path, name, listener)
    _OPENED.clear()
    with pytest.raises(BadInput) as caught:
        load([path])
    assert str(path) in _OPENED or name == "large", "the hook must see what is opened"
    assert all(problem.startswith(f"{path}:") for problem in caught.value.problems)
    assert all(": expected " in problem for problem in caught.value.problems)
    assert len(str(caught.value)) < 100_000
    assert "left-alone" not in str(caught.value)
    _assert_left_alone(listener, secret)


@pytest.mark.parametrize("name", FINE)
def test_what_only_looks_hostile_is_loaded(name: str, tmp_path: Path, listener: socket.socket) -> None:
    path, secret = _write(tmp_path, name, listener)
    _OPENED.clear()
    assert len(load([path])) == 1
    _assert_left_alone(listener, secret)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path, "secret: of-somebody\n", "elsewhere/secret.txt")
    inside = write(tmp_path, SMALL, "scenarios/a.yaml")
    (inside.parent / "b.yaml").symlink_to(secret)
    with pytest.raises(BadInput) as caught:
        load([inside.parent])
    assert caught.value.problems == (
        f"{inside.parent}/b.yaml: expected a file inside {inside.parent}, got a link that leads out of it; "
        "copy the file, or name it by itself",
    )


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    inside = write(tmp_path, SMALL, "scenarios/a.yaml")
    (inside.parent / "b.yaml").symlink_to("a.yaml")
    assert len(load([inside.parent])) == 1


def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    with pytest.raises(BadInput, match="is a pipe or a device"):
        load([tmp_path])


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({**mapping(), "$ref": "http://127.0.0.1:1/"}, ("$ref",)),
        (mapping(a={"items": {"$ref": "b.json"}}), ("properties", "a", "items", "$ref")),
        (mapping(a={"pattern": "("}), ("properties", "a", "pattern")),
        ({**mapping(), "patternProperties": {"(": {}}}, ("patternProperties", "(")),
        ({**mapping(), "allOf": [{}, {"type": "x"}]}, ("allOf", 1, "type")),
        ({**mapping(), "$schema": 5}, ("$schema",)),
        ({"type": "array"}, ()),
    ],
)
def test_what_cannot_be_used_is_named_by_its_place(schema: dict[str, object], place: tuple[str | int, ...]) -> None:
    with pytest.raises(UnusableSchema) as caught:
        validator(schema)
    assert caught.value.path == place


def test_the_place_of_a_reference_is_a_line_of_the_file(tmp_path: Path) -> None:
    lines = "tools:\n  - name: a\n    description: d\n    returns: 1\n    parameters:\n      type: object\n"
    path = write(tmp_path, SMALL.replace("model:", f'{lines}      $ref: "http://127.0.0.1:1/a"\nmodel:'))
    with pytest.raises(BadInput) as caught:
        load([path])
    assert caught.value.problems == (
        f"{path}:11:13: expected a $ref that begins with #/, got 'http://127.0.0.1:1/a'; copy what it refers to into "
        "'$defs' of the schema; nothing is fetched",
    )


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^(a+)+$", "a" * 100_000 + "!", False),
        ("^(a+)+$", "a" * 100_000, True),
        ("b", "abc", True),
        (r"^\d$", "٣", False),  # ECMA-262 has the digits of ASCII
        ("^(?!b)a", "ab", True),
        (r"^(a|b)\1$", "ab", False),
        (r"^(a|b)\1$", "bb", True),
        ("^.$", "\ud83d\ude00", True),
        ("^.$", "\ud83d", True),
    ],
)
def test_a_pattern_matches_as_ecma_262_says(pattern: str, text: str, found: bool) -> None:
    assert readable(pattern)
    assert matches(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(", "a{1000}{1000}", "a" * 2_001, "[", "\ud800"])
def test_what_no_engine_can_match_is_refused(pattern: str) -> None:
    assert not readable(pattern)
    with pytest.raises(ValueError, match="ECMA-262"):
        matches(pattern, "a")


def test_backtracking_is_bounded() -> None:
    with pytest.raises(TooManySteps):
        matches(r"^(a|a)(?=a)\1", "a" * 10_001)
    with pytest.raises(TooManySteps):
        matches(r"^((a|aa)+)(?!b)\1$", "a" * 999)


def test_the_budget_of_a_file_is_spent_by_all_of_its_calls() -> None:
    schema = validator(mapping(a={"type": "array", "items": {"type": "integer"}}))
    budget = StepBudget(5_000)
    fits = {"a": [1] * 1_000}
    outcomes = [[each.message for each in argument_problems(fits, schema, budget)] for _ in range(8)]
    assert outcomes[0] == []
    assert outcomes[-1] == ["what takes more than 500,000 steps to compare with its schema"]
    with spending(budget), pytest.raises(TooManySteps):
        matches("a", "a")


_SCHEMAS = (
    {"properties": {"a": {"type": ["integer", "null"]}}, "required": ["a"], "additionalProperties": False},
    {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": {"type": "string"}},
    {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False},
    {"properties": {"a": {"uniqueItems": True, "items": {"enum": [1, True, "1", None, [1], {"b": 1}]}}}},
    {"properties": {"a": {"multipleOf": 3}, "b": {"pattern": "^[a-c]*$"}}, "unevaluatedProperties": False},
    {"properties": {"a": {"$ref": "#"}, "b": {"not": {"const": 1}}}, "maxProperties": 2},
    {"properties": {"a": {"prefixItems": [{"type": "string"}], "contains": {"type": "integer"}, "minContains": 2}}},
)
_VALUES = st.dictionaries(
    st.sampled_from(["a", "b", "ab", "c"]),
    st.recursive(
        st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.sampled_from(["1", "abc", "x"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
        max_leaves=6,
    ),
    max_size=3,
)


@given(st.sampled_from(_SCHEMAS), _VALUES)
def test_it_judges_as_the_validator_of_jsonschema(schema: dict[str, object], value: dict[str, object]) -> None:
    theirs = Draft202012Validator(schema).is_valid(value)
    assert bounded(schema).is_valid(value) is theirs
    assert (not list(argument_problems(value, validator({"type": "object", **schema})))) is theirs


def test_numbers_that_jsonschema_cannot_divide_are_no_multiples() -> None:
    schema = validator(mapping(a={"multipleOf": 0.1}))
    (problem,) = argument_problems(f'{{"a": 1{"0" * 400}}}', schema)
    assert problem.message == "cannot be divided by 0.1"
    for number in ("1e999", "NaN"):  # what the loop does not take for JSON either
        (problem,) = argument_problems(f'{{"a": {number}}}', schema)
        assert problem.message == f"no JSON: {number} is not JSON"
    with pytest.raises(OverflowError):
        list(Draft202012Validator({"multipleOf": 0.1}).iter_errors(10**400))


def test_the_reference_loop_asks_nobody(tmp_path: Path, listener: socket.socket) -> None:
    schema = mapping(a={"$ref": f"http://127.0.0.1:{listener.getsockname()[1]}/"})
    with pytest.raises(UnusableSchema):
        validator(schema)
    # Even unchecked it would find nothing.
    with pytest.raises(Exception, match="Unresolvable"):
        list(bounded(schema).iter_errors({"a": 1}))
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_the_set_is_as_large_as_the_one_that_was_tried_by_hand() -> None:
    assert len(HOSTILE) >= 21
    assert json.loads(with_tool(mapping()).split("tools: ")[1].split("\n")[0])
    assert "look_up" in called(mapping(), {})
