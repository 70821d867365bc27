"""What an object of a wire is made of, with its values left out: every member with its type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.wire.grammar import Grammar

__all__ = ["members_of"]

_TYPES: Final[dict[type, str]] = {
    str: "text",
    bool: "boolean",
    int: "number",
    float: "number",
    dict: "object",
    list: "list",
}


def members_of(value: Any, grammar: Grammar) -> Iterator[str]:
    """Every member of a value with its type, down to where keys are free."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _typed(name, name, member, grammar)
    elif isinstance(value, list):
        yield from _typed("[]", "", value, grammar)


def _typed(path: str, name: str, value: Any, grammar: Grammar) -> Iterator[str]:
    yield f"{path}: {_TYPES.get(type(value), 'null')}"
    if name in grammar.free:
        return
    if isinstance(value, dict):
        here = f"{path}{grammar.variant(name, value)}"
        for inner, member in value.items():
            yield from _typed(f"{here}.{inner}", inner, member, grammar)
    elif isinstance(value, list):
        for element in value:
            yield from _typed(f"{path}[]", f"{name}[]", element, grammar)
