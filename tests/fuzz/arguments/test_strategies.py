"""The strategies make what they say: by json.loads and jsonschema."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.fuzz.strategies.arguments import KEYS, NUMBERS, STRING_TOKENS, argument_text, argument_texts
from harness.fuzz.strategies.choices import Choices
from harness.fuzz.strategies.malformed import MISTAKES, malformed_arguments
from harness.fuzz.strategies.schemas import tool_arguments
from harness.fuzz.strategies.splits import pieces, sizes
from harness.scenario import CANONICAL

TREE = {
    "type": "object",
    "properties": {"left": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]}},
    "required": ["left"],
    "additionalProperties": False,
}
SCHEMAS: dict[str, dict[str, Any]] = {
    **{name: dict(tool.parameters) for name, tool in CANONICAL.items()},
    "bounds": {
        "type": "object",
        "properties": {
            "few": {"type": "integer", "minimum": 3, "maximum": 7},
            "part": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "fives": {"type": "integer", "multipleOf": 5, "minimum": 101},
            "below": {"type": "number", "exclusiveMaximum": -3},
            "codes": {
                "type": "array",
                "items": {"type": "string", "minLength": 2, "maxLength": 3},
                "minItems": 1,
                "maxItems": 2,
            },
        },
        "required": ["few", "part", "fives", "below", "codes"],
    },
    "shapes": {
        "properties": {
            "tree": {"$ref": "#/$defs/tree"},
            "any": {"type": ["string", "null", "number"]},
            "pair": {
                "type": "array",
                "prefixItems": [{"const": "é"}, {"type": "boolean"}],
                "items": {"type": "integer"},
            },
            "mode": {"enum": ["a", 1, None, ["b"]]},
        },
        "required": ["mode", "of no schema"],
        "additionalProperties": {"type": "integer"},
        "$defs": {"tree": TREE},
    },
    "anything": {"type": "object"},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_arguments_of_a_tool_fit_its_schema(name: str) -> None:
    validator = Draft202012Validator(SCHEMAS[name])

    @settings(max_examples=60, deadline=None, database=None)
    @given(tool_arguments(SCHEMAS[name]))
    def fits(text: str) -> None:
        validator.validate(json.loads(text))

    fits()


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_arguments_of_a_tool_differ(name: str) -> None:
    quick = settings(max_examples=2_000, database=None, derandomize=True, phases=[Phase.generate])
    texts: list[str] = []
    while len(texts) < 11:
        texts.append(find(tool_arguments(SCHEMAS[name]), lambda text: text not in texts, settings=quick))
    assert len(set(texts)) == 11


def test_what_varies_in_the_arguments_of_a_tool() -> None:
    strategy = tool_arguments(dict(CANONICAL["create_file"].parameters))
    for wanted in (
        lambda text: (
            text.index('"content"') < text.index('"path"') if '"content"' in text and '"path"' in text else False
        ),
        lambda text: "\\u00" in text.split(":")[0],
        lambda text: "\n" in text,
        lambda text: "\\n" in text,
        lambda text: "é" in text,
    ):
        assert find(strategy, wanted, settings=settings(database=None, derandomize=True))


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object", "patternProperties": {}}, "patternProperties"),
        ({"type": "object", "properties": {"a": {"type": "strnig"}}, "required": ["a"]}, "'strnig'"),
        (
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": 2, "maximum": 1}}, "required": ["a"]},
            "none",
        ),
        ({"type": "object", "properties": {"a": False}, "required": ["a"]}, "false"),
    ],
)
def test_a_schema_that_cannot_be_met_is_told_at_once(schema: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as refused:
        tool_arguments(schema)
    assert words in str(refused.value)


@settings(max_examples=200, deadline=None)
@given(argument_texts())
def test_free_form_arguments_are_objects(text: str) -> None:
    assert isinstance(json.loads(text), dict)


@pytest.mark.parametrize("tokens", [KEYS, STRING_TOKENS])
def test_every_token_is_whole(tokens: tuple[str, ...]) -> None:
    for token in tokens:
        assert isinstance(json.loads(f'"{token}"'), str)
    assert len(set(tokens)) == len(tokens)


def test_every_number_is_one() -> None:
    assert all(isinstance(json.loads(number), int | float) for number in NUMBERS)


def test_mistakes_are_made() -> None:
    """Each of them spoils an object; what is no JSON to us is none to json.loads either."""
    sample = '{"content": "a", "path": "b", "on": true}'
    spoilt: Counter[str] = Counter()
    for name, mistake in MISTAKES.items():
        for byte in range(40):
            text = mistake(sample, Choices(bytes([byte, byte // 3, byte * 6])))
            spoilt[name] += not _is_object(text)
    assert [name for name in MISTAKES if not spoilt[name]] == []


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


@settings(max_examples=100, deadline=None)
@given(malformed_arguments())
def test_malformed_arguments_are_texts(text: str) -> None:
    assert isinstance(text, str)


def test_without_choices_all_is_as_simple_as_it_can_be() -> None:
    assert argument_text(Choices(b"")) == "{}"
    assert Choices(b"\x05").ordered("abc") == ["c", "a", "b"]
    smallest = find(argument_texts(), lambda text: "path" in text, settings=settings(database=None, derandomize=True))
    assert len(smallest) <= len('{"content": "", "path":""}')


@given(st.one_of(st.binary(max_size=40), st.text(max_size=40)), sizes())
def test_pieces_make_the_whole(data: bytes | str, chosen: tuple[int, ...]) -> None:
    cut = pieces(data, chosen)
    assert type(data)().join(cut) == data  # type: ignore[arg-type]
    assert all(cut)


def test_a_size_of_zero_is_an_empty_piece() -> None:
    assert pieces("abc", (0, 2)) == ["", "ab", "", "c"]
    for bad in ((0,), (0, 0), (2, -1)):
        with pytest.raises(ValueError):
            pieces("abc", bad)
