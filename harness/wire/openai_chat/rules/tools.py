"""How tools are declared, how one is chosen, and what a structured answer must fit."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.lenient import entries, members, objects, string
from harness.wire.openai_chat.rules.book import RULES
from harness.wire.openai_chat.rules.error_templates import (
    EMPTY_ARRAY,
    LONG_ARRAY,
    LONG_STRING,
    MISSING,
    PATTERN,
    VALUE,
    seen,
)
from harness.wire.openai_chat.rules.history import ChatHistory, Found
from harness.wire.openai_chat.rules.places import calls, functions, is_strict
from harness.wire.openai_chat.schema import NAME_PATTERN
from harness.wire.openai_chat.types import few
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule

_OWN: Final = "names of OpenAI's models, and names of no known server"

_DOTTED: Final = re.compile(r"[a-zA-Z0-9_-]*\.[a-zA-Z0-9_.-]*")


def _path_schema(**members: Any) -> Json:
    """The schema of an object with a path, and more."""
    return {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], **members}


def _tool(name: str) -> Json:
    return {"type": "function", "function": {"name": name, "description": "", "parameters": _path_schema()}}


OAC_18: Final = WireRule(
    "OAC-18",
    "A request that declares tools declares at least one and at most 128.",
    "Loops that collect the tools of many servers reach the limit; loops that have none must leave the member out.",
    "likely",
    (
        "public code quotes the text for too many",
        "none: https://github.com/vllm-project/vllm/pull/40311 (tried on the API)",
        "accepted by another server: recording test_hf_model_instructions",
    ),
    (
        seen(
            LONG_ARRAY,
            "Invalid 'tools': array too long. Expected an array with maximum length 128, "
            "but got an array with length 129 instead.",
            name="maxItems",
        ),
        seen(EMPTY_ARRAY, name="minItems"),
    ),
    applies=_OWN,
    wrong=(
        Wrong(
            "chat-tools-too-many",
            "129 tools are declared.",
            lambda it: is_strict(it) and put([it.body], tools=[_tool(f"tool_{number}") for number in range(129)]),
            "one-call",
        ),
        Wrong(
            "chat-tools-none",
            "An empty list of tools is declared.",
            lambda it: is_strict(it) and put([it.body], tools=[]),
            "one-call",
            says="minItems",
        ),
    ),
    right=(
        Right(
            "chat-tools-at-the-limit",
            "128 tools are declared.",
            lambda it: is_strict(it) and put([it.body], tools=[_tool(f"tool_{number}") for number in range(128)]),
            "one-call",
        ),
    ),
)

RULES.declare(OAC_18)

OAC_NAME: Final = WireRule(
    "OAC-NAME",
    "The name of a function is made of letters, digits, _ and -, and has 1 to 64 characters: where it is declared and "
    "in every call of the history. Some newer models take dots.",
    "Names that were joined from a server's and a tool's with a slash or a space are refused; a call under an empty or "
    "invented name must be renamed before it goes back.",
    "certain",
    (
        "in a call: https://github.com/mcp-use/mcp-use/issues/90",
        "in a declaration: https://github.com/hackers365/xiaozhi-esp32-server-golang/issues/268",
        "dots are in the pattern of newer models: https://github.com/danishjsheikh/swagger-mcp/issues/13",
        "the length: wire rule OAI-25, likely",
    ),
    (
        seen(
            PATTERN,
            "Invalid 'messages[9].tool_calls[0].function.name': string does not match pattern. Expected a string "
            "that matches the pattern '^[a-zA-Z0-9_-]+$'.",
            name="pattern",
        ),
        seen(PATTERN, certainty="inferred", name="dots"),
        seen(LONG_STRING, certainty="inferred", name="maxLength"),
    ),
    applies=_OWN,
    wrong=(
        Wrong(
            "chat-name-with-slash",
            "A tool's name has the server's in front of it, with a slash.",
            lambda it: is_strict(it) and put(functions(it)[-1:], name="files/read_file"),
            "one-call strict",
        ),
        Wrong(
            "chat-name-with-dot",
            "A tool's name has the server's in front of it, with a dot.",
            lambda it: is_strict(it) and put(functions(it)[-1:], name="files.read_file"),
            "one-call",
            says="dots",
        ),
        Wrong(
            "chat-name-long",
            "A tool's name has 65 characters.",
            lambda it: is_strict(it) and put(functions(it)[-1:], name="x" * 65),
            "one-call",
            says="maxLength",
        ),
        Wrong(
            "chat-call-unnamed",
            "A call without a name goes back as it came.",
            lambda it: (
                is_strict(it) and put([call["function"] for call in calls(it) if "function" in call][-1:], name="")
            ),
            "foreign turns",
        ),
    ),
)


@RULES.check("tools", OAC_NAME)
def names_have_no_dots(history: ChatHistory) -> Found:
    """Newer models accept dots; the schema finds names that no model accepts."""
    if not history.is_strict:
        return
    declared = ((f"tools[{number}]", tool) for number, tool in enumerate(entries(history.body.get("tools"))))
    for place, each in (*declared, *history.calls):
        name = string(members(members(each).get("function")).get("name"))
        if "." in name and _DOTTED.fullmatch(name):
            at, expected = f"{place}.function.name", "a name without dots"
            yield OAC_NAME.broken(at, expected=expected, got=repr(name), template="dots", pattern=NAME_PATTERN)


# --- schemas -------------------------------------------------------------------------------------------------


def _first_tool(posted: Posted) -> list[Json]:
    """The first function of a request that OpenAI's own server would read."""
    tools = [tool for tool in posted.body.get("tools") or () if tool.get("type") == "function" and "function" in tool]
    return tools[:1] if is_strict(posted) else []


