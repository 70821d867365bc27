"""The forms of schema with which a vendor's verifier tries servers that call tools (Kimi's, ``tool_call_json_schema``).

There each schema is that of one member of the arguments, with its definitions beside it; the forms are the verifier's,
the words and data are ours. All of them are tried for three calls, and as schemas of an answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest

from harness.fitting import fitting
from tests.fitting.validity import fits

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}
NUMBER: Final = {"type": "number"}
TYPES: Final = ("string", "number", "integer", "boolean", "null", "array", "object")

ODD_NAMES: Final = (
    *(
        "",
        " ",
        " river",
        "two words",
        "3.25",
        "111",
        "a.b.c",
        "a/b/c",
        "a~1b",
        "\\n\\t",
        '\n\t\r"\\',
        "\\u00e9",
        "\u9b12",
    ),
    *(
        "\U0001f6f6",
        "x\U0001f9d1\U0001f3fe",
        "\u3117 \u3125",
        "type",
        "enum",
        "items",
        "defs",
        "$ref",
        "properties",
        "required",
    ),
)
"""Names of members that a reader of schemas may take for something else."""


def closed(required: Sequence[str] | None = None, /, **members: Any) -> dict[str, Any]:
    """An object of these members and no others."""
    needed = list(members) if required is None else list(required)
    return {"type": "object", "properties": members, "required": needed, "additionalProperties": False}


def basic() -> Iterator[dict[str, Any]]:
    yield {}
    yield from ({"type": kind} for kind in TYPES)
    yield from (
        {"type": list(kinds)} for kinds in (("string", "null"), ("null", "number"), ("string", "number"), TYPES)
    )
    yield {**TEXT, "title": "A name", "description": ""}
    yield {**TEXT, "description": 'two\nlines, and "quotes"'}
    yield {**TEXT, "minLength": 1, "maxLength": 100, "pattern": "^[a-z]+$"}
    yield {**TEXT, "minLength": 12, "maxLength": 12}
    yield {**NUMBER, "minimum": -10, "maximum": 10, "enum": [1, 2.5, -3.75]}
    yield {**WHOLE, "minimum": -10, "maximum": -7}
    yield {**NUMBER, "minimum": 0.25, "maximum": 0.5}


def named() -> Iterator[dict[str, Any]]:
    yield from (
        {**kind, "enum": values}
        for kind, values in (
            (TEXT, ["red", "green"]),
            (TEXT, ["", " ", "\n", " \\n\\r", "null", " true"]),
            (WHOLE, [-2, -1, 0, -2222]),
            (NUMBER, [2, 45, 3.25, 666666666]),
            ({"type": "boolean"}, [True, False]),
            ({"type": "null"}, [None]),
            ({"type": ["string", "null"]}, ["on", None]),
            ({"type": ["boolean", "null"]}, [True]),
        )
    )
    yield {**TEXT, "enum": [f"icons/birds/number-{number}" for number in range(600)]}


def objects() -> Iterator[dict[str, Any]]:
    yield from (
        {"type": "object", "additionalProperties": more} for more in (True, False, {}, TEXT, {**TEXT, "enum": ["a"]})
    )
    yield {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": WHOLE}}
    yield {"type": "object", "properties": {"x": NUMBER}, "additionalProperties": TEXT, "required": ["x"]}
    yield {
        "type": "object",
        "properties": {"x": NUMBER},
        "additionalProperties": {"type": "object", "properties": {"y": TEXT}},
    }
    yield closed(("first",), first=TEXT, second=WHOLE, third={"type": ["string", "null"]})
    yield closed(a=closed(b=closed(c=closed(d=TEXT))))
    yield closed((), a=TEXT)
    yield from (closed(**{name: TEXT}) for name in ODD_NAMES)
    yield closed(**dict.fromkeys(ODD_NAMES, TEXT))


def lists() -> Iterator[dict[str, Any]]:
    yield {"type": "array", "items": TEXT, "minItems": 0, "maxItems": 4}
    yield {"type": "array", "items": TEXT, "minItems": 2}
    yield {"type": "array", "items": {"type": "array", "items": {**WHOLE, "enum": [1, 2]}}}
    yield {"type": "array", "items": {"type": ["string", "boolean", "object", "null"]}}
    yield {"type": "array", "items": {"anyOf": [{**NUMBER, "enum": [-2.5]}, {**WHOLE, "maximum": 3}]}, "maxItems": 4}
    yield {"type": "array", "items": {"anyOf": [closed(a=TEXT), closed(b=WHOLE)]}, "minItems": 3}


def choices() -> Iterator[dict[str, Any]]:
    yield {"anyOf": [TEXT, NUMBER]}
    yield {"anyOf": [{**TEXT, "enum": [colour]} for colour in ("red", "green")]}
    yield {"anyOf": [closed(a=TEXT), closed(b=closed(c=NUMBER))]}
    yield {"anyOf": [{"type": "array", "items": TEXT}, closed(a=TEXT, b={"anyOf": [TEXT, WHOLE]})]}
    yield {"anyOf": [{"type": "array", "items": {"anyOf": [{"type": "array", "items": {"anyOf": [TEXT, closed()]}}]}}]}
    yield closed(("query",), query={"anyOf": [TEXT, {"type": "array", "items": TEXT}], "description": "one or more"})


REFERRING: Final[Sequence[tuple[dict[str, Any], dict[str, Any]]]] = (
    ({"$ref": "#/$defs/a"}, {"a": TEXT}),
    ({"$ref": "#/$defs/a", "title": "with a title"}, {"a": {"$ref": "#/$defs/b", "description": "on"}, "b": NUMBER}),
    (
        {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
        {"a": {"$ref": "#/$defs/c"}, "b": {"$ref": "#/$defs/c"}, "c": TEXT},
    ),
    (
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}},
        {"a": closed(b={"$ref": "#/$defs/b"}), "b": closed(c=TEXT)},
    ),
    ({"type": "array", "items": {"$ref": "#/$defs/step"}}, {"step": closed(explanation=TEXT, output=TEXT)}),
    (
        {"$ref": "#/$defs/link"},
        {"link": closed(value=NUMBER, next={"anyOf": [{"$ref": "#/$defs/link"}, {"type": "null"}]})},
    ),
    ({"$ref": "#/$defs/node"}, {"node": closed((), name=TEXT, child={"$ref": "#/$defs/node"})}),
    (
        {"$ref": "#/$defs/part"},
        {
            "part": closed(
                kind={**TEXT, "enum": ["div", "form"]}, children={"type": "array", "items": {"$ref": "#/$defs/part"}}
            )
        },
    ),
    ({"type": "object"}, {"unused": {"type": "array", "items": {"$ref": "#/$defs/unused"}}}),
)

INNER: Final = [*basic(), *named(), *objects(), *lists(), *choices()]
FORMS: Final[list[dict[str, Any]]] = [
    *(closed(value=schema) for schema in INNER),
    *({**closed(value=schema), "$defs": definitions} for schema, definitions in REFERRING),
    *({**closed(value=schema), "$defs": definitions, "$id": "with refs"} for schema, definitions in REFERRING),
    *(schema for schema in INNER if schema.get("type") == "object"),
    closed(kind=TEXT, children={"type": "array", "items": {"$ref": "#"}}),
]


@pytest.mark.parametrize("at", range(len(FORMS)))
def test_a_form_of_the_verifier_gets_values_that_fit(at: int) -> None:
    for number in range(3):
        for arguments in (True, False):
            fit = fitting(FORMS[at], number=number, arguments=arguments)
            assert fit.text is not None, (FORMS[at], fit.why)
            assert fit.passed_over == ()
            plain = {word: value for word, value in FORMS[at].items() if word != "$id"}  # no address
            assert fits(plain, json.loads(fit.text)), (FORMS[at], fit.text)
