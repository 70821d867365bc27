"""What a loop offers the model, wrong in one thing in every request, or spelled in another way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from harness.trace import RequestRecord
from harness.wire import Conversation, Text, ToolDeclaration
from harness_lab.mutants.traces.conversations import read_request
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, numbered, requests
from harness_lab.mutants.traces.mutant import Edit, draft_edit

Change = Callable[[dict[str, Any]], dict[str, Any]]
"""Makes another schema of a schema."""


@draft_edit
def offering(draft: TraceDraft, change: Callable[[Conversation], Conversation]) -> None:
    """Every request of the run says something else. Raises ``NothingToBreak`` where each says the same."""
    changed = False
    for number in range(len(requests(draft.records))):
        at, request = numbered(draft.records, RequestRecord, number)
        speaker, conversation = read_request(draft, request)
        body = speaker.write(change(conversation)).body
        changed = changed or body != speaker.write(conversation).body
        draft.records[at] = replace(request, body=body)
    if not changed:
        raise NothingToBreak


def _each_tool(change: Callable[[ToolDeclaration], ToolDeclaration]) -> Edit:
    return offering(lambda asked: replace(asked, tools=tuple(map(change, asked.tools))))


def schema(change: Change) -> Edit:
    """The parameters of every tool are what ``change`` makes of them."""
    return _each_tool(lambda tool: replace(tool, parameters=change(_copy(tool.parameters))))


def properties(change: Change) -> Edit:
    """Every property of every tool is what ``change`` makes of it."""

    def changed(schema: dict[str, Any]) -> dict[str, Any]:
        return {**schema, "properties": {name: change(dict(each)) for name, each in schema["properties"].items()}}

    return schema(changed)


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(each) for key, each in value.items()}
    return [_copy(each) for each in value] if isinstance(value, list | tuple) else value


def text_of(role: str, *, becomes: str) -> Edit:
    """What the first message of ``role`` says is another text, in which ``{}`` is the old one; with an empty one the
    message is left out."""

    def changed(asked: Conversation) -> Conversation:
        messages = list(asked.messages)
        at = next((at for at, each in enumerate(messages) if each.role == role), None)
        if at is None:
            raise NothingToBreak
        old = messages[at].text
        text = becomes.format(old, squeezed=" ".join(old.split()), json=json.dumps({"question": old}))
        messages[at : at + 1] = [replace(messages[at], parts=(Text(text),))] if text else []
        return replace(asked, messages=tuple(messages))

    return offering(changed)


def without(*members: str) -> Change:
    """Without these members."""
    return lambda schema: {key: each for key, each in schema.items() if key not in members}


def referring(schema: dict[str, Any]) -> dict[str, Any]:
    """Every property is a reference to a definition."""
    names = {name: {"$ref": f"#/$defs/{name}"} for name in schema["properties"]}
    return {**schema, "properties": names, "$defs": schema["properties"]}


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Every property is required, and what was optional may be null."""
    needed = schema.get("required", [])
    properties = {
        name: each if name in needed else {"anyOf": [each, {"type": "null"}]}
        for name, each in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties), "additionalProperties": False}


def rewritten(schema: dict[str, Any]) -> dict[str, Any]:
    """Titles, another order of members, no word of further properties."""
    properties = {
        name: {"title": name.title(), **dict(reversed(each.items()))} for name, each in schema["properties"].items()
    }
    rest = without("properties", "additionalProperties")(schema)
    return {"title": "Arguments", "properties": dict(reversed(properties.items())), **rest}


def only(kind: str, **members: Any) -> Change:
    """A property of this type has these members."""
    return lambda each: {**each, **members} if each.get("type") == kind else each


def type_in_capitals(each: dict[str, Any]) -> dict[str, Any]:
    """The type in capitals, as Gemini writes it."""
    return {**each, "type": each["type"].upper()}


def emptied(_: dict[str, Any]) -> dict[str, Any]:
    """No arguments."""
    return {"type": "object", "properties": {}}


def without_last_property(schema: dict[str, Any]) -> dict[str, Any]:
    """One argument less."""
    return {**schema, "properties": dict(list(schema["properties"].items())[:-1])}


def described(template: str) -> Edit:
    """Every tool has another description, in which ``{}`` is the old one."""
    return _each_tool(lambda tool: replace(tool, description=template.format(tool.description)))


def no_tools(asked: Conversation) -> Conversation:
    """No tool is declared."""
    return replace(asked, tools=())