def _declare(posted: Posted, **members: Any) -> bool:
    return put([tool["function"] for tool in _first_tool(posted)], **members)


def _without_tools(posted: Posted, **members: Any) -> bool:
    if is_strict(posted):
        posted.body.pop("tools", None)
    return is_strict(posted) and put([posted.body], **members)


def _choice(name: str) -> Json:
    return {"type": "function", "function": {"name": name}}


OAC_15: Final = WireRule(
    "OAC-15",
    "Tools are declared as the API says: each with its type and a function, its parameters an object schema, closed "
    "and complete if it is strict. tool_choice is none, auto, required or a declared tool, and is present, like "
    "parallel_tool_calls, only beside tools.",
    "Schemas that were generated for another provider, or for no strict mode, are refused with the first request. A "
    "last request that takes the tools away but leaves tool_choice is refused, too.",
    "likely",
    (
        "strict: https://github.com/camel-ai/camel/issues/2231, "
        "https://github.com/xemantic/xemantic-ai-tool-schema/issues/37",
        "not all required: public code quotes the text, for the Responses API, too",
        "no properties: https://github.com/spring-projects/spring-ai/issues/4776",
        "a choice without tools: https://github.com/writer/writer-framework/pull/1013, and "
        "https://github.com/vllm-project/vllm/pull/40311 (tried on the API)",
        "parallel_tool_calls without tools: https://github.com/Upsonic/Upsonic/issues/323",
        "texts for an undeclared choice: wire rule OAI-24; others known from memory",
        "other makers' servers are laxer (tools without type, tool_choice any: recordings test_tool_choice_matrix)",
    ),
    (
        ErrorTemplate(
            "Invalid schema for function '{name}': In context={context}, 'additionalProperties' is required to be "
            "supplied and to be false.",
            param="{at}",
            code="invalid_function_parameters",
            certainty="certain",
            seen="Invalid schema for function 'search_documents': In context=('properties', 'body'), "
            "'additionalProperties' is required to be supplied and to be false.",
            name="open",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': In context={context}, 'required' is required to be supplied and "
            "to be an array including every key in properties. Missing '{missing}'.",
            param="{at}",
            code="invalid_function_parameters",
            certainty="certain",
            seen="Invalid schema for function 'webContentExtractor': In context=(), 'required' is required to be "
            "supplied and to be an array including every key in properties. Missing 'maxLength'.",
            name="incomplete",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': In context=(), object schema missing properties.",
            param="{at}",
            code="invalid_function_parameters",
            seen="Invalid schema for function 'xxx': In context=(), object schema missing properties.",
            name="no properties",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: "
            '"{type}"\'.',
            param="{at}",
            code="invalid_function_parameters",
            name="no object",
        ),
        seen(MISSING, name="required"),
        seen(VALUE, certainty="inferred", name="enum"),
        ErrorTemplate("Tool choice '{name}' not found in 'tools' parameter.", param="tool_choice", name="choice"),
        ErrorTemplate(
            "Invalid value for '{at}': '{at}' is only allowed when 'tools' are specified.",
            param="{at}",
            seen="Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
            name="only with tools",
        ),
    ),
    applies=_OWN,
    wrong=(
        Wrong(
            "chat-strict-open",
            "A strict tool takes other properties, too.",
            lambda it: _declare(it, strict=True, parameters=_path_schema()),
            "strict one-call",
        ),
        Wrong(
            "chat-strict-open-inside",
            "A strict tool is closed itself, an object in it is not.",
            lambda it: _declare(
                it,
                strict=True,
                parameters=_path_schema(properties={"at": _path_schema()}, required=["at"], additionalProperties=False),
            ),
            "strict",
        ),
        Wrong(
            "chat-strict-incomplete",
            "A strict tool has a property that is not required.",
            lambda it: _declare(it, strict=True, parameters=_path_schema(required=[], additionalProperties=False)),
            "strict",
            says="incomplete",
        ),
        Wrong(
            "chat-parameters-unsaid",
            "The parameters are an object of which nothing is said.",
            lambda it: _declare(it, parameters={"type": "object"}),
            "one-call",
            says="no properties",
        ),
        Wrong(
            "chat-parameters-list",
            "The parameters are a list.",
            lambda it: _declare(it, parameters={"type": "array", "items": {"type": "string"}}),
            "one-call",
            says="no object",
        ),
        Wrong(
            "chat-tool-untyped",
            "A tool does not say its type.",
            lambda it: drop(_first_tool(it), "type"),
            "one-call two-calls",
            says="required",
        ),
        Wrong(
            "chat-tool-flat",
            "A tool is declared as the Responses API wants it, without a function around it.",
            lambda it: [put([tool], **tool.pop("function")) for tool in _first_tool(it)],
            "one-call",
            says="required",
        ),
        Wrong(
            "chat-tool-unnamed",
            "A tool has no name.",
            lambda it: drop([tool["function"] for tool in _first_tool(it)], "name"),
            "one-call",
            says="required",
        ),
        Wrong(
            "chat-choice-any",
            "The choice is in the words of another provider.",
            lambda it: is_strict(it) and it.body.get("tools") and put([it.body], tool_choice="any"),
            "choice one-call",
            says="enum",
        ),
        Wrong(
            "chat-choice-undeclared",
            "The choice is a tool that is not declared.",
            lambda it: (
                is_strict(it) and it.body.get("tools") and put([it.body], tool_choice=_choice("delete_everything"))
            ),
            "choice one-call",
            says="choice",
        ),
        Wrong(
            "chat-choice-without-tools",
            "The last request takes the tools away and leaves the choice.",
            lambda it: _without_tools(it, tool_choice="none"),
            "choice spoken",
            says="only with tools",
        ),
        Wrong(
            "chat-tool-chosen-without-tools",
            "The last request takes the tools away and leaves the choice of one.",
            lambda it: _without_tools(it, tool_choice=_choice("read_file")),
            "spoken",
            says="only with tools",
        ),
        Wrong(
            "chat-parallel-without-tools",
            "Parallel calls are switched off where nothing can be called.",
            lambda it: _without_tools(it, parallel_tool_calls=False),
            "choice spoken",
            says="only with tools",
        ),
    ),
    right=(
        Right(
            "chat-tool-custom",
            "A tool takes free text.",
            lambda it: add(
                [it.body], "tools", {"type": "custom", "custom": {"name": "run", "description": "Runs it."}}
            ),
            "two-calls",
        ),
        Right(
            "chat-choice-declared",
            "A declared tool is chosen.",
            lambda it: put([it.body], tool_choice=_choice("read_file")),
            "choice router",
        ),
        Right(
            "chat-choice-any-at-mistral",
            "Mistral is asked to call any tool.",
            lambda it: put([it.body], tool_choice="any"),
            "mistral",
        ),
    ),
)


