"""A conversation written as a request, and what a client sends back after a response."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from harness.wire.base import ENTRY, Conversation, Json, Message, Opaque, Reply, Result, ToolDeclaration, WrittenRequest
from harness.wire.characters import is_sendable
from harness.wire.gemini_generate.parts import camel_keys
from harness.wire.json_text import compact, document, strict
from harness.wire.lenient import objects
from harness.wire.turn import Call, Part, Refusal, Text, ThinkingPart

SETTINGS: Json = {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}

UNNAMED = "unknown_tool"
"""The API refuses a call or response without a name (GEM-11)."""


def write(conversation: Conversation) -> WrittenRequest:
    """``Wire.write``. The model and whether to stream are in the path; system messages become one instruction."""
    settings = camel_keys(conversation.body)
    written = ("contents", "systemInstruction", "tools")
    body = {name: value for name, value in settings.items() if name not in written}
    if contents := entries(conversation.messages):
        body["contents"] = contents
    if system := [_part(part) for each in conversation.messages if _is_system(each) for part in each.parts]:
        body["systemInstruction"] = {"parts": system}
    if tools := [*_functions(conversation.tools), *_provider_tools(settings.get("tools"))]:
        body["tools"] = tools
    verb = "streamGenerateContent?alt=sse" if conversation.stream else "generateContent"
    collection = conversation.collection or "/v1/models"
    return WrittenRequest(f"{collection}/{quote(conversation.model, safe='')}:{verb}", document(body))


def entries(messages: Sequence[Message]) -> list[Json]:
    """``Wire.entries``."""
    return [_content(message) for message in messages if not _is_system(message)]


def _is_system(message: Message) -> bool:
    return message.role == "system" and not message.at.startswith("contents")


def _functions(tools: Sequence[ToolDeclaration]) -> list[Json]:
    declarations = [
        {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters} for tool in tools
    ]
    return [{"functionDeclarations": declarations}] if declarations else []


def _provider_tools(tools: Any) -> Iterable[Json]:
    """The content of tools beside function declarations (search, code execution)."""
    for tool in objects(tools if isinstance(tools, list) else [tools]):
        members = camel_keys(tool).items()
        others = {name: value for name, value in members if name != "functionDeclarations" and value is not None}
        if others:
            yield others


# --- contents -----------------------------------------------------------------------------------------------


def _content(message: Message) -> Json:
    match message.parts:
        case (Opaque(kind, native),) if kind == ENTRY:
            entry: Json = native
            return entry
    # A content without parts is refused (GEM-02), one with an empty text is not and says as little.
    return {"role": _role(message), "parts": [_part(part) for part in message.parts] or [{"text": ""}]}


def _role(message: Message) -> str:
    """The role. Results have the role user; beside other parts only ``function`` marks them as a tool's."""
    if message.role == "tool":
        return "user" if message.parts and len(message.results) == len(message.parts) else "function"
    return "model" if message.role == "assistant" else message.role


def _part(part: Part | Result | Opaque) -> Json:
    match part:
        case Opaque(_, native):
            opaque: Json = native
            return opaque
        case Text(text, signature):
            return _with_signature({"text": text}, signature)
        case ThinkingPart(text, _, signature):
            return _with_signature({"text": text, "thought": True}, signature)
        case Call(name, arguments, call_id, signature):
            identified = {"id": call_id} if call_id else {}
            return _with_signature(
                {"functionCall": {"name": name, "args": _object(arguments), **identified}}, signature
            )
        case Result(call_id, output, name):
            identified = {"id": call_id} if call_id else {}
            return {"functionResponse": {"name": name, "response": strict(output), **identified}}
        case Refusal(text):
            return {"text": text}


def _with_signature(native: Json, signature: str) -> Json:
    return {**native, "thoughtSignature": signature} if signature else native


def _object(arguments: str) -> Json:
    """Arguments, which are an object on this wire; other texts cannot be expressed."""
    try:
        value = strict(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


# --- going on -----------------------------------------------------------------------------------------------


def returned(reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:  # noqa: ARG001 - an invented id is not sent
    """``Wire.returned``: every part; calls keep their id, if any. A turn without parts makes no content."""
    entry = {"role": "model", "parts": _whole(reply.items)}
    return (Message("assistant", (Opaque(ENTRY, entry),), ""),) if entry["parts"] else ()


def answers(
    reply: Reply, ids: Sequence[str], results: Sequence[Result], user_texts: Sequence[str] = ()
) -> tuple[Message, ...]:
    """``Wire.answers``: one content with all results, then the user's texts in their own content (GEM-23)."""
    calls = dict(zip(ids, reply.turn.calls, strict=True))
    answered = tuple(_answer(result, calls.get(result.id)) for result in results)
    messages = (Message("tool", answered, ""), Message("user", tuple(map(Text, user_texts)), ""))
    return tuple(message for message in messages if message.parts)


def _answer(result: Result, call: Call | None) -> Result:
    """The result. The API has no flag for a failure; by convention the response has ``output`` or ``error``."""
    value = json.loads(result.output)
    if not result.is_error:
        value = {"output": value}
    elif not (isinstance(value, dict) and "error" in value):
        value = {"error": value}
    if call is None:
        return Result(result.id, compact(value), result.name, result.is_error)
    return Result(call.id or "", compact(value), call.name or UNNAMED, result.is_error)


def _whole(items: Sequence[Json]) -> list[Json]:
    """The parts as they came. If a character was cut in two, the texts with its halves are joined."""
    parts = [_sendable_part(item) for item in items]
    if is_sendable("".join(str(part.get("text", "")) for part in parts)):
        return parts
    whole: list[Json] = []
    for part in parts:
        if whole and _goes_on(whole[-1], part):
            whole[-1] = {**whole[-1], **part, "text": whole[-1]["text"] + part["text"]}
        else:
            whole.append(part)
    return whole


def _goes_on(before: Json, part: Json) -> bool:
    same = before.get("thought") == part.get("thought") and "thoughtSignature" not in before
    return same and isinstance(before.get("text"), str) and isinstance(part.get("text"), str)


def _sendable_part(part: Json) -> Json:
    call = part.get("functionCall")
    if not isinstance(call, dict) or (call.get("name") and "willContinue" not in call):
        return part
    # A call whose end never came goes back as far as it came: the answer to it needs it.
    whole = {name: member for name, member in call.items() if name != "willContinue"}
    return {**part, "functionCall": {**whole, "name": call.get("name") or UNNAMED}}
