"""What tool schemas are made of: a schema with a value that fits it, and the register of all that draw one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

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


Leaf = Callable[[Random], Piece]
LEAVES: dict[str, Leaf] = {}


def leaf(draw: Leaf) -> Leaf:
    LEAVES[draw.__name__] = draw
    return draw


def some(draw: Random, least: int = 1, most: int = 4) -> list[str]:
    return draw.sample(NAMES, draw.randint(least, most))


def a_word(draw: Random) -> str:
    return draw.choice(WORDS)
