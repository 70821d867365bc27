r"""Arguments of tool calls that a tool's JSON Schema accepts, as JSON text in the many spellings of it.

    @given(tool_arguments({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}))
    def test_my_tool(text):
        assert my_tool(json.loads(text)["city"])

Optional properties come and go, in any order; strings are escaped in part; white space stands wherever it may. What is
supported is what tools may ask for: ``type`` (also several), ``enum``, ``const``, ``properties``, ``required``,
``additionalProperties``, ``items``, ``prefixItems``, ``anyOf``, ``$ref`` within the schema, and the bounds of numbers,
lengths and items.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from hypothesis import strategies as st

from harness.fuzz.strategies.arguments import NUMBERS, STRING_TOKENS, argument_text
from harness.fuzz.strategies.choices import Choices, chosen
from harness.wire.characters import is_sendable

Schema = Mapping[str, Any]

_SUPPORTED: Final = frozenset(
    {"type", "enum", "const", "anyOf", "$ref", "$defs", "definitions"}
    | {"properties", "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems"}
    | {"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_ANNOTATIONS: Final = frozenset(
    {"$schema", "$id", "$comment", "title", "description", "default", "examples", "format"}
    | {"deprecated", "readOnly", "writeOnly", "strict"}
)
_TYPES: Final = ("string", "number", "integer", "boolean", "null", "array", "object")
_CHARACTERS: Final = tuple(
    token for token in STRING_TOKENS if len(text := json.loads(f'"{token}"')) == 1 and is_sendable(text)
)
"""The tokens of strings that are one whole character each."""

_EDGES: Final = (0, 1, -1, 2, 12, 255, 2**53 + 1, -(10**22))
_SPACES: Final = ("", " ", "\n  ", "\r\n\t")
_DEEPEST: Final = 5
_MOST: Final = 3
"""The most extra characters, items or properties beyond the required ones."""


def tool_arguments(schema: Schema) -> st.SearchStrategy[str]:
    """Texts that ``json.loads`` reads as values of ``schema``.

    Raises ``ValueError`` for a schema with a keyword that is not supported, and for one that nothing can satisfy.
    """
    writer = _SchemaWriter(schema)
    writer.write(schema, Choices(b""), 0)
    return chosen(lambda choices: writer.write(schema, choices, 0))


class _SchemaWriter:
    def __init__(self, root: Schema) -> None:
        self._root = root

    def write(self, schema: Schema | bool, choices: Choices, depth: int) -> str:
        """A value of ``schema``."""
        if schema is True:
            return argument_text(choices) if choices.seldom() else '""'
        schema = self._plain(schema)
        if "enum" in schema:
            return json.dumps(choices.of(schema["enum"]), ensure_ascii=choices.seldom())
        if "const" in schema:
            return json.dumps(schema["const"], ensure_ascii=choices.seldom())
        if "anyOf" in schema:
            return self.write(self._one_of(schema["anyOf"], choices, depth), choices, depth + 1)
        match self._type(schema, choices):
            case "object":
                return self._object(schema, choices, depth)
            case "array":
                return self._array(schema, choices, depth)
            case "string":
                return _string(schema, choices)
            case "boolean":
                return str(choices.of(("true", "false")))
            case "null":
                return "null"
            case kind:
                return _number(schema, choices, whole=kind == "integer")

    def _plain(self, schema: Schema | bool) -> Schema:
        """The schema, or its target if it is a reference."""
        if isinstance(schema, bool):
            raise ValueError("expected a schema that something can satisfy, got false")
        unsupported = schema.keys() - _SUPPORTED - _ANNOTATIONS
        if unsupported:
            raise ValueError(f"expected the keywords that tools use, got {', '.join(sorted(unsupported))}")
        if "$ref" not in schema:
            return schema
        found: Any = self._root
        for name in schema["$ref"].removeprefix("#").split("/")[1:]:
            found = found[name]
        return self._plain(found)

    def _one_of(self, schemas: list[Any], choices: Choices, depth: int) -> Any:
        """One of the schemas; at depth, one without further nesting."""
        ends = [schema for schema in schemas if "$ref" not in schema] if depth > _DEEPEST else []
        return choices.of(ends or schemas)

    def _type(self, schema: Schema, choices: Choices) -> str:
        declared = schema.get("type", "object" if "properties" in schema else "string")
        kinds = [declared] if isinstance(declared, str) else declared
        unknown = [kind for kind in kinds if kind not in _TYPES]
        if unknown:
            raise ValueError(f"expected one of the types {', '.join(_TYPES)}, got {unknown[0]!r}")
        return str(choices.of(kinds))

    def _object(self, schema: Schema, choices: Choices, depth: int) -> str:
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        more = schema.get("additionalProperties", True)
        properties = {**dict.fromkeys(required, more), **properties}
        there = [name for name in properties if name in required or (depth < _DEEPEST and choices.below(2))]
        members = [
            f"{_spelt(name, choices)}{_space(choices)}:{_space(choices)}"
            f"{self.write(properties[name], choices, depth + 1)}"
            for name in choices.ordered(there)
        ]
        if more is not False and choices.seldom() and "extra" not in properties:
            members.append(f'"extra":{self.write(more, choices, depth + 1)}')
        return _bracketed_text("{", members, "}", choices)

    def _array(self, schema: Schema, choices: Choices, depth: int) -> str:
        first = schema.get("prefixItems", [])
        least = max(schema.get("minItems", 0), len(first))
        most = min(schema.get("maxItems", least + _MOST), least + (_MOST if depth < _DEEPEST else 0))
        count = least + choices.below(max(most - least, 0) + 1)
        rest = schema.get("items", True)
        items = [self.write(first[at] if at < len(first) else rest, choices, depth + 1) for at in range(count)]
        return _bracketed_text("[", items, "]", choices)


def _string(schema: Schema, choices: Choices) -> str:
    least = schema.get("minLength", 0)
    most = min(schema.get("maxLength", least + 2 * _MOST), least + 2 * _MOST)
    count = least + choices.below(max(most - least, 0) + 1)
    return '"' + "".join(choices.of(_CHARACTERS) for _ in range(count)) + '"'


def _number(schema: Schema, choices: Choices, *, whole: bool) -> str:
    low, high = _bounds(schema, whole=whole)
    step = schema.get("multipleOf")
    fitting: list[float] = [edge for edge in _EDGES if low <= edge <= high and (step is None or edge % step == 0)]
    if not fitting:
        fitting = [_within(low, high, step, whole=whole)]
    free = not whole and step is None and math.isinf(low) and math.isinf(high)
    written = [str(number) for number in fitting]
    return choices.of(written + list(NUMBERS) if free else written)


def _bounds(schema: Schema, *, whole: bool) -> tuple[float, float]:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    above, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if above is not None:
        low = max(low, math.floor(above) + 1 if whole else math.nextafter(above, math.inf))
    if under is not None:
        high = min(high, math.ceil(under) - 1 if whole else math.nextafter(under, -math.inf))
    return low, high


def _within(low: float, high: float, step: float | None, *, whole: bool) -> float:
    """A number of the schema that is not at an edge."""
    unit = step if step is not None else 1 if whole else 0
    nearest = low if math.isfinite(low) else high
    number = math.ceil(nearest / unit) * unit if unit else nearest
    if number > high:
        number = math.floor(nearest / unit) * unit if unit else nearest
    if not low <= number <= high:
        raise ValueError(f"expected a number from {low} to {high} that is a multiple of {unit}; there is none")
    return number


def _spelt(text: str, choices: Choices) -> str:
    """A key: unchanged, with one character as an escape, or with all non-ASCII characters as escapes."""
    plain = json.dumps(text, ensure_ascii=choices.seldom())
    if not (text and text.isascii() and text.isalnum() and choices.seldom()):
        return plain
    at = choices.below(len(text)) + 1
    return f"{plain[:at]}\\u{ord(plain[at]):04x}{plain[at + 1 :]}"


def _bracketed_text(opening: str, inner: list[str], closing: str, choices: Choices) -> str:
    separator = f"{_space(choices)},{_space(choices)}"
    return f"{opening}{_space(choices)}{separator.join(inner)}{_space(choices)}{closing}"


def _space(choices: Choices) -> str:
    return choices.of(_SPACES) if choices.seldom() else ""