@RULES.check("tools", OAC_15)
def schemas_are_valid(history: ChatHistory) -> Found:
    """OAC-15: parameters of a tool that are no schema which OpenAI accepts."""
    if not history.is_strict:
        return
    for number, tool in enumerate(entries(history.body.get("tools"))):
        function = members(members(tool).get("function"))
        schema = members(function.get("parameters"))
        yield from _schema(f"tools[{number}].function.parameters", function, schema)


def _schema(at: str, function: Json, schema: Json) -> Found:
    name = function.get("name")
    if schema and schema.get("type") != "object":
        got = repr(schema.get("type"))
        expected = "a schema of type object"
        yield OAC_15.broken(at, expected=expected, got=got, template="no object", name=name, type=schema.get("type"))
    elif schema and "properties" not in schema and "additionalProperties" not in schema and "$ref" not in schema:
        yield OAC_15.broken(at, expected="properties", got="no such member", template="no properties", name=name)
    elif function.get("strict") is True:
        yield from _first_gap(OAC_15, at, name, schema)


# --- the choice ----------------------------------------------------------------------------------------------


@RULES.check("tools", OAC_15)
def choice_is_declared(history: ChatHistory) -> Found:
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
    declared = [_name_of(tool) for tool in objects(body.get("tools"))]
    if chosen and declared and chosen not in declared:
        expected = f"one of {few(declared)}"
        yield OAC_15.broken("tool_choice", expected=expected, got=chosen, template="choice", name=chosen)


