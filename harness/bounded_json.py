"""A JSON reader for text that anybody may have written: what is nested too deeply is refused, as what is no JSON is.

Whoever goes down into a value by recursion would otherwise come to an end somewhere, at a depth that depends on the
Python and on how far down the caller was.
"""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = ["MOST_LEVELS", "SHALLOW", "is_deeper", "loads"]

MOST_LEVELS: Final = 410
"""How deep lists and objects of a request may be nested: far beyond those of any loop.

Rules, schemas and encoders follow values by recursion, several calls a level, and Python ends that at a thousand."""

SHALLOW: Final = 200
"""The same where a value is gone through by recursion, with several calls for each level."""


def loads(text: str | bytes | bytearray, levels: int = MOST_LEVELS) -> Any:
    """The value, as ``json.loads`` reads it.

    Raises ``ValueError`` for what is no JSON, or nested more than ``levels`` deep.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"values are nested more than {levels} deep") from None
    if _brackets(text) > levels and is_deeper(value, levels):
        raise ValueError(f"values are nested more than {levels} deep")
    return value


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
