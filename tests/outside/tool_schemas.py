"""Tool schemas of every form that other projects' verifiers send, each with a value that fits it, drawn from a seed.

Kimi's vendor verifier forces a call of one tool for each of some two hundred schemas, whole and streamed, and validates
the arguments. Its forms are rebuilt here in our own words: a leaf, which is a schema of one kind with a value that fits,
in a wrapper, which says where it stands. A leaf of an older dialect makes the whole schema one of that dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

__all__ = ["LEAVES", "WRAPPERS", "Form", "forms", "standing"]

DIALECTS = {
    "draft-04": "http://json-schema.org/draft-04/schema#",
    "draft-06": "http://json-schema.org/draft-06/schema#",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
OLD = ("draft-04", "draft-06", "draft-07")
"""Dialects whose definitions are in ``definitions``."""

NAMES = ("keel", "mast", "rudder", "sheet", "ballast", "bow", "stern", "log", "chart", "anchor")
ODD_NAMES = (
    "first mate",
    " ",
    "3.5",
    "111",
    "a/b/c",
    "d.e.f",
    "ваlue",
    "船",
    "🛟⛵",
    "type",
    "enum",
    "items",
    "$ref",
    "\\n",
)
WORDS = ("spring tide", "neap", "", "200", " north ", "línea", "🌊", "tab\there", 'quote"d')


@dataclass(frozen=True, slots=True)
class Piece:
    """A schema, a value that fits it, what it refers to, and the dialect that it needs ("": none in particular)."""

    schema: Any
    fits: Any
    defs: dict[str, Any] = field(default_factory=dict)
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """The ``parameters`` of a tool, and arguments that fit them. ``dialect`` is named in the schema, unless it is ""."""

    name: str
    schema: dict[str, Any]
    fits: dict[str, Any]
    dialect: str


Leaf = Callable[[Random], Piece]
LEAVES: dict[str, Leaf] = {}
WRAPPERS: dict[str, Callable[[Random, Piece], Piece]] = {}


def leaf(draw: Leaf) -> Leaf:
    LEAVES[draw.__name__] = draw
    return draw


def wrapper(wrap: Callable[[Random, Piece], Piece]) -> Callable[[Random, Piece], Piece]:
    WRAPPERS[wrap.__name__] = wrap
    return wrap


def some(draw: Random, least: int = 1, most: int = 4) -> list[str]:
    return draw.sample(NAMES, draw.randint(least, most))


def a_word(draw: Random) -> str:
    return draw.choice(WORDS)


# --- one value ----------------------------------------------------------------------------------------------------------

PLAIN: dict[str, Any] = {
    "string": "example",
    "integer": 7,
    "number": 2.5,
    "boolean": True,
    "null": None,
    "array": ["example"],
    "object": {"any": 1},
}


@leaf
def anything(draw: Random) -> Piece:
    return Piece({"description": a_word(draw)} if draw.random() < 0.5 else {}, 0)


@leaf
def plain_type(draw: Random) -> Piece:
    name = draw.choice([*PLAIN])
    return Piece({"type": name, "title": a_word(draw)}, PLAIN[name])


@leaf
def type_in_a_list(draw: Random) -> Piece:
    name = draw.choice([*PLAIN])
    return Piece({"type": [name]}, PLAIN[name])


@leaf
def types(draw: Random) -> Piece:
    names = draw.sample([*PLAIN], draw.randint(2, 7))
    return Piece({"type": names}, PLAIN[names[0]])


@leaf
def nullable(draw: Random) -> Piece:
    name = draw.choice(["string", "integer", "array"])
    return Piece({"type": draw.sample([name, "null"], 2)}, None)


@leaf
def boolean_schema(draw: Random) -> Piece:
    return Piece(True, 0, dialect="2020-12")


@leaf
def enum(draw: Random) -> Piece:
    values = draw.choice(
        [
            [*draw.sample(WORDS, 4)],
            [-2, -1, 0, 2, -2222],
            [100, 666666666, 3.333333, 3.4444444444444446],
            [True, False],
            [None],
            ["", None, 0, {"a": [1]}, [{"b": None}]],
        ]
    )
    return Piece({"enum": values}, values[-1])


@leaf
def enum_with_type(draw: Random) -> Piece:
    """Not each value of the list is of the type."""
    values: list[Any] = [None, "port", 4, "starboard", 1.5, False]
    draw.shuffle(values)
    name, fits = draw.choice([("string", "port"), ("integer", 4), ("boolean", False)])
    return Piece({"enum": values, "type": [name, "null"] if draw.random() < 0.3 else name}, fits)


@leaf
def enum_within_a_range(draw: Random) -> Piece:
    return Piece(
        {"type": "number", "enum": [-40, 1, 2.5, 3.75, 90], "minimum": draw.choice([2, 2.4]), "maximum": 10}, 2.5
    )


@leaf
def const(draw: Random) -> Piece:
    value = draw.choice([a_word(draw), 0, -1.5, None, False, [1, {"a": ""}], {"kind": "x"}])
    return Piece({"const": value}, value, dialect="draft-07" if draw.random() < 0.3 else "")


# --- texts --------------------------------------------------------------------------------------------------------------


@leaf
def length(draw: Random) -> Piece:
    least = draw.choice([0, 1, 5, 40])
    most = draw.choice([least or 1, least + 3, 5_000_000])
    limits = draw.choice([{"minLength": least}, {"maxLength": most}, {"minLength": least, "maxLength": most}])
    return Piece({"type": "string", **limits}, "x" * (least or 1))


PATTERNS = {
    "^[a-z]+$": "abc",
    r"^\d{4}-\d{2}$": "2026-11",
    "^(north|south)-[0-9]{1,3}$": "north-5",
    "[A-Z]{3}": "a JFK b",
    r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$": "a@b.org",
    "^#?[0-9a-fA-F]{6}$": "#a0b1c2",
    "": "",
    r"^\+?[1-9]\d{1,14}$": "+4912345",
    r"^[\w.-]+/[\w.-]+$": "a/b",
}


@leaf
def pattern(draw: Random) -> Piece:
    expression, fits = draw.choice([*PATTERNS.items()])
    return Piece({"type": "string", "pattern": expression}, fits)


@leaf
def pattern_and_length(draw: Random) -> Piece:
    least = draw.randint(6, 30)
    return Piece({"type": "string", "pattern": "^[a-z]+$", "minLength": least, "maxLength": least + 2}, "a" * least)


FORMATS = {
    "date-time": "2026-11-28T10:00:00Z",
    "date": "2026-11-28",
    "time": "10:00:00Z",
    "email": "a@example.org",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "https://example.org/a",
    "uuid": "3e4666bf-d5e5-4aa7-b8ce-cefe41c7568a",
    "hostname": "example.org",
    "regex": "^a$",
    "duration": "P1D",
    "json-pointer": "/a/0",
    "phone": "+49 123",
}


@leaf
def text_format(draw: Random) -> Piece:
    name, fits = draw.choice([*FORMATS.items()])
    return Piece({"type": "string", "format": name}, fits)


# --- numbers --------------------------------------------------------------------------------------------------------------


@leaf
def bounds(draw: Random) -> Piece:
    name = draw.choice(["integer", "number"])
    low = draw.choice([-1_000_000, -10, 0, 5, 97])
    high = low + draw.choice([0, 1, 20, 10**15])
    limits = draw.choice([{"minimum": low}, {"maximum": high}, {"minimum": low, "maximum": high}])
    return Piece({"type": name, **limits}, high if "maximum" in limits else low)


@leaf
def odd_bounds(draw: Random) -> Piece:
    low = draw.choice([-10.5111111, 0.25, 1e-9])
    return Piece({"type": "number", "minimum": low, "maximum": low + 1e-3}, low)


@leaf
def exclusive_bounds(draw: Random) -> Piece:
    low = draw.choice([-3, 0, 41])
    dialect = draw.choice(["", "draft-06", "draft-07", "2019-09", "2020-12"])
    return Piece({"type": "integer", "exclusiveMinimum": low, "exclusiveMaximum": low + 2}, low + 1, dialect=dialect)


@leaf
def exclusive_bounds_of_draft_04(draw: Random) -> Piece:
    low = draw.choice([-3, 0, 41])
    schema = {
        "type": draw.choice(["integer", "number"]),
        "minimum": low,
        "exclusiveMinimum": True,
        "maximum": low + 2,
        "exclusiveMaximum": draw.choice([True, False]),
    }
    return Piece(schema, low + 1, dialect="draft-04")


@leaf
def multiple(draw: Random) -> Piece:
    step = draw.choice([3, 7, 25, 0.5])
    return Piece({"type": "number", "multipleOf": step, "minimum": 8 * step - 1, "maximum": 10 * step}, 8 * step)


# --- lists ------------------------------------------------------------------------------------------------------------------


@leaf
def list_length(draw: Random) -> Piece:
    least = draw.choice([0, 1, 3, 6])
    most = least + draw.choice([0, 2])
    limits = draw.choice([{"minItems": least}, {"minItems": least, "maxItems": most}, {"maxItems": most}])
    return Piece({"type": "array", "items": {"type": "integer"}, **limits}, [1] * least)


@leaf
def unique(draw: Random) -> Piece:
    least = draw.randint(2, 4)
    item, fits = draw.choice(
        [({"type": "integer"}, [1, 2, 3, 4]), ({"enum": [*"abcd"]}, [*"abcd"]), ({"type": "string"}, [*"abcd"])]
    )
    return Piece({"type": "array", "items": item, "uniqueItems": True, "minItems": least}, fits[:least])


@leaf
def tuple_of_draft_07(draw: Random) -> Piece:
    schema = {"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "minItems": 2}
    return Piece(
        {**schema, "additionalItems": False}, ["a", 1], dialect=draw.choice(["draft-04", "draft-06", "draft-07"])
    )


@leaf
def tuple_by_prefix(draw: Random) -> Piece:
    rest = draw.choice([{}, {"items": False}, {"items": {"type": "null"}}])
    schema = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, **rest}
    return Piece(schema, ["a", 1], dialect=draw.choice(["", "2020-12"]))


@leaf
def contains(draw: Random) -> Piece:
    least = draw.randint(1, 3)
    schema = {"type": "array", "contains": {"type": "integer", "minimum": 5}, "minContains": least}
    return Piece(schema, [5] * least, dialect="2020-12")


# --- objects ----------------------------------------------------------------------------------------------------------------


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


# --- one of several -----------------------------------------------------------------------------------------------------------


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


# --- what refers to something -------------------------------------------------------------------------------------------------


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


# --- where it stands ------------------------------------------------------------------------------------------------------------


@wrapper
def itself(draw: Random, piece: Piece) -> Piece:
    return piece


@wrapper
def a_member(draw: Random, piece: Piece) -> Piece:
    outer, inner = draw.sample(NAMES, 2)
    within = {"type": "object", "properties": {inner: piece.schema}, "required": [inner]}
    schema = {"type": "object", "properties": {outer: within}, "required": [outer], "additionalProperties": False}
    return replace(piece, schema=schema, fits={outer: {inner: piece.fits}})


@wrapper
def an_optional_member(draw: Random, piece: Piece) -> Piece:
    name = draw.choice(NAMES)
    return replace(piece, schema={"type": "object", "properties": {name: piece.schema}}, fits={})


@wrapper
def an_item(draw: Random, piece: Piece) -> Piece:
    least = draw.choice([0, 1, 2])
    return replace(piece, schema={"type": "array", "items": piece.schema, "minItems": least}, fits=[piece.fits] * least)


@wrapper
def an_alternative(draw: Random, piece: Piece) -> Piece:
    """Of a list of them that has one more, and that lists of it stand in, too."""
    alternatives = draw.sample([piece.schema, {"type": "array", "items": piece.schema, "maxItems": 1}], 2)
    return replace(piece, schema={"anyOf": alternatives}, fits=[])


@wrapper
def a_definition(draw: Random, piece: Piece) -> Piece:
    name = draw.choice(NAMES).title()
    return replace(piece, schema=ref(name), defs={**piece.defs, name: piece.schema})


@wrapper
def what_other_members_are(draw: Random, piece: Piece) -> Piece:
    least = draw.choice([0, 1])
    schema = {"type": "object", "additionalProperties": piece.schema, "minProperties": least}
    return replace(piece, schema=schema, fits={"x": piece.fits} if least else {})


@wrapper
def both(draw: Random, piece: Piece) -> Piece:
    return replace(piece, schema={"allOf": [piece.schema, {"description": "As it is."}]})


# --- the whole -------------------------------------------------------------------------------------------------------------------


def forms(seed: int) -> Iterator[Form]:
    """Each leaf in each of some wrappers: more than two hundred, drawn from ``seed``."""
    for at, name in enumerate(LEAVES):
        draw = Random(f"{seed} {name}")
        others = [each for each in WRAPPERS if each != "itself"]
        for wrap in ("itself", *(others[(at + seed + 3 * number) % len(others)] for number in range(3))):
            yield standing(f"{name}-{wrap}", WRAPPERS[wrap](draw, LEAVES[name](draw)))


def standing(name: str, piece: Piece) -> Form:
    """The piece as what a tool's only argument is."""
    old = piece.dialect in OLD
    said = {"$schema": DIALECTS[piece.dialect]} if piece.dialect else {}
    top = {
        "type": "object",
        "properties": {"value": piece.schema},
        "required": ["value"],
        "additionalProperties": False,
    }
    defs = {"definitions" if old else "$defs": piece.defs} if piece.defs else {}
    schema = {**said, **top, **defs}
    return Form(name, _renamed(schema) if old else schema, {"value": piece.fits}, piece.dialect)


def _renamed(schema: Any) -> Any:
    """With references as an older dialect has them."""
    if isinstance(schema, dict):
        return {
            name: value.replace("#/$defs/", "#/definitions/")
            if name == "$ref" and isinstance(value, str)
            else _renamed(value)
            for name, value in schema.items()
        }
    return [_renamed(each) for each in schema] if isinstance(schema, list) else schema
