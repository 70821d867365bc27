"""Schemas of an object, of one of several forms, and of what refers to something."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.outside.schema_pieces import ODD_NAMES, Piece, a_word, leaf, some
from tests.outside.schema_values import PLAIN

# --- objects --------------------------------------------------------------------------------------------------------


def member(draw: Random) -> tuple[Any, Any]:
    return draw.choice(
        [
            ({"type": "string"}, "example"),
            ({"type": "integer"}, 1),
            ({"type": "array", "items": {"type": "string"}}, []),
            ({"type": ["string", "null"]}, None),
            ({"enum": ["fore", "aft"]}, "aft"),
        ]
    )


def an_object(draw: Random, names: list[str], required: list[str], **more: Any) -> Piece:
    members = {name: member(draw) for name in names}
    schema = {"type": "object", "properties": {name: each for name, (each, _) in members.items()}, **more}
    return Piece({**schema, "required": required}, {name: members[name][1] for name in required})


@leaf
def an_object_of_members(draw: Random) -> Piece:
    names = some(draw, 2, 6)
    closed = draw.choice([{}, {"additionalProperties": False}, {"additionalProperties": True}])
    return an_object(draw, names, names[: draw.randint(0, len(names))], **closed)


@leaf
def odd_names(draw: Random) -> Piece:
    names = draw.sample(ODD_NAMES, 4)
    return an_object(draw, names, names[:2], additionalProperties=False)


@leaf
def required_but_not_described(draw: Random) -> Piece:
    name = draw.choice(ODD_NAMES)
    return Piece(
        {"type": "object", "properties": {"keel": {"type": "string"}}, "required": [name, "keel"]},
        {name: 0, "keel": ""},
    )


@leaf
def members_of_any_name(draw: Random) -> Piece:
    each = draw.choice([{"type": "integer"}, {"type": "object", "additionalProperties": {"type": "string"}}, {}])
    return Piece(
        {"type": "object", "additionalProperties": each, "properties": {"log": {"type": "string"}}}, {"log": ""}
    )


@leaf
def number_of_members(draw: Random) -> Piece:
    least = draw.randint(1, 4)
    each = draw.choice([{"type": "string"}, True, {"enum": ["a"]}])
    schema = {"type": "object", "additionalProperties": each, "minProperties": least, "maxProperties": least + 1}
    return Piece(schema, {str(number): "a" for number in range(least)})


@leaf
def number_of_optional_members(draw: Random) -> Piece:
    names = some(draw, 3, 3)
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in names}, "minProperties": 2}
    return Piece({**schema, "additionalProperties": False}, dict.fromkeys(names[:2], 1))


@leaf
def names_by_pattern(draw: Random) -> Piece:
    schema = {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": False}
    least = draw.choice([0, 1, 2])
    return Piece({**schema, "minProperties": least}, {f"x-{number}": 1 for number in range(least)})


@leaf
def names_of_a_form(draw: Random) -> Piece:
    least = draw.choice([1, 2])
    names = draw.choice([{"pattern": "^[A-Z]{2}$"}, {"enum": ["AB", "CD"]}, {"minLength": 2, "maxLength": 2}])
    schema = {"type": "object", "propertyNames": names, "minProperties": least}
    return Piece(schema, dict.fromkeys(["AB", "CD"][:least], 1), dialect=draw.choice(["", "draft-07"]))


@leaf
def dependent_members(draw: Random) -> Piece:
    properties = {name: {"type": "string"} for name in ("card", "address", "note")}
    schema = {"type": "object", "properties": properties, "required": ["card"]}
    if draw.random() < 0.5:
        return Piece(
            {**schema, "dependentRequired": {"card": ["address"]}}, {"card": "", "address": ""}, dialect="2020-12"
        )
    return Piece({**schema, "dependencies": {"card": ["address"]}}, {"card": "", "address": ""}, dialect="draft-07")


@leaf
def unevaluated(draw: Random) -> Piece:
    first = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    second = {"properties": {"b": {"type": "string"}}, "required": ["b"]}
    return Piece({"allOf": [first, second], "unevaluatedProperties": False}, {"a": 1, "b": ""}, dialect="2020-12")


# --- one of several -------------------------------------------------------------------------------------------------


@leaf
def any_of_types(draw: Random) -> Piece:
    names = draw.sample([*PLAIN], draw.randint(1, 3))
    return Piece({"anyOf": [{"type": name} for name in names]}, PLAIN[names[0]])


@leaf
def any_of_objects(draw: Random) -> Piece:
    first, second = (an_object(draw, [name], [name], additionalProperties=False) for name in ("sail", "engine"))
    return Piece({"anyOf": [first.schema, second.schema]}, second.fits)


@leaf
def any_of_beside_members(draw: Random) -> Piece:
    """Each alternative requires another member."""
    piece = an_object(draw, ["city", "lat", "lon"], [])
    asked = [{"required": ["city"]}, {"required": ["lat", "lon"]}]
    every = an_object(Random(0), ["city"], ["city"])
    piece.schema["properties"]["city"] = every.schema["properties"]["city"]
    return Piece({**piece.schema, draw.choice(["anyOf", "oneOf"]): asked}, every.fits)


@leaf
def one_of(draw: Random) -> Piece:
    step = draw.choice([3, 5])
    return Piece({"oneOf": [{"type": "integer", "minimum": step}, {"type": "integer", "maximum": 0}]}, 0)


@leaf
def one_of_that_overlap(draw: Random) -> Piece:
    most = draw.choice([4, 10])
    return Piece({"oneOf": [{"type": "integer", "minimum": 0}, {"type": "number", "maximum": most}]}, most + 1)


@leaf
def one_of_by_kind(draw: Random) -> Piece:
    kinds = some(draw, 2, 3)
    each = [
        {
            "type": "object",
            "properties": {"kind": {"const": kind}, kind: {"type": "integer"}},
            "required": ["kind", kind],
        }
        for kind in kinds
    ]
    return Piece({"oneOf": each, "discriminator": {"propertyName": "kind"}}, {"kind": kinds[0], kinds[0]: 1})


@leaf
def all_of(draw: Random) -> Piece:
    low = draw.choice([0, 17])
    parts: list[dict[str, Any]] = [{"type": "integer"}, {"minimum": low}, {"maximum": low + 1}, {"not": {"const": low}}]
    draw.shuffle(parts)
    return Piece({"allOf": parts}, low + 1)


@leaf
def all_of_objects(draw: Random) -> Piece:
    first, second = (an_object(draw, [name], [name]) for name in ("hull", "rig"))
    return Piece({"allOf": [first.schema, second.schema]}, {**first.fits, **second.fits})


@leaf
def excluded(draw: Random) -> Piece:
    schema = draw.choice(
        [
            {"type": "string", "not": {"enum": ["example", "another example", ""]}},
            {"type": "integer", "not": {"minimum": -5, "maximum": 5}},
            {"not": {"type": ["string", "integer", "object"]}},
            {"type": "object", "not": {"required": ["forbidden"]}, "properties": {"forbidden": {"type": "string"}}},
        ]
    )
    fits = {"string": "other", "integer": 9, None: None, "object": {}}[schema.get("type")]
    return Piece(schema, fits)


@leaf
def condition(draw: Random) -> Piece:
    kinds = draw.choice([["card", "cash"], ["cash", "card"]])
    schema = {
        "type": "object",
        "properties": {"pay": {"enum": kinds}, "number": {"type": "string"}, "coins": {"type": "integer"}},
        "required": ["pay"],
        "if": {"properties": {"pay": {"const": "card"}}},
        "then": {"required": ["number"]},
        "else": {"required": ["coins"]},
    }
    fits = {"pay": "card", "number": ""} if kinds[0] == "card" else {"pay": "cash", "coins": 1}
    return Piece(schema, fits, dialect=draw.choice(["", "draft-07", "2019-09"]))


# --- what refers to something ---------------------------------------------------------------------------------------


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


@leaf
def chain_of_references(draw: Random) -> Piece:
    defs = {"a": {**ref("b"), "description": a_word(draw)}, "b": ref("c"), "c": {"type": "integer"}}
    return Piece(ref("a"), 1, defs)


@leaf
def reference_beside_words(draw: Random) -> Piece:
    limit = {"maximum": 3} if draw.random() < 0.5 else {"title": "T"}
    return Piece({**ref("depth"), **limit}, 2, {"depth": {"type": "integer", "minimum": 2}}, "2020-12")


@leaf
def reference_into_a_definition(draw: Random) -> Piece:
    defs = {"player": {"type": "object", "properties": {"id": {"type": ["number"]}}}}
    return Piece({"$ref": "#/$defs/player/properties/id"}, 1, defs)


@leaf
def reference_with_an_escaped_name(draw: Random) -> Piece:
    name, pointer = draw.choice([("a/b", "a~1b"), ("a~b", "a~0b"), ("a b", "a%20b")])
    return Piece({"$ref": f"#/$defs/{pointer}"}, 1, {name: {"type": "integer"}})


@leaf
def definitions_that_nobody_uses(draw: Random) -> Piece:
    return Piece({"type": "string"}, "", {name: {"type": "object"} for name in some(draw)})


@leaf
def linked_list(draw: Random) -> Piece:
    """Whose end is null: required, or not there."""
    ends = draw.sample([ref("node"), {"type": "null"}], 2)
    node = {"type": "object", "properties": {"next": {"anyOf": ends}, "value": {"type": "number"}}}
    required = draw.choice([["value", "next"], ["next"], ["value"]])
    return Piece(ref("node"), {"value": 1, "next": None}, {"node": {**node, "required": required}})


@leaf
def tree(draw: Random) -> Piece:
    each = {"type": "array", "items": ref("branch"), **draw.choice([{}, {"minItems": 0}, {"maxItems": 2}])}
    node = {
        "type": "object",
        "properties": {"label": {"type": "string"}, "children": each},
        "additionalProperties": False,
    }
    return Piece(ref("branch"), {"label": "", "children": []}, {"branch": {**node, "required": ["label", "children"]}})


@leaf
def two_that_refer_to_each_other(draw: Random) -> Piece:
    defs = {
        "ship": {"type": "object", "properties": {"crew": ref("sailor")}},
        "sailor": {"type": "object", "properties": {"ship": ref("ship")}},
    }
    return Piece(ref("ship"), {}, defs)


@leaf
def expression(draw: Random) -> Piece:
    """An operand is a number or an expression again."""
    operands = {"type": "array", "items": ref("term"), "minItems": 2, "maxItems": 2}
    sum_ = {"type": "object", "properties": {"op": {"enum": ["+", "-"]}, "of": operands}, "required": ["op", "of"]}
    alternatives = draw.sample([sum_, {"type": "number"}], 2)
    return Piece(ref("term"), 1, {"term": {draw.choice(["anyOf", "oneOf"]): alternatives}})


@leaf
def members_of_its_own_kind(draw: Random) -> Piece:
    group = {"type": "array", "items": {"type": "object", "additionalProperties": {"$ref": "#/$defs/group/items"}}}
    return Piece({"$ref": "#/$defs/group/items"}, {}, {"group": group})
