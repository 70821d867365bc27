"""Rules about tools and structured answers: their schemas, which tool the model must call, and names of tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import entries, string
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.table import OAI_23, OAI_24, OAI_25, OAI_FORMAT

_OWN: Final = ("function", "custom")
"""The types of the tools that the caller runs."""

_DECLARING: Final = ("additional_tools", "tool_search_output", "mcp_list_tools")
"""Items that bring tools of their own."""


def _tools(body: Json) -> list[tuple[int, Json]]:
    return [
        (index, tool)
        for index, tool in enumerate(entries(body.get("tools")))
        if isinstance(tool, dict) and tool.get("type") in _OWN
    ]


def schemas_are_closed(asked: Asked) -> Iterator[Finding]:
    """OAI-23. Strict is what says so: what the API does with a schema that says nothing depends on the schema."""
    for index, tool in _tools(asked.body):
        schema, param = tool.get("parameters"), f"tools[{index}].parameters"
        if not isinstance(schema, dict):
            continue
        name = tool.get("name")
        kind = schema.get("type")
        if kind != "object":
            yield OAI_23.broken(
                param,
                expected="type: object",
                got=f"type: {kind}",
                template="no object",
                name=name,
                param=param,
                kind=kind,
            )
        elif tool.get("strict") is True:
            for context, missing in _open_ends(schema, ()):
                yield _open(param, context, missing, name)


def answers_are_closed(asked: Asked) -> Iterator[Finding]:
    """OAI-FORMAT: the first place at which the schema of a strict answer is open; the API reports one at a time."""
    text = asked.body.get("text")
    wanted = text.get("format") if isinstance(text, dict) else None
    if not isinstance(wanted, dict) or wanted.get("type") != "json_schema" or wanted.get("strict") is not True:
        return
    for context, missing in _open_ends(wanted.get("schema"), ()):
        yield OAI_FORMAT.broken(
            "text.format.schema",
            expected="every property required" if missing else "additionalProperties: false",
            got=f"{'.'.join(context) or 'the schema'} without {missing or 'it'}",
            template="optional" if missing else "open",
            name=wanted.get("name"),
            context=context,
            missing=missing,
        )
        return
    yield from _lost_reference(wanted)


def _lost_reference(wanted: Json) -> Iterator[Finding]:
    """The first reference to a place that the schema does not have."""
    schema = wanted.get("schema")
    for context, reference in _references(schema, ()):
        if not _is_there(schema, reference):
            yield OAI_FORMAT.broken(
                "text.format.schema",
                expected=f"{reference} in the schema",
                got=f"{'.'.join(context) or 'the schema'} refers to it, and it is not there",
                template="reference",
                name=wanted.get("name"),
                context=context,
                reference=reference,
            )
            return


def _references(schema: Any, context: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every reference within a schema, with the way to it."""
    if isinstance(schema, list):
        for index, inner in enumerate(schema):
            yield from _references(inner, (*context, str(index)))
    if not isinstance(schema, dict):
        return
    if string(schema.get("$ref")).startswith("#/"):
        yield context, schema["$ref"]
    for name, inner in schema.items():
        if name not in ("enum", "const", "default", "examples"):
            yield from _references(inner, (*context, name))


def _is_there(schema: Any, reference: str) -> bool:
    """Whether a JSON pointer (``#/$defs/Shared``) leads to something."""
    found = schema
    for step in reference.removeprefix("#/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, dict) and name in found:
            found = found[name]
        else:
            return False
    return True


def _open(param: str, context: tuple[str, ...], missing: str, name: Any) -> Finding:
    return OAI_23.broken(
        param,
        expected="every property required" if missing else "additionalProperties: false",
        got=f"{'.'.join(context) or 'the schema'} without {missing or 'it'}",
        template="optional" if missing else "open",
        name=name,
        param=param,
        context=context,
        missing=missing,
    )


def _open_ends(schema: Any, context: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], str]]:
    """Where a strict schema is open: the way to an object, and the first property that is not required (or ``""``)."""
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict) or schema.get("type") == "object":
        properties = properties if isinstance(properties, dict) else {}
        required = entries(schema.get("required"))
        if schema.get("additionalProperties") is not False:
            yield context, ""
        else:
            yield from ((context, name) for name in properties if name not in required)
        for name, inner in properties.items():
            yield from _open_ends(inner, (*context, "properties", name))
    yield from _open_ends(schema.get("items"), (*context, "items"))
    for index, inner in enumerate(entries(schema.get("anyOf"))):
        yield from _open_ends(inner, (*context, "anyOf", str(index)))


def chosen_tool_is_declared(asked: Asked) -> Iterator[Finding]:
    """OAI-24. Not judged where the history brings tools of its own; ``SHAPE`` knows the words."""
    yield from asked.misshapen.get(OAI_24.id, ())
    choice = asked.body.get("tool_choice")
    if any(entry.kind in _DECLARING for entry in asked.entries):
        return
    declared = [tool for tool in entries(asked.body.get("tools")) if isinstance(tool, dict)]
    if choice == "required" and not declared:
        yield OAI_24.broken("tool_choice", expected="a tool", got="no tools", template="no tools", kind=choice)
    for wanted in _chosen(choice):
        if not any(_names(wanted, tool) for tool in declared):
            got = f"{wanted['type']} {wanted.get('name', '')}".strip()
            yield OAI_24.broken("tool_choice", expected="a declared tool", got=got, kind=wanted["type"])


def _chosen(choice: Any) -> list[Json]:
    """The caller's own tools that a choice names."""
    if not isinstance(choice, dict):
        return []
    chosen = entries(choice.get("tools")) if choice.get("type") == "allowed_tools" else [choice]
    return [tool for tool in chosen if isinstance(tool, dict) and tool.get("type") in _OWN]


def _names(wanted: Json, tool: Json) -> bool:
    if tool.get("type") in _OWN:
        return (tool.get("type"), tool.get("name")) == (wanted["type"], wanted.get("name"))
    return tool.get("type") == "namespace"  # a tool of tools


def tool_names_are_well_formed(asked: Asked) -> Iterator[Finding]:
    """OAI-25. A call that goes back under the name that the endpoint issued is not the loop's mistake."""
    found = asked.misshapen.get(OAI_25.id, ())
    names = {entry.at: string(entry.item.get("name")) for entry in asked.entries} if found else {}
    for finding in found:
        if names.get(finding.answered.place) not in asked.issued.names:
            yield finding
