"""The arguments of a call: whether they are a JSON object, and whether they fit the tool's declaration."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import isnan
from typing import Any

from harness.wire import Call, ToolDeclaration


def members(arguments: str) -> dict[str, Any] | None:
    """The arguments as an object, an empty text as an empty one; None if they are no JSON object."""
    try:
        value = json.loads(arguments.strip() or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@lru_cache(maxsize=256)
def is_object(arguments: str) -> bool:
    """Whether a tool can be run on these arguments at all. Many rules ask it of the same calls."""
    return members(arguments) is not None


def same_number(one: float, other: float) -> bool:
    """Whether both are the same, with NaN, which most parsers of JSON take, as one number."""
    return one == other or (_is_nan(one) and _is_nan(other))


def _is_nan(value: float) -> bool:
    return isinstance(value, float) and isnan(value)


def _tool_of(call: Call, offered: Sequence[ToolDeclaration]) -> ToolDeclaration | None:
    return next((tool for tool in offered if tool.name == call.name), None)


def fault(call: Call, offered: Sequence[ToolDeclaration]) -> str | None:
    """A fault of a call that the model could correct, in words; None if there is none.

    Only faults that no loop can accept count: a tool that is not among ``offered`` (unless that is empty), arguments
    that are no JSON object, a missing required argument, an argument of another type than declared. The loop decides
    about anything deeper in the schema.
    """
    tool = _tool_of(call, offered)
    if tool is None and offered:
        return "no such tool is offered"
    values = members(call.arguments)
    if values is None:
        return "its arguments are no JSON object"
    return next(_misfits(values, tool.parameters), None) if tool is not None else None


def fits(call: Call, offered: Sequence[ToolDeclaration]) -> bool:
    """Whether no loop can refuse a call for its arguments: each is declared, and only by its type.

    If this is False and there is no ``fault`` either, it is unknown whether the call is wrong.
    """
    tool = _tool_of(call, offered)
    if tool is None or fault(call, offered) is not None:
        return False
    values = members(call.arguments)
    assert values is not None  # noqa: S101 - else there is a fault
    if not _PLAIN_OBJECT.issuperset(tool.parameters):
        return False
    properties = tool.parameters.get("properties")
    declared = [properties.get(name) if isinstance(properties, dict) else None for name in values]
    return all(isinstance(each, dict) and _PLAIN.issuperset(each) for each in declared)


_PLAIN_OBJECT = frozenset({"type", "properties", "required", "additionalProperties", "title", "description"})
_PLAIN = frozenset({"type", "title", "description", "default"})


def _misfits(values: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    required, properties = schema.get("required"), schema.get("properties")
    for name in required if isinstance(required, list) else ():
        if name not in values:
            yield f"{name!r} is missing"
    for name, declared in properties.items() if isinstance(properties, dict) else ():
        kinds = declared.get("type") if isinstance(declared, dict) else None
        wanted = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
        checks = [_IS[kind] for kind in wanted if isinstance(kind, str) and kind in _IS]
        if name in values and checks and not any(check(values[name]) for check in checks):
            yield f"{name!r} is no {' or '.join(map(str, wanted))}"


_IS: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and value == value // 1,
    "number": lambda value: _is_number(value),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}
"""The types of JSON Schema. A number without a fraction is an integer, however it is spelled."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
