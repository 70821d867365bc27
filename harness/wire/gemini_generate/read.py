"""Reads a request: its route and its conversation."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from urllib.parse import unquote

from harness.ground.bounded_json import MOST_HOLDERS, loads
from harness.wire.base import Conversation, Json, Message, Role, Route, ToolDeclaration, UnreadableRequest
from harness.wire.gemini_generate.parts import ContentEntry, camel_keys, contents, listed, neutral, normal_part
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.lenient import members, string
from harness.wire.posted import Posted, Wrong
from harness.wire.rule import ErrorTemplate, WireRule

# Any version or none, and the longer path of Vertex AI, in front of the model; gateways have a prefix before that.
_PATH = re.compile(
    r"(?:/(?!v\d\w*/v\d)[^/?]+)*?(?P<collection>(?:/v\d\w*)?(?:/(?:projects|locations|publishers)/[^/]+)*"
    r"/(?:models|tunedModels|endpoints))/(?P<model>[^/:?]+):(?P<verb>generateContent|streamGenerateContent)(?:\?.*)?"
)

_ROLES: dict[str, Role] = {"model": "assistant", "function": "tool", "system": "system"}


def _send(posted: Posted, raw: bytes) -> bool:
    posted.raw = raw
    return True


GEM_BODY: Final = WireRule(
    "GEM-BODY",
    "The body is one JSON object.",
    "Nothing else is looked at in a body that cannot be read.",
    "certain",
    ("no reader of JSON takes it; the texts are remembered, not recorded",),
    (
        ErrorTemplate("Invalid JSON payload received. Unexpected token.\n{text}\n^"),
        ErrorTemplate('Invalid JSON payload received. Unknown name "": Root element must be a message.', name="root"),
    ),
    wrong=(
        Wrong("gem-body-cut", "The body ends too early.", lambda it: _send(it, it.content()[:-1]), "one-call old"),
        Wrong(
            "gem-body-list",
            "The body is a list.",
            lambda it: _send(it, json.dumps([it.body]).encode()),
            "one-call foreign",
            says="root",
        ),
    ),
)

RULES.declare(GEM_BODY)


def route(method: str, path: str) -> Route | None:
    """The route: only the path has the model and whether to stream."""
    found = _PATH.fullmatch(path)
    if method != "POST" or found is None:
        return None
    streams = found["verb"] == "streamGenerateContent"
    return Route("gemini-generate", unquote(found["model"]), streams, found["collection"])


def read(route: Route, body: bytes) -> Conversation:
    """Read a request. Raises ``UnreadableRequest`` with the API's own text if the body cannot be read."""
    parsed = _object(body)
    request = camel_keys(parsed)
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
        collection=route.collection,
    )


def _object(body: bytes) -> Json:
    try:
        value = loads(body, holders=MOST_HOLDERS)
    except ValueError:
        shown = body[:80].decode("utf-8", "replace")
        raise UnreadableRequest(GEM_BODY.broken("body", expected="JSON", got=shown, text=shown)) from None
    if not isinstance(value, dict):
        kind = type(value).__name__
        raise UnreadableRequest(GEM_BODY.broken("body", template="root", expected="a JSON object", got=kind))
    return value


def _message(content: ContentEntry) -> Message:
    parts = neutral(content.parts)
    answers = [part for part in content.parts if "functionResponse" in part]
    role: Role = "tool" if answers and len(answers) == len(content.parts) else _ROLES.get(content.role, "user")
    return Message(role, parts, f"contents[{content.at}]")


def _system(value: Any) -> Message | None:
    if isinstance(value, str):
        value = {"parts": [{"text": value}]}
    if not isinstance(value, dict):
        return None
    return Message("system", neutral(map(normal_part, listed(value.get("parts")))), "systemInstruction")


def _tools(value: Any) -> tuple[ToolDeclaration, ...]:
    tools = map(camel_keys, listed(value))
    return tuple(
        _declaration(camel_keys(declared)) for tool in tools for declared in listed(tool.get("functionDeclarations"))
    )


def _declaration(declared: Json) -> ToolDeclaration:
    """A declaration. ``parameters`` (OpenAPI subset, upper-case types) becomes the equivalent JSON Schema."""
    schema = declared.get("parametersJsonSchema") or _json_schema(declared.get("parameters") or {"type": "object"})
    return ToolDeclaration(string(declared.get("name")), string(declared.get("description")), members(schema))


def _json_schema(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_json_schema(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: member.lower() if key == "type" and isinstance(member, str) else _json_schema(member)
        for key, member in schema.items()
    }
