"""How tools are declared, and how one is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from harness.wire.base import Json, Violation
from harness.wire.lenient import entries, objects, string
from harness.wire.openai_chat.rules.history import History
from harness.wire.openai_chat.rules.table import OAC_15, OAC_NAME
from harness.wire.openai_chat.schema import NAME_PATTERN
from harness.wire.openai_chat.types import few

__all__ = ["choice_is_declared", "names_have_no_dots", "schemas_are_valid"]

_MOST_MODELS: Final = NAME_PATTERN.replace(".", "")


def names_have_no_dots(history: History) -> Iterator[Violation]:
    """Newer models take them; of a name that no model takes the schema tells."""
    if not history.is_strict:
        return
    for at, name in _names(history):
        if "." in name and re.fullmatch(NAME_PATTERN[1:-1], name):
            yield OAC_NAME.broken(
                at, expected="a name without dots", got=repr(name), saying="dots", pattern=_MOST_MODELS
            )


def _names(history: History) -> Iterator[tuple[str, str]]:
    declared = enumerate(entries(history.body.get("tools")))
    places = [*((f"tools[{number}]", tool) for number, tool in declared), *history.calls]
    for place, each in places:
        function = each.get("function") if isinstance(each, dict) else None
        if isinstance(function, dict):
            yield f"{place}.function.name", string(function.get("name"))


# --- schemas -------------------------------------------------------------------------------------------------


def schemas_are_valid(history: History) -> Iterator[Violation]:
    if not history.is_strict:
        return
    for number, tool in enumerate(entries(history.body.get("tools"))):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("parameters"), dict):
            continue
        yield from _schema(f"tools[{number}].function.parameters", function, function["parameters"])


def _schema(at: str, function: Json, schema: Json) -> Iterator[Violation]:
    name = function.get("name")
    if schema and schema.get("type") != "object":
        got = repr(schema.get("type"))
        expected = "a schema of type object"
        yield OAC_15.broken(at, expected=expected, got=got, saying="no object", name=name, type=schema.get("type"))
    elif schema and "properties" not in schema and "additionalProperties" not in schema and "$ref" not in schema:
        yield OAC_15.broken(at, expected="properties", got="no such member", saying="no properties", name=name)
    elif function.get("strict") is True:
        yield from _strict(at, name, schema)


def _strict(at: str, name: Any, schema: Json) -> Iterator[Violation]:
    """The first object that is open or incomplete: the API tells one at a time."""
    for context, each in _objects(schema, ()):
        missing = [key for key in each.get("properties") or {} if key not in (each.get("required") or ())]
        if each.get("additionalProperties") is not False:
            expected, got = "additionalProperties: false", repr(each.get("additionalProperties", "no such member"))
            yield OAC_15.broken(at, expected=expected, got=got, saying="open", name=name, context=context)
            return
        if missing:
            expected, got = "every property in required", f"not {missing[0]}"
            words = {"name": name, "context": context, "missing": missing[0]}
            yield OAC_15.broken(at, expected=expected, got=got, saying="incomplete", **words)
            return


def _objects(schema: Any, context: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Every object that a schema describes, with the way to it."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object":
        yield context, schema
    for name in ("properties", "$defs"):
        inner = schema.get(name)
        for key, value in inner.items() if isinstance(inner, dict) else ():
            yield from _objects(value, (*context, name, key))
    yield from _objects(schema.get("items"), (*context, "items"))
    for number, value in enumerate(entries(schema.get("anyOf"))):
        yield from _objects(value, (*context, "anyOf", str(number)))


# --- the choice ----------------------------------------------------------------------------------------------


def choice_is_declared(history: History) -> Iterator[Violation]:
    if not history.is_strict:
        return
    body = history.body
    for member in ("tool_choice", "parallel_tool_calls"):
        if body.get(member) is not None and not body.get("tools"):
            yield OAC_15.broken(member, expected=f"no {member} without tools", got="no tools", saying="only with tools")
    chosen = _chosen(body.get("tool_choice"))
    declared = [_named(tool) for tool in objects(body.get("tools"))]
    if chosen and declared and chosen not in declared:
        expected = f"one of {few(declared)}"
        yield OAC_15.broken("tool_choice", expected=expected, got=chosen, saying="choice", name=chosen)


def _chosen(choice: Any) -> str:
    return _named(choice) if isinstance(choice, dict) else ""


def _named(tool: Json) -> str:
    body = tool.get("function") or tool.get("custom")
    return string(body.get("name")) if isinstance(body, dict) else ""
