"""A request, read: its route and its conversation."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

from harness.wire.base import Conversation, Json, Message, Role, Route, ToolDeclaration, UnreadableRequest, Violation
from harness.wire.gemini_generate.parts import Content, camel_keys, contents, neutral, normal_part

__all__ = ["read", "route"]

# Any version or none, and the longer path of Vertex AI, in front of the model.
_PATH = re.compile(
    r"(?:/v\d\w*)?(?:/(?:projects|locations|publishers)/[^/]+)*"
    r"/(?:models|tunedModels|endpoints)/(?P<model>[^/:?]+):(?P<verb>generateContent|streamGenerateContent)(?:\?.*)?"
)

_ROLES: dict[str, Role] = {"model": "assistant", "function": "tool", "system": "system"}


def route(method: str, path: str) -> Route | None:
    """The model and whether to stream are in the path, nowhere else."""
    found = _PATH.fullmatch(path)
    if method != "POST" or found is None:
        return None
    return Route("gemini-generate", unquote(found["model"]), found["verb"] == "streamGenerateContent")


def read(route: Route, body: bytes) -> Conversation:
    """Read a request. Raises ``UnreadableRequest`` with the API's own text when the body cannot be read."""
    parsed = _object(body)
    request = camel_keys(parsed)
    _check_contents(request.get("contents"))
    messages = [_message(content) for content in contents(request)]
    if system := _system(request.get("systemInstruction")):
        messages.insert(0, system)
    return Conversation(
        wire="gemini-generate",
        model=route.model or "",
        stream=bool(route.stream),
        messages=tuple(messages),
        tools=_tools(request.get("tools")),
        body=parsed,
    )


def _object(body: bytes) -> Json:
    try:
        value = json.loads(body)
    except ValueError:
        shown = body[:80].decode("utf-8", "replace")
        raise _unreadable(f"Invalid JSON payload received. Unexpected token.\n{shown}\n^", "body", shown) from None
    if not isinstance(value, dict):
        text = 'Invalid JSON payload received. Unknown name "": Root element must be a message.'
        raise _unreadable(text, "body", type(value).__name__)
    return value


def _check_contents(value: Any) -> None:
    entries = value if isinstance(value, list) else [value]
    for at, entry in enumerate(entries):
        if entry is not None and not isinstance(entry, dict):
            place = f"contents[{at}]" if isinstance(value, list) else "contents"
            kind = "type.googleapis.com/google.ai.generativelanguage.v1beta.Content"
            raise _unreadable(f"Invalid value at '{place}' ({kind}), {json.dumps(entry)}", place, json.dumps(entry))


def _unreadable(message: str, at: str, got: str) -> UnreadableRequest:
    return UnreadableRequest(Violation("GEM-00", message, at, expected="a JSON object", got=got, level="L"))


def _message(content: Content) -> Message:
    parts = neutral(content.parts)
    answers = [part for part in content.parts if "functionResponse" in part]
    role: Role = "tool" if answers and len(answers) == len(content.parts) else _ROLES.get(content.role, "user")
    return Message(role, parts, f"contents[{content.at}]")


def _system(value: Any) -> Message | None:
    if isinstance(value, str):
        value = {"parts": [{"text": value}]}
    if not isinstance(value, dict):
        return None
    parts = value.get("parts") or []
    listed = parts if isinstance(parts, list) else [parts]
    return Message("system", neutral(normal_part(part) for part in listed), "systemInstruction")


def _tools(value: Any) -> tuple[ToolDeclaration, ...]:
    listed = value if isinstance(value, list) else [value]
    tools = [camel_keys(tool) for tool in listed if isinstance(tool, dict)]
    return tuple(
        _declaration(camel_keys(declared)) for tool in tools for declared in tool.get("functionDeclarations") or ()
    )


def _declaration(declared: Json) -> ToolDeclaration:
    """``parameters`` is the OpenAPI subset with upper-case types; it is told as the JSON Schema that it means."""
    schema = declared.get("parametersJsonSchema") or _json_schema(declared.get("parameters") or {"type": "object"})
    return ToolDeclaration(declared.get("name") or "", declared.get("description") or "", schema)


def _json_schema(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_json_schema(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: member.lower() if key == "type" and isinstance(member, str) else _json_schema(member)
        for key, member in schema.items()
    }