def _chosen(choice: Any) -> str:
    return _name_of(members(choice))


def _name_of(tool: Json) -> str:
    return string(members(tool.get("function") or tool.get("custom")).get("name"))


# --- closed schemas -------------------------------------------------------------------------------------------


def _answer(posted: Posted, schema: Json) -> bool:
    wanted = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
    return is_strict(posted) and put([posted.body], response_format=wanted)


OAC_FORMAT: Final = WireRule(
    "OAC-FORMAT",
    "The schema of a structured answer that is strict is closed and complete: every object in it says "
    "additionalProperties false and requires every property.",
    "A schema that a model class makes is open, and has fields that may be left out.",
    "certain",
    (
        "https://github.com/moeru-ai/xsai/issues/202 (the whole body), "
        "https://github.com/dottxt-ai/outlines/issues/844",
        "a property that is not required: likely, as for the parameters of functions (OAC-15)",
    ),
    (
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, 'additionalProperties' is required "
            "to be supplied and to be false.",
            param="response_format",
            seen="Invalid schema for response_format 'json_schema': In context=('properties', 'etymology'), "
            "'additionalProperties' is required to be supplied and to be false.",
            name="open",
        ),
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, 'required' is required to be "
            "supplied and to be an array including every key in properties. Missing '{missing}'.",
            param="response_format",
            certainty="likely",
            name="incomplete",
        ),
    ),
    applies="names of OpenAI's models, and names of no known server",
    wrong=(
        Wrong(
            "chat-answer-open",
            "A strict answer may have other properties, too.",
            lambda it: _answer(it, _path_schema()),
            "one-call two-calls",
        ),
        Wrong(
            "chat-answer-incomplete",
            "A strict answer has a property that is not required.",
            lambda it: _answer(it, _path_schema(required=[], additionalProperties=False)),
            "one-call",
            says="incomplete",
        ),
    ),
)


@RULES.check("tools", OAC_FORMAT)
def answer_is_closed(history: ChatHistory) -> Found:
    """OAC-FORMAT: a strict response format whose schema leaves something open."""
    wanted = members(members(history.body.get("response_format")).get("json_schema"))
    if history.is_strict and wanted.get("strict") is True:
        yield from _first_gap(OAC_FORMAT, "response_format", wanted.get("name"), members(wanted.get("schema")))


def _first_gap(rule: WireRule, at: str, name: Any, schema: Json) -> Found:
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
