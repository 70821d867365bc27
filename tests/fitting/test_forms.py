"""Values for every form that a schema may have, each judged by a validator that made none of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from harness.fitting import fitting
from harness.fitting.by_draft import SchemaByDraft
from tests.fitting.validity import D4, D6, D7, D19, D20, fits

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}


def of(required: list[str] | None = None, /, **members: Any) -> dict[str, Any]:
    """An object with these members, all of them required unless some are named."""
    return {"type": "object", "properties": members, "required": list(members) if required is None else required}


NODE: Final = of(value=TEXT, children={"type": "array", "items": {"$ref": "#/$defs/node"}})
LINK: Final = of(value=TEXT, next={"anyOf": [{"$ref": "#/$defs/link"}, {"type": "null"}]})

FORMS: Final[Mapping[str, dict[str, Any]]] = {
    "recursion": of(tree={"$ref": "#/$defs/node"}) | {"$defs": {"node": NODE}},
    "nullable recursion": of(first={"$ref": "#/$defs/link"}) | {"$defs": {"link": LINK}},
    "recursion of the root": {**of(["name"], name=TEXT, more={"$ref": "#"})},
    "recursion that two members need": {
        **of(left={"oneOf": [{"type": "null"}, {"$ref": "#"}]}, right={"oneOf": [{"$ref": "#"}, {"type": "null"}]})
    },
    "tuple of draft-07": {
        "$schema": D7,
        **of(at={"type": "array", "items": [{"type": "number"}, TEXT], "additionalItems": False, "minItems": 2}),
    },
    "tuple without a draft": of(at={"type": "array", "items": [{"type": "number"}, TEXT], "minItems": 2}),
    "additional items": {
        "$schema": D7,
        **of(at={"type": "array", "items": [TEXT], "additionalItems": WHOLE, "minItems": 4}),
    },
    "exclusive minimum of draft-04": {
        "$schema": D4,
        **of(n={"type": "integer", "minimum": 3, "exclusiveMinimum": True, "maximum": 5, "exclusiveMaximum": True}),
    },
    "exclusive minimum of draft-04, without a draft": of(n={"type": "integer", "minimum": 3, "exclusiveMinimum": True}),
    "prefix items": of(at={"type": "array", "prefixItems": [TEXT, WHOLE], "items": False, "minItems": 2}),
    "prefix items of a few": of(
        at={"prefixItems": [{"const": 1}], "items": {"const": 2}, "type": "array", "minItems": 3}
    ),
    "pattern": of(code={"type": "string", "pattern": r"^[A-Z]{3}-\d{4}$"}),
    "pattern and length": of(code={"type": "string", "pattern": "^[a-f]+$", "minLength": 40, "maxLength": 41}),
    "pattern that looks ahead": of(word={"type": "string", "pattern": r"^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$"}),
    "pattern of other letters": of(word={"type": "string", "pattern": r"^\p{Lu}[\p{L}\d]{3}$"}),
    "pattern with a named group": of(day={"type": "string", "pattern": r"^(?<y>\d{4})-(?<m>0[1-9]|1[0-2])$"}),
    "pattern that refers back": of(word={"type": "string", "pattern": r"^(a|b)\1{2}$"}),
    "two patterns": of(word={"allOf": [{"pattern": "^a"}, {"pattern": "z$"}], "type": "string"}),
    "if and then": {
        **of(["kind"], kind={"enum": ["a", "b"]}, x=TEXT, y=WHOLE),
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["x"]},
        "else": {"required": ["y"]},
    },
    "if, several times": {
        **of(["kind"], kind={"enum": ["a", "b", "c"]}),
        "allOf": [
            {"if": {"properties": {"kind": {"const": kind}}}, "then": {"required": [f"of_{kind}"]}} for kind in "abc"
        ],
    },
    "not a value": of(word={"type": "string", "not": {"enum": ["example", "another example"]}}),
    "not a pattern": of(word={"type": "string", "not": {"pattern": "^e"}}),
    "not a member": {**of([], a=TEXT, b=TEXT), "not": {"required": ["a"]}, "minProperties": 1},
    "not a type": of(word={"not": {"type": ["string", "object", "array", "null"]}}),
    "dependentRequired": {**of(["a"], a=TEXT, b=TEXT, c=TEXT), "dependentRequired": {"a": ["b"], "b": ["c"]}},
    "dependentSchemas": {**of(a=TEXT), "dependentSchemas": {"a": of(c=WHOLE)}},
    "dependencies on names": {"$schema": D7, **of(a=TEXT), "dependencies": {"a": ["c"]}},
    "dependencies on schemas": {"$schema": D7, **of(a=TEXT), "dependencies": {"a": of(c=WHOLE)}},
    "dependencies, without a draft": {**of(a=TEXT), "dependencies": {"a": ["c"]}},
    "multipleOf": of(n={"type": "integer", "multipleOf": 7, "minimum": 10}),
    "multipleOf a part": of(n={"type": "number", "multipleOf": 0.05, "exclusiveMinimum": 1}),
    "multipleOf twice": of(n={"type": "integer", "allOf": [{"multipleOf": 6}, {"multipleOf": 4}], "minimum": 13}),
    "a number between": of(n={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.001}),
    "unique items": of(some={"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 3}),
    "unique objects": of(
        some={"type": "array", "items": of(a=TEXT, b={"type": "boolean"}), "uniqueItems": True, "minItems": 5}
    ),
    "minProperties": {"type": "object", "minProperties": 3, "additionalProperties": TEXT},
    "minProperties and names": {"type": "object", "minProperties": 2, "propertyNames": {"pattern": "^[a-z]{4}$"}},
    "maxProperties": {**of(["a"], a=TEXT, b=TEXT, c=TEXT), "maxProperties": 2},
    "minItems": of(some={"type": "array", "items": TEXT, "minItems": 15}),
    "maxItems": of(some={"type": "array", "items": TEXT, "maxItems": 0}),
    "contains": of(some={"type": "array", "contains": {"type": "integer", "minimum": 5}}),
    "minContains": of(some={"type": "array", "items": WHOLE, "contains": {"minimum": 5}, "minContains": 2}),
    "maxContains": of(some={"type": "array", "contains": {"const": 1}, "maxContains": 1, "minItems": 4}),
    "contains and prefix": of(some={"type": "array", "prefixItems": [TEXT], "contains": WHOLE}),
    "pattern properties": {
        "type": "object",
        "patternProperties": {"^x-[a-z]+$": WHOLE},
        "additionalProperties": False,
        "minProperties": 2,
    },
    "a member of two patterns": {
        **of(ab={"minimum": 3}),
        "patternProperties": {"^a": {"type": "integer"}, "b$": {"multipleOf": 5}},
    },
    "unevaluatedProperties": {
        "type": "object",
        "allOf": [of(a=TEXT)],
        "properties": {"b": WHOLE},
        "required": ["b"],
        "unevaluatedProperties": False,
    },
    "unevaluatedItems": of(some={"prefixItems": [TEXT], "unevaluatedItems": False, "type": "array", "minItems": 1}),
    "allOf": of(n={"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 5}, {"multipleOf": 2}]}),
    "oneOf that overlap": of(n={"oneOf": [WHOLE, {"type": "number", "minimum": 2}], "minimum": 2}),
    "oneOf by a name": of(
        shape={
            "oneOf": [of(kind={"const": "circle"}, r={"type": "number"}), of(kind={"const": "square"}, side=WHOLE)],
        }
    ),
    "anyOf beside members": {**of(["a"], a=TEXT, b=TEXT, c=TEXT), "anyOf": [{"required": ["b"]}, {"required": ["c"]}]},
    "anyOf whose first fits nothing": of(n={"anyOf": [{"type": "string", "enum": [1]}, WHOLE]}),
    "const": of(n={"const": {"a": [1, None]}}),
    "enum and a type": of(n={"type": "integer", "enum": ["one", 2, 3.5], "minimum": 2}),
    "a schema that is true": of(n=True),
    "a member that is not to be": of([], a=False, b=TEXT),
    "items that are not to be": of(some={"type": "array", "items": False}),
    "several types": of(n={"type": ["null", "string"]}),
    "no type": of(n={"minimum": 5}, m={"minLength": 30}, o={"minItems": 2}),
    "definitions": {"$schema": D7, **of(n={"$ref": "#/definitions/a~1b"}), "definitions": {"a/b": {"const": 3}}},
    "a reference with siblings": {"$schema": D20, **of(n={"$ref": "#/$defs/n", "minimum": 5}), "$defs": {"n": WHOLE}},
    "a reference to an anchor": {**of(n={"$ref": "#here"}), "$defs": {"n": {"$anchor": "here", "const": 4}}},
    "a reference by an address": {
        **of(n={"$ref": "https://example.com/n"}),
        "$defs": {"n": {"$id": "https://example.com/n", "$ref": "#/$defs/m", "$defs": {"m": {"const": 4}}}},
    },
    "a dynamic reference": {
        "$schema": D20,
        "$dynamicAnchor": "node",
        **of(["value"], value=TEXT, more={"type": "array", "items": {"$dynamicRef": "#node"}}),
    },
    "a recursive reference": {
        "$schema": D19,
        "$recursiveAnchor": True,
        **of(["value"], value=TEXT, more={"type": "array", "items": {"$recursiveRef": "#"}, "minItems": 1}),
    },
    "a reference in draft-06": {
        "$schema": D6,
        **of(n={"$ref": "#/definitions/n"}),
        "definitions": {"n": {"exclusiveMinimum": 3}},
    },
    "an object of any type": {"type": ["object", "null"], "properties": {"a": TEXT}},
    "examples that fit": of(n={"type": "string", "examples": ["Paris", "Rome"]}),
    "examples that do not": of(n={"type": "integer", "examples": ["Paris"]}),
    "an unknown format": of(n={"type": "string", "format": "colour"}),
    "encoded content": {
        "$schema": D7,
        **of(n={"contentEncoding": "base64", "contentMediaType": "application/json", "type": "string"}),
    },
}
READ_AS: Final = {
    "tuple without a draft": D7,
    "exclusive minimum of draft-04, without a draft": D4,
    "dependencies, without a draft": D7,
}
"""How forms are meant that name no draft and that draft 2020-12 does not have."""

FORMATS: Final = (
    *("date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri"),
    *(
        "uri-reference",
        "iri",
        "iri-reference",
        "uri-template",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex",
    ),
)
SEEDS: Final = range(6)


@pytest.mark.parametrize("arguments", [True, False], ids=["arguments", "answer"])
@pytest.mark.parametrize("form", FORMS)
def test_a_value_fits_its_schema(form: str, arguments: bool) -> None:
    for number in SEEDS:
        fit = fitting(FORMS[form], number=number, arguments=arguments)
        assert fit.text is not None, fit.why
        assert fits(FORMS[form], json.loads(fit.text), READ_AS.get(form, "")), fit.text
        assert not arguments or isinstance(json.loads(fit.text), dict)


LEFT_TO_THE_CANONICAL_FORM: Final = frozenset({"not a type"})
"""Forms for which no plain candidate fits."""


@pytest.mark.parametrize("form", FORMS)
def test_a_plain_value_fits_wherever_one_can(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The canonical form makes up for what plain candidates lack, so a fault of theirs is seen without it only."""
    monkeypatch.setattr(SchemaByDraft, "canonical", lambda _: None)
    fit = fitting(FORMS[form], text="a plain text", arguments=True)  # another text: no value of it is kept
    assert (fit.text is None) == (form in LEFT_TO_THE_CANONICAL_FORM), fit.why


def test_without_a_draft_a_value_fits_the_draft_of_most_validators_too() -> None:
    schema = of(some={"type": "array", "contains": {"const": 1}, "minContains": 0})  # draft-07 has no minContains
    value = json.loads(str(fitting(schema, arguments=True).text))
    assert fits(schema, value, D20)
    assert fits(schema, value, D7)


@pytest.mark.parametrize("name", FORMATS)
def test_a_text_has_its_format(name: str) -> None:
    for more in ({}, {"minLength": 3}):
        schema = of(n={"type": "string", "format": name, **more})
        fit = fitting(schema, arguments=True)
        assert fit.text is not None, fit.why
        assert fits(schema, json.loads(fit.text))
    impossible = fitting(of(n={"type": "string", "format": name, "maxLength": 0, "pattern": "^$", "minLength": 1}))
    assert impossible.text is None
