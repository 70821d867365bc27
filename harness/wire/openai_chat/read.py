"""Chat requests read into conversations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from harness.ground.bounded_json import MOST_HOLDERS, loads
from harness.wire.base import (
    Conversation,
    Json,
    Message,
    Opaque,
    Result,
    Role,
    Route,
    ToolDeclaration,
    UnreadableRequest,
    messages_before,
)
from harness.wire.lenient import entries, members, objects, string
from harness.wire.openai_chat.message import REASONING
from harness.wire.openai_chat.rules.shape import OAC_JSON, OAC_TYPE
from harness.wire.openai_chat.types import type_name
from harness.wire.turn import Call, Part, Refusal, Text, ThinkingPart

_OF_MISTRAL: Final = re.compile(
    r".*/publishers/mistralai/models/(?!mistral-ocr|codestral)[^/:]+:(?:rawPredict|streamRawPredict)"
)
"""Vertex AI has its own path for Mistral's models; the body is the same. Two models are excluded: one reads documents,
and the other may be asked under the same path to fill in text."""

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


def find_route(method: str, path: str) -> Route | None:
    """Every path that ends in ``/chat/completions`` is a Chat request: compatible servers have many prefixes.

    So is a request to Vertex AI for a model of Mistral's (``rawPredict``, ``streamRawPredict``).
    """
    bare = urlsplit(path).path.rstrip("/")
    is_chat = bare.endswith("/chat/completions") or _OF_MISTRAL.fullmatch(bare) is not None
    return Route("openai-chat") if is_chat and method == "POST" else None


def read(body: bytes, before: Conversation | None = None) -> Conversation:
    """Read a request. Raises ``UnreadableRequest`` if it is no object or its messages are no list of objects.

    If its messages begin with the messages of ``before``, an earlier request, those are reused.
    """
    request = _load(body)
    messages = request.get("messages") or []
    if not isinstance(messages, list):
        raise _wrong_type("messages", "an array of objects", messages)
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise _wrong_type(f"messages[{at}]", "an object", message)
    known = messages_before(messages, before, "messages")
    return Conversation(
        wire="openai-chat",
        model=str(request.get("model") or ""),
        stream=request.get("stream") is True,
        messages=(*known, *_messages(messages, len(known))),
        tools=tuple(_tools(request)),
        body=request,
    )


def _load(body: bytes) -> Json:
    try:
        request = loads(body, holders=MOST_HOLDERS)
    except ValueError as error:
        raise UnreadableRequest(OAC_JSON.broken("", expected="a JSON object", got=str(error))) from error
    if not isinstance(request, dict):
        raise UnreadableRequest(OAC_JSON.broken("", expected="a JSON object", got=type_name(request)))
    return request


def _wrong_type(place: str, expected: str, value: Any) -> UnreadableRequest:
    got = type_name(value)
    return UnreadableRequest(OAC_TYPE.broken(place, expected=expected, got=got, wanted=expected, came=got))


def _tools(request: Json) -> Iterator[ToolDeclaration]:
    """Function tools, custom tools (whose input is free text) and the deprecated ``functions``."""
    bodies = [tool.get("function") or tool.get("custom") for tool in objects(request.get("tools"))]
    for body in (*bodies, *entries(request.get("functions"))):
        if isinstance(body, dict):
            name, description = string(body.get("name")), string(body.get("description"))
            yield ToolDeclaration(name, description, members(body.get("parameters")))


def _messages(natives: Sequence[Json], start: int) -> Iterator[Message]:
    for at in range(start, len(natives)):
        yield _message(natives[at], f"messages[{at}]")


def _message(message: Json, at: str) -> Message:
    role = _ROLES.get(str(message.get("role")), "user")
    if role == "tool":
        return Message(role, tuple(_result(message)), at)
    return Message(role, tuple(_parts(message)), at)


def _result(message: Json) -> Iterator[Result | Opaque]:
    content = message.get("content")
    parts = list(_content(content))
    output = "".join(part.text for part in parts if isinstance(part, Text))
    yield Result(str(message.get("tool_call_id") or ""), output, str(message.get("name") or ""))
    yield from (part for part in parts if isinstance(part, Opaque))


def _parts(message: Json) -> Iterator[Part | Opaque]:
    thought = next((message[name] for name in REASONING if isinstance(message.get(name), str)), "")
    if thought:
        yield ThinkingPart(thought)
    yield from _content(message.get("content"))
    if isinstance(message.get("refusal"), str):
        yield Refusal(message["refusal"])
    for call in entries(message.get("tool_calls")):
        yield _call(call)
    if isinstance(message.get("function_call"), dict):
        yield _call({"function": message["function_call"]})


def _content(content: Any) -> Iterator[Text | ThinkingPart | Refusal | Opaque]:
    if isinstance(content, str):
        yield Text(content)
    elif isinstance(content, list):
        yield from (_content_part(part) for part in content)
    elif content is not None:
        yield Opaque("content", content)


def _content_part(part: Any) -> Text | ThinkingPart | Refusal | Opaque:
    if isinstance(part, str):
        return Text(part)
    kind = str(part.get("type")) if isinstance(part, dict) else type_name(part)
    if kind == "text":
        return Text(str(part.get("text") or ""))
    if kind == "refusal":
        return Refusal(str(part.get("refusal") or ""))
    if kind == "thinking":
        return ThinkingPart("".join(str(piece.get("text") or "") for piece in objects(part.get("thinking"))))
    return Opaque(kind, part)


def _call(call: Any) -> Call | Opaque:
    """A call. Arguments that are no text (the API refuses them) are read as their JSON text."""
    body = (call.get("function") or call.get("custom")) if isinstance(call, dict) else None
    if not isinstance(body, dict):
        return Opaque("tool_call", call)
    arguments = body.get("arguments", body.get("input", ""))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return Call(str(body.get("name") or ""), text, str(call.get("id") or ""))
