"""Schemas of a value, a text, a number and a list."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.outside.schema_pieces import WORDS, Piece, a_word, leaf

# --- one value ------------------------------------------------------------------------------------------------------

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


# --- texts ----------------------------------------------------------------------------------------------------------


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


# --- numbers --------------------------------------------------------------------------------------------------------


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


# --- lists ----------------------------------------------------------------------------------------------------------


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
