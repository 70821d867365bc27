"""Tool schemas of every form that other projects' verifiers send, each with a value that fits it, drawn from a seed.

Kimi's vendor verifier forces a call of one tool for each of some two hundred schemas, whole and streamed, and
validates the arguments. Its forms are rebuilt here in our own words: a leaf, which is a schema of one kind with a value
that fits (``schema_values``, ``schema_objects``), in a wrapper, which says where it stands. A leaf of an older dialect
makes the whole schema one of that dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.outside.schema_objects import ref
from tests.outside.schema_pieces import LEAVES, NAMES, Piece

__all__ = ["LEAVES", "WRAPPERS", "Form", "forms"]

DIALECTS = {
    "draft-04": "http://json-schema.org/draft-04/schema#",
    "draft-06": "http://json-schema.org/draft-06/schema#",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
OLD = ("draft-04", "draft-06", "draft-07")
"""Dialects whose definitions are in ``definitions``."""


@dataclass(frozen=True, slots=True)
class Form:
    """The ``parameters`` of a tool, and arguments that fit them. ``dialect`` is the one that they name, or empty."""

    name: str
    schema: dict[str, Any]
    fits: dict[str, Any]
    dialect: str


WRAPPERS: dict[str, Callable[[Random, Piece], Piece]] = {}


def wrapper(wrap: Callable[[Random, Piece], Piece]) -> Callable[[Random, Piece], Piece]:
    WRAPPERS[wrap.__name__] = wrap
    return wrap


# --- where it stands ------------------------------------------------------------------------------------------------


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


# --- the whole ------------------------------------------------------------------------------------------------------


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
