"""A JSON reader for text that anybody may have written.

What is nested too deeply is refused, as what is no JSON is, and so is a request of too many values.

Whoever goes down into a value by recursion would otherwise come to an end somewhere, at a depth that depends on the
Python and on how far down the caller was.
"""

from __future__ import annotations

import json
from typing import Any, Final

MOST_LEVELS: Final = 410
"""How deep lists and objects of a request may be nested: far beyond those of any loop.

Rules, schemas and encoders follow values by recursion, several calls a level, and Python ends that at a thousand."""

SHALLOW: Final = 200
"""The same where a value is gone through by recursion, with several calls for each level."""

MOST_HOLDERS: Final = 200_000
"""How many lists and objects a request may have: a history of 10,000 turns has fewer.

Each costs the rules some microseconds, in which no other request is answered, and a kilobyte."""


def loads(text: str | bytes | bytearray, levels: int = MOST_LEVELS, *, holders: int | None = None) -> Any:
    """The value, as ``json.loads`` reads it.

    Raises ``ValueError`` for what is no JSON, is nested more than ``levels`` deep, or has more than ``holders`` lists
    and objects (None: any number).
    """
    try:
        value = _parsed_value(text if isinstance(text, str) else _decoded_text(text))
    except RecursionError:
        raise ValueError(f"values are nested more than {levels} deep") from None
    if holders is None and len(text) <= levels:  # too short to be that deep, as most events of a stream are
        return value
    brackets = _brackets(text)
    if brackets > levels and is_deeper(value, levels):
        raise ValueError(f"values are nested more than {levels} deep")
    if holders is not None and brackets > holders and _holders(value) > holders:
        raise ValueError(f"it has more than {holders:,} lists and objects")
    return value


def _parsed_value(text: str | bytes | bytearray) -> Any:
    """As ``json.loads`` does, which for a short text takes as long to look for what is around the value."""
    if isinstance(text, str):
        try:
            value, end = _DECODER.raw_decode(text)
        except ValueError:
            end = -1  # there may be white space in front
        if end == len(text):
            return value
    return json.loads(text)


_DECODER: Final = json.JSONDecoder()


def _decoded_text(text: bytes | bytearray) -> str | bytes | bytearray:
    """Text as ``json.loads`` decodes it, where it is UTF-8 for certain: that takes long to find out."""
    is_plain = len(text) > 1 and text[0] in _OPENING and text[1] != 0
    return text.decode("utf-8", "surrogatepass") if is_plain else text


_OPENING: Final = b"{["


def _brackets(text: str | bytes | bytearray) -> int:
    """How many brackets open: nothing is nested deeper. (In UTF-16 their bytes are there, too.)"""
    if isinstance(text, str):
        return text.count("[") + text.count("{")
    return text.count(b"[") + text.count(b"{")


def is_deeper(value: Any, levels: int) -> bool:
    """Whether the lists and objects of a JSON value are nested more than ``levels`` deep."""
    level = [value] if isinstance(value, dict | list) else []
    while level and levels >= 0:
        levels -= 1
        level = [
            each
            for holder in level
            for each in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(each, dict | list)
        ]
    return levels < 0


def _holders(value: Any) -> int:
    """How many lists and objects a JSON value has."""
    count, level = 0, [value]
    while level:
        level = [each for each in level if isinstance(each, dict | list)]
        count += len(level)
        level = [each for holder in level for each in (holder.values() if isinstance(holder, dict) else holder)]
    return count
