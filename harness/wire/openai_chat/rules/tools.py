"""How tools are declared, how one is chosen, and what a structured answer must fit."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import entries, members, objects, string
from harness.wire.openai_chat.rules.history import ChatHistory
from harness.wire.openai_chat.rules.table import OAC_15, OAC_FORMAT, OAC_NAME
from harness.wire.openai_chat.schema import NAME_PATTERN
from harness.wire.openai_chat.types import few
from harness.wire.rule import WireRule

_DOTTED: Final = re.compile(r"[a-zA-Z0-9_-]*\.[a-zA-Z0-9_.-]*")


def names_have_no_dots(history: ChatHistory) -> Iterator[Finding]:
    """Newer models take them; a name that no model takes is found by the schema."""
    if not history.is_strict:
        return
    declared = ((f"tools[{number}]", tool) for number, tool in enumerate(entries(history.body.get("tools"))))
    for place, each in (*declared, *history.calls):
        name = string(members(members(each).get("function")).get("name"))
        if "." in name and _DOTTED.fullmatch(name):
            at, expected = f"{place}.function.name", "a name without dots"
            yield OAC_NAME.broken(at, expected=expected, got=repr(name), template="dots", pattern=NAME_PATTERN)


# --- schemas -------------------------------------------------------------------------------------------------


def schemas_are_valid(history: ChatHistory) -> Iterator[Finding]:
    """OAC-15: parameters of a tool that are no schema which OpenAI accepts."""
    if not history.is_strict:
        return
    for number, tool in enumerate(entries(history.body.get("tools"))):
        function = members(members(tool).get("function"))
        schema = members(function.get("parameters"))
        yield from _schema(f"tools[{number}].function.parameters", function, schema)


def _schema(at: str, function: Json, schema: Json) -> Iterator[Finding]:
    name = function.get("name")
    if schema and schema.get("type") != "object":
        got = repr(schema.get("type"))
        expected = "a schema of type object"
        yield OAC_15.broken(at, expected=expected, got=got, template="no object", name=name, type=schema.get("type"))
    elif schema and "properties" not in schema and "additionalProperties" not in schema and "$ref" not in schema:
        yield OAC_15.broken(at, expected="properties", got="no such member", template="no properties", name=name)
    elif function.get("strict") is True:
        yield from _first_gap(OAC_15, at, name, schema)


def answer_is_closed(history: ChatHistory) -> Iterator[Finding]:
    """OAC-FORMAT: a strict response format whose schema leaves something open."""
    wanted = members(members(history.body.get("response_format")).get("json_schema"))
    if history.is_strict and wanted.get("strict") is True:
        yield from _first_gap(OAC_FORMAT, "response_format", wanted.get("name"), members(wanted.get("schema")))


def _first_gap(rule: WireRule, at: str, name: Any, schema: Json) -> Iterator[Finding]:
    """The first object that is open or incomplete: the API reports one at a time."""
    for context, each in _objects(schema):
        closed = each.get("additionalProperties", "not said")
        missing = [key for key in members(each.get("properties")) if key not in entries(each.get("required"))]
        if closed is not False:
            expected = "additionalProperties: false"
            yield rule.broken(at, expected=expected, got=repr(closed), template="open", name=name, context=context)
            return
        if missing:
            expected, got = "every property in required", f"not {missing[0]}"
            words = {"name": name, "context": context, "missing": missing[0]}
            yield rule.broken(at, expected=expected, got=got, template="incomplete", **words)
            return


def _objects(schema: Json) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Every object that a schema describes, with the way to it, from the outside in."""
    waiting: deque[tuple[tuple[str, ...], Any]] = deque([((), schema)])
    while waiting:
        context, each = waiting.popleft()
        if not isinstance(each, dict):
            continue
        if each.get("type") == "object":
            yield context, each
        for name in ("properties", "$defs"):
            waiting.extend(((*context, name, key), inner) for key, inner in members(each.get(name)).items())
        waiting.append(((*context, "items"), each.get("items")))
        waiting.extend(((*context, "anyOf", str(at)), one) for at, one in enumerate(entries(each.get("anyOf"))))


# --- the choice ----------------------------------------------------------------------------------------------


def choice_is_declared(history: ChatHistory) -> Iterator[Finding]:
    """OAC-15: a choice of tools without tools, or of a tool that is not declared."""
    if not history.is_strict:
        return
    body = history.body
    for member in ("tool_choice", "parallel_tool_calls"):
        if body.get(member) is not None and not body.get("tools"):
            yield OAC_15.broken(
                member, expected=f"no {member} without tools", got="no tools", template="only with tools"
            )
    chosen = _chosen(body.get("tool_choice"))
    declared = [_named(tool) for tool in objects(body.get("tools"))]
    if chosen and declared and chosen not in declared:
        expected = f"one of {few(declared)}"
        yield OAC_15.broken("tool_choice", expected=expected, got=chosen, template="choice", name=chosen)


def _chosen(choice: Any) -> str:
    return _named(members(choice))


def _named(tool: Json) -> str:
    return string(members(tool.get("function") or tool.get("custom")).get("name"))
