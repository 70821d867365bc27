"""What a loop offers the model, wrong in one thing in every request, or spelled in another way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from harness.trace import RequestRecord
from harness.wire import Conversation, Message, Text, ToolDeclaration, wire
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, requests
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant, both

_TOOLS = "system-prompt"
_REFUSED = ("continuation/",)


def _offering(change: Callable[[Conversation], Conversation]) -> Edit:
    """Every request of the run says something else. Raises ``NothingToBreak`` where each says the same."""

    def edit(draft: TraceDraft) -> None:
        speaker, changed = wire(draft.case.wire), False
        for at in requests(draft.records):
            request = draft.records[at]
            assert isinstance(request, RequestRecord)  # noqa: S101 - what requests() looks for
            route = speaker.route(request.method, request.path)
            if route is None:
                raise NothingToBreak
            conversation = speaker.read(route, request.body, request.headers)
            body = speaker.write(change(conversation)).body
            changed = changed or body != speaker.write(conversation).body
            draft.records[at] = replace(request, body=body)
        if not changed:
            raise NothingToBreak

    return edit


def _each_tool(change: Callable[[ToolDeclaration], ToolDeclaration]) -> Edit:
    return _offering(lambda asked: replace(asked, tools=tuple(map(change, asked.tools))))


def _schema(change: Callable[[dict[str, Any]], Any]) -> Edit:
    """The parameters of every tool are what ``change`` makes of them."""
    return _each_tool(lambda tool: replace(tool, parameters=change(_copy(tool.parameters))))


def _properties(change: Callable[[dict[str, Any]], Any]) -> Edit:
    """Every property of every tool is what ``change`` makes of it."""

    def changed(schema: dict[str, Any]) -> dict[str, Any]:
        return {**schema, "properties": {name: change(dict(each)) for name, each in schema["properties"].items()}}

    return _schema(changed)


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(each) for key, each in value.items()}
    return [_copy(each) for each in value] if isinstance(value, list | tuple) else value


def _text_of(role: str, change: Callable[[str], str]) -> Edit:
    """What the first message of ``role`` says is another text; with an empty one the message is left out."""

    def changed(asked: Conversation) -> Conversation:
        messages = list(asked.messages)
        at = next((at for at, each in enumerate(messages) if each.role == role), None)
        if at is None:
            raise NothingToBreak
        messages[at : at + 1] = _with_text(messages[at], change(messages[at].text))
        return replace(asked, messages=tuple(messages))

    return _offering(changed)


def _with_text(message: Message, text: str) -> list[Message]:
    return [replace(message, parts=(Text(text),))] if text else []


def _without(*members: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda schema: {key: each for key, each in schema.items() if key not in members}


def _referring(schema: dict[str, Any]) -> dict[str, Any]:
    """Every property is a reference to a definition."""
    names = {name: {"$ref": f"#/$defs/{name}"} for name in schema["properties"]}
    return {**schema, "properties": names, "$defs": schema["properties"]}


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Every property is required, and what was optional may be null."""
    needed = schema.get("required", [])
    properties = {
        name: each if name in needed else {"anyOf": [each, {"type": "null"}]}
        for name, each in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties), "additionalProperties": False}


def _rewritten(schema: dict[str, Any]) -> dict[str, Any]:
    """Titles, another order of members, no word of further properties."""
    properties = {
        name: {"title": name.title(), **dict(reversed(each.items()))} for name, each in schema["properties"].items()
    }
    rest = _without("properties", "additionalProperties")(schema)
    return {"title": "Arguments", "properties": dict(reversed(properties.items())), **rest}


def _only(kind: str, members: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda each: members(each) if each.get("type") == kind else each


MUTANTS = (
    TraceMutant(
        "tool-never-offered",
        "No request declares the tool.",
        "offered/tools",
        _offering(lambda asked: replace(asked, tools=())),
        _TOOLS,
        also=_REFUSED,
    ),
    TraceMutant(
        "schema-emptied",
        "The tool is declared without arguments.",
        "offered/schema",
        _schema(lambda _: {"type": "object", "properties": {}}),
        _TOOLS,
        also=_REFUSED,
    ),
    TraceMutant(
        "property-lost",
        "One argument is not declared.",
        "offered/schema",
        _schema(lambda schema: {**schema, "properties": dict(list(schema["properties"].items())[:-1])}),
        _TOOLS,
        also=_REFUSED,
    ),
    TraceMutant(
        "required-lost", "Every argument is optional.", "offered/schema", _schema(_without("required")), _TOOLS
    ),
    TraceMutant(
        "type-of-argument-changed",
        "A number is declared as text.",
        "offered/schema",
        _properties(_only("integer", lambda each: {**each, "type": "string"})),
        _TOOLS,
    ),
    TraceMutant(
        "values-lost",
        "The values of an argument are not declared.",
        "offered/schema",
        _properties(_without("enum")),
        _TOOLS,
    ),
    TraceMutant(
        "description-lost",
        "The tool is declared with another description.",
        "offered/description",
        _each_tool(lambda tool: replace(tool, description="A tool.")),
        _TOOLS,
    ),
    TraceMutant(
        "descriptions-of-arguments-lost",
        "The arguments are declared without descriptions.",
        "offered/description",
        _properties(_without("description")),
        _TOOLS,
    ),
    TraceMutant(
        "instructions-lost",
        "The system prompt is not sent.",
        "offered/prompt",
        _text_of("system", lambda _: ""),
        _TOOLS,
    ),
    TraceMutant(
        "prompt-cut",
        "The user's prompt is cut.",
        "offered/prompt",
        _text_of("user", lambda text: text[:12]),
        _TOOLS,
    ),
    TraceMutant(
        "prompt-squeezed",
        "The user's prompt has lost its line breaks.",
        "offered/prompt",
        _text_of("user", lambda text: " ".join(text.split())),
        _TOOLS,
    ),
)

EQUIVALENTS = (
    EquivalentTrace("schema-rewritten", "Titles and the order of members say nothing.", _schema(_rewritten), _TOOLS),
    EquivalentTrace("schema-strict", "Strict decoding requires every argument.", _schema(_strict), _TOOLS),
    EquivalentTrace("schema-referring", "References to definitions are resolved.", _schema(_referring), _TOOLS),
    EquivalentTrace(
        "schema-in-capitals",
        "Gemini writes types in capitals.",
        _properties(lambda each: {**each, "type": each["type"].upper()}),
        _TOOLS,
        ("gemini-generate",),
    ),
    EquivalentTrace(
        "schema-nullable",
        "An optional argument may be null, in any spelling.",
        _properties(_only("string", lambda each: {**each, "type": ["string", "null"]})),
        _TOOLS,
    ),
    EquivalentTrace(
        "description-extended",
        "A loop may add to a description.",
        _each_tool(lambda tool: replace(tool, description=f"{tool.description} Use it sparingly.")),
        _TOOLS,
    ),
    EquivalentTrace(
        "question-in-json",
        "A loop may write the question into JSON.",
        _text_of("user", lambda text: json.dumps({"question": text})),
        _TOOLS,
    ),
    EquivalentTrace(
        "prompt-of-its-own",
        "A loop may have a prompt of its own in place of what it was given.",
        both(_text_of("system", lambda _: "Help whoever asks."), _text_of("user", lambda _: "Go on, please.")),
        _TOOLS,
    ),
    EquivalentTrace(
        "instructions-added",
        "A loop may have instructions of its own around those that it was given.",
        _text_of("system", lambda text: f"You run in a harness.\n\n{text}\n\nBe brief."),
        _TOOLS,
    ),
)
