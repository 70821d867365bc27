"""Schemas of tools and of structured answers: OAI-23, OAI-FORMAT."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import entries, string
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.places import functions
from harness.wire.openai_responses.rules.tools import OWN
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule


def _closed_object(items: Json) -> Json:
    """The schema of an object that is closed, with a list of such items."""
    edits = {"type": "array", "items": items}
    return {"type": "object", "properties": {"edits": edits}, "required": ["edits"], "additionalProperties": False}


OAI_23: Final = WireRule(
    "OAI-23",
    "A function's parameters are a JSON Schema of type object. With strict true every object in it says "
    "additionalProperties false and requires every property.",
    "One tool of which the schema is made by hand or taken from an MCP server makes every request fail, whether the "
    "model uses the tool or not.",
    "likely",
    (
        "recording test_model_call_with_tools of mirascope (a property that is not required)",
        "several projects quote the other two wordings",
    ),
    (
        ErrorTemplate(
            "Invalid schema for function '{name}': In context={context}, 'additionalProperties' is required to be "
            "supplied and to be false.",
            "{param}",
            "invalid_function_parameters",
            seen="Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be "
            "supplied and to be false.",
            name="open",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': In context={context}, 'required' is required to be supplied and "
            "to be an array including every key in properties. Missing '{missing}'.",
            "{param}",
            "invalid_function_parameters",
            certainty="certain",
            seen="Invalid schema for function 'get_current_weather': In context=(), 'required' is required to be "
            "supplied and to be an array including every key in properties. Missing 'unit'.",
            name="optional",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got "
            "'type: \"{kind}\"'.",
            "{param}",
            "invalid_function_parameters",
            seen="Invalid schema for function '…': schema must be a JSON Schema of 'type: \"object\"', got "
            "'type: \"None\"'.",
            name="no object",
        ),
    ),
    wrong=(
        Wrong(
            "responses-schema-open",
            "A strict schema takes any other property.",
            lambda it: put(functions(it)[:1], parameters={"type": "object"}, strict=True),
            "without-reasoning",
        ),
        Wrong(
            "responses-schema-optional",
            "A strict schema has a property that may be left out.",
            lambda it: put(
                functions(it)[:1],
                parameters={
                    "type": "object",
                    "properties": {"unit": {"type": "string"}},
                    "additionalProperties": False,
                },
                strict=True,
            ),
            "strict-tool one-call",
            says="optional",
        ),
        Wrong(
            "responses-schema-open-inside",
            "A strict schema has an open object inside.",
            lambda it: put(
                functions(it)[:1], strict=True, parameters=_closed_object({"type": "object", "properties": {}})
            ),
            "strict-tool without-reasoning",
        ),
        Wrong(
            "responses-schema-open-in-a-choice",
            "One of the choices in a strict schema is open.",
            lambda it: put(
                functions(it)[:1],
                strict=True,
                parameters=_closed_object({"anyOf": [_closed_object({"type": "string"}), {"type": "object"}]}),
            ),
            "strict-tool without-reasoning",
        ),
        Wrong(
            "responses-schema-empty",
            "A schema says nothing.",
            lambda it: put(functions(it)[:1], parameters={}, strict=False),
            "without-reasoning one-call",
            says="no object",
        ),
    ),
    right=(
        Right(
            "responses-schema-closed",
            "A strict schema is closed.",
            lambda it: put(functions(it)[:1], strict=True, parameters=_closed_object({"type": "string"})),
            "strict-tool without-reasoning",
        ),
    ),
)


@RULES.check("tools", OAI_23)
def schemas_are_closed(asked: Asked) -> Iterator[Finding]:
    """OAI-23. Only explicitly strict schemas are judged: without ``strict``, the API decides by the schema."""
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


_NESTED: Final[Json] = {
    "type": "object",
    "properties": {"shared": {"$ref": "#/$defs/Shared", "$defs": {"Shared": {"type": "string"}}}},
    "required": ["shared"],
    "additionalProperties": False,
}
"""A closed schema with a definition at a place that its reference does not name."""

_REFERRING: Final[Json] = {
    "type": "object",
    "properties": {
        "shared": {"$ref": "#/$defs/Shared"},
        "chosen": {"anyOf": [{"type": "string"}, {"$ref": "#/properties/chosen/anyOf/0"}]},
    },
    "required": ["shared", "chosen"],
    "additionalProperties": False,
    "$defs": {"Shared": {"type": "string"}},
}


def _answer_as(posted: Posted, schema: Json) -> bool:
    """The answer must fit a strict schema."""
    wanted = {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}
    return put([posted.body], text={"format": wanted})


OAI_FORMAT: Final = WireRule(
    "OAI-FORMAT",
    "The schema of a structured answer that is strict is closed: every object in it says additionalProperties false "
    "and requires every property. What it refers to is in it, from its root.",
    "A schema that a model class makes is open, has fields that may be left out, or has definitions below its root.",
    "certain",
    (
        "a reference: the recorded refusal of vercel/ai of a schema whose $defs are below its root",
        "https://github.com/mavam/pi-web-providers/issues/14 (the whole body)",
        "a property that is not required: likely, as for the parameters of functions (OAI-23)",
    ),
    (
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, 'additionalProperties' is required "
            "to be supplied and to be false.",
            "text.format.schema",
            "invalid_json_schema",
            seen="Invalid schema for response_format 'codex_output_schema': In context=(), 'additionalProperties' "
            "is required to be supplied and to be false.",
            name="open",
        ),
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, 'required' is required to be "
            "supplied and to be an array including every key in properties. Missing '{missing}'.",
            "text.format.schema",
            "invalid_json_schema",
            certainty="likely",
            name="optional",
        ),
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, reference to component "
            "'{reference}' which was not found in the schema.",
            "text.format.schema",
            "invalid_json_schema",
            seen="Invalid schema for response_format 'response': In context=('properties', 'elements', 'items', "
            "'properties', 'shared'), reference to component '#/$defs/Shared' which was not found in the schema.",
            name="reference",
        ),
    ),
    applies="formats of type json_schema with strict true",
    wrong=(
        Wrong(
            "responses-answer-open",
            "The schema of a strict answer is open.",
            lambda it: _answer_as(it, {"type": "object", "properties": {"unit": {"type": "string"}}}),
            "without-reasoning one-call",
        ),
        Wrong(
            "responses-answer-optional",
            "The schema of a strict answer has a property that may be left out.",
            lambda it: _answer_as(
                it, {"type": "object", "properties": {"unit": {"type": "string"}}, "additionalProperties": False}
            ),
            "without-reasoning one-call",
            says="optional",
        ),
        Wrong(
            "responses-answer-refers-to-nothing",
            "The schema of a strict answer has its definitions below its root.",
            lambda it: _answer_as(it, _NESTED),
            "without-reasoning one-call",
            says="reference",
        ),
    ),
    right=(
        Right(
            "responses-answer-refers-to-itself",
            "The schema of a strict answer refers to its definitions, and to one of its choices.",
            lambda it: _answer_as(it, _REFERRING),
            "without-reasoning one-call",
        ),
    ),
)


@RULES.check("forms", OAI_FORMAT)
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
    """The open places of a strict schema: the path to an object, and the first property not required (or ``""``)."""
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


def _tools(body: Json) -> list[tuple[int, Json]]:
    return [
        (index, tool)
        for index, tool in enumerate(entries(body.get("tools")))
        if isinstance(tool, dict) and tool.get("type") in OWN
    ]
