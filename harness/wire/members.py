"""The structure of a wire's object, without its values: every member with its type."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.grammar import Grammar

_TYPES: Final[dict[type, str]] = {
    str: "text",
    bool: "boolean",
    int: "number",
    float: "number",
    dict: "object",
    list: "list",
}


def members_of(value: Any, grammar: Grammar) -> list[str]:
    """Every member of a value with its type, down to where keys are free."""
    members: list[str] = []
    if isinstance(value, dict):
        for name, member in value.items():
            _add_typed(members, name, name, member, grammar)
    elif isinstance(value, list):
        _add_typed(members, "[]", "", value, grammar)
    return members


def _add_typed(members: list[str], path: str, name: str, value: Any, grammar: Grammar) -> None:
    members.append(f"{path}: {_TYPES.get(type(value), 'null')}")
    if name in grammar.free:
        return
    if isinstance(value, dict):
        here = f"{path}{grammar.type_mark(name, value)}"
        for inner, member in value.items():
            _add_typed(members, f"{here}.{inner}", inner, member, grammar)
    elif isinstance(value, list):
        for element in value:
            _add_typed(members, f"{path}[]", f"{name}[]", element, grammar)
