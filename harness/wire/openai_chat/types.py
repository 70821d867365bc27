"""Types and values, worded as in the API's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from harness.wire.base import Json

_TYPE_NAMES: Final = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a decimal",
    type(None): "null",
}

_WANTED: Final = {
    "string": "a string",
    "array": "an array of objects",
    "object": "an object",
    "integer": "an integer",
    "number": "a decimal",
    "boolean": "a boolean",
}

_SHOWN: Final = 80
_FEW: Final = 6


def type_name(value: Any) -> str:
    """The JSON type of ``value``."""
    return _TYPE_NAMES[type(value)]


def wanted(kinds: str | Sequence[str]) -> str:
    """The types that a schema asks for, without null, which means absent."""
    names = [_WANTED[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null"]
    if len(names) == 1:
        return names[0]
    return "one of " + " or ".join([names[0], *(name.split(" ", 1)[1] for name in names[1:])])


def listed(values: Sequence[str]) -> str:
    """``'none', 'auto', and 'required'``"""
    quoted = [f"'{value}'" for value in values]
    return " and ".join(quoted) if len(quoted) < 3 else f"{', '.join(quoted[:-1])}, and {quoted[-1]}"


def described(object: Json, name: str) -> str:
    """A short description, for a person, of a member that should be a text."""
    if name not in object:
        return "no such member"
    value = object[name]
    return (
        shortened(value) if isinstance(value, str) and value else "an empty text" if value == "" else type_name(value)
    )


def shortened(text: str) -> str:
    """A text as evidence, not longer than a line."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def few(texts: Sequence[str]) -> str:
    """The first of many texts, and how many more there are."""
    more = len(texts) - _FEW
    return ", ".join(texts) if more <= 0 else f"{', '.join(texts[:_FEW])} and {more} more"
