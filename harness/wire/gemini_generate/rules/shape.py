"""What the schema forbids, in Google's words: GEM-FIELD, GEM-TYPE, GEM-14, GEM-18 and the form of signatures (GEM-09).

Places are spelled as protobuf spells them: in snake_case, and an entry of a map by its number.
"""

from __future__ import annotations

from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Certainty, Json
from harness.wire.gemini_generate.rules.request import Found, Request, brief
from harness.wire.gemini_generate.rules.table import GEM_09, GEM_14, GEM_18, GEM_FIELD, GEM_TYPE
from harness.wire.gemini_generate.schema import BASE64, INTEGER, SHAPE, both_spellings
from harness.wire.json_text import compact
from harness.wire.shape import Fault

_LISTS: Final = {GEM_14.id: GEM_14, GEM_18.id: GEM_18}

_ENTRY: Final = 2
"""The length of a path to an entry of the history; without it there is nothing to ask about, so that is certain."""

_MAPS: Final = ("properties", "defs")
"""Members that are maps of schemas. Protobuf counts a map's entries."""

_PROTO: Final = "type.googleapis.com/google.ai.generativelanguage.v1beta."

_MESSAGES: Final = {
    "contents": "Content",
    "system_instruction": "Content",
    "parts": "Part",
    "inline_data": "Blob",
    "tools": "Tool",
    "function_declarations": "FunctionDeclaration",
    "function_calling_config": "FunctionCallingConfig",
    "mode": "FunctionCallingConfig.Mode",
    "thinking_level": "ThinkingConfig.ThinkingLevel",
    "type": "Type",
    "parameters": "Schema",
    "response": "Schema",
    "response_schema": "Schema",
    "items": "Schema",
    "any_of": "Schema",
}
"""The types of members that are not named as they are."""

_SCALARS: Final = {"string": "TYPE_STRING", "number": "TYPE_FLOAT", "integer": "TYPE_INT32", "array": "TYPE_STRING"}


def form(request: Request) -> Found:
    """Every fault of the body, from front to back."""
    body = request.conversation.body
    for fault in SHAPE.faults(body):
        yield _violation(fault, body)


def _violation(fault: Fault, body: Json) -> Finding:
    at = _place(fault.path, body)
    if fault.keyword == "additionalProperties":
        rule = GEM_18 if fault.rule == GEM_18.id else GEM_FIELD
        return rule.broken(
            at or "body",
            expected="a member that the API knows",
            got=fault.member,
            name=fault.member,
            where=_where(at),
        )
    if isinstance(fault.value, list):
        return _list_for_one(fault, at, body)
    if fault.wanted == BASE64:
        rule = GEM_09 if fault.rule == GEM_09.id else GEM_TYPE
        return rule.broken(at, template="base64", expected="base64", got=brief(fault.value), value=fault.value)
    if isinstance(fault.value, dict):
        return _object_for_scalar(fault, at, body)
    return _wrong_type(fault, at)


def _list_for_one(fault: Fault, at: str, body: Json) -> Finding:
    name = next((step for step in reversed(fault.path) if isinstance(step, str)), "")
    where = _where(_place(fault.path[:-1], body))
    rule = _LISTS.get(fault.rule, GEM_FIELD)
    return rule.broken(at, template="list", expected="no list", got=brief(compact(fault.value)), name=name, where=where)


def _object_for_scalar(fault: Fault, at: str, body: Json) -> Finding:
    name, problem = _snake(str(fault.path[-1])), "Starting an object on a scalar field"
    rule, template = (GEM_18, "value") if fault.rule == GEM_18.id else (GEM_TYPE, None)
    parent, expected = _place(fault.path[:-1], body) or "body", f"no object as {name}"
    return rule.broken(parent, template=template, expected=expected, got=f"an object at {at}", type=name, value=problem)


def _wrong_type(fault: Fault, at: str) -> Finding:
    value = compact(fault.value)
    if fault.rule == GEM_14.id:
        return GEM_14.broken(at, expected="a JSON object", got=brief(value), value=value)
    kind = _type(fault)
    wanted = kind.rpartition(".")[2]
    if fault.rule == GEM_18.id:
        return GEM_18.broken(at, template="value", expected=wanted, got=brief(value), type=kind, value=value)
    certainty: Certainty | None = "certain" if fault.path[0] == "contents" and len(fault.path) <= _ENTRY else None
    return GEM_TYPE.broken(at, certainty=certainty, expected=wanted, got=brief(value), type=kind, value=value)


def _type(fault: Fault) -> str:
    """The protobuf type of the member that has the wrong one."""
    name = next((_snake(step) for step in reversed(fault.path) if isinstance(step, str)), "")
    wanted = fault.wanted
    if "true" in wanted:
        return "TYPE_BOOL"
    if fault.keyword == "pattern":
        return "TYPE_INT32" if wanted == INTEGER else "TYPE_FLOAT"
    if wanted[0] in _SCALARS:
        return _SCALARS[wanted[0]]
    if fault.rule == GEM_18.id and wanted[0] == "object":
        return f"{_PROTO}Schema"
    return f"{_PROTO}{_MESSAGES.get(name) or _camel(name)}"


def _place(path: tuple[str | int, ...], body: Any) -> str:
    """``tools[0].function_declarations[1].parameters.properties[0].value.type``."""
    place, here = "", body
    inside: str | int = ""
    for step in path:
        if isinstance(step, int):
            place += f"[{step}]"
        elif inside in _MAPS:
            place += f"[{[*here, step].index(step)}].value"
        else:
            place += f".{_snake(step)}"
        inside = step if inside not in _MAPS else ""
        # A name that UTF-8 cannot encode is reported under another name than it has here.
        here = here.get(step, {}) if isinstance(here, dict) else here[step] if here else {}
    return place.removeprefix(".")


def _where(at: str) -> str:
    return f" at '{at}'" if at else ""


def _snake(name: str) -> str:
    return both_spellings(name)[-1]


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
