"""A conversation written as a request, and what a client sends back after a response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.wire.base import ENTRY, Conversation, Json, Message, Opaque, Reply, Result, ToolDeclaration, WrittenRequest
from harness.wire.json_text import document
from harness.wire.openai_chat.message import EXTRA, REASONING
from harness.wire.turn import Call, Part, Refusal, Text, ThinkingPart

SETTINGS: Json = {"stream_options": {"include_usage": True}}

_CALL = "tool_call"

_TEXT_MEMBERS = ("content", "refusal")
_KEPT = (*_TEXT_MEMBERS, *REASONING, "reasoning_details")
"""The members of a response's message that go back beside its calls; the others belong to responses only."""

_UNNAMED = "unknown_tool"
"""The name of a call without a name when it goes back: the API refuses an empty name."""


def write(conversation: Conversation) -> WrittenRequest:
    """``Wire.write``."""
    dropped = ("tools", "functions") if conversation.stream else ("tools", "functions", "stream_options")
    body = {name: value for name, value in conversation.body.items() if name not in dropped}
    body |= {"model": conversation.model, "stream": conversation.stream}
    body["messages"] = entries(conversation.messages)
    if conversation.tools:
        body["tools"] = [_tool(tool) for tool in conversation.tools]
    return WrittenRequest("/v1/chat/completions", document(body))


def entries(messages: Sequence[Message]) -> list[Json]:
    """``Wire.entries``."""
    return [_native(message) for message in messages]


def _tool(tool: ToolDeclaration) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


# --- messages -----------------------------------------------------------------------------------------------


def _native(message: Message) -> Json:
    if len(message.parts) == 1 and isinstance(only := message.parts[0], Opaque) and only.kind == ENTRY:
        native: Json = only.native
        return native
    return _answer(message) if message.role == "tool" else _spoken(message)


def _answer(message: Message) -> Json:
    result = next(iter(message.results), Result("", ""))
    files = [part.native for part in message.parts if isinstance(part, Opaque)]
    text = [_content(Text(result.output))] if result.output else []
    named = {"name": result.name} if result.name else {}
    identified = {"tool_call_id": result.id} if result.id else {}
    return {"role": "tool", **identified, **named, "content": [*text, *files] if files else result.output}


def _spoken(message: Message) -> Json:
    """Thinking at the start, a refusal at the end of the content, and calls have their own members."""
    parts = list(message.parts)
    native: Json = {"role": message.role, "content": None}
    if parts and isinstance(first := parts[0], ThinkingPart) and first.text:
        native[REASONING[0]] = first.text
        del parts[0]
    calls = [part for part in parts if isinstance(part, Call) or (isinstance(part, Opaque) and part.kind == _CALL)]
    content = [part for part in parts if part not in calls]
    if content and isinstance(last := content[-1], Refusal):
        native["refusal"] = last.text
        del content[-1]
    if content:
        native["content"] = _whole(content)
    if calls:
        native["tool_calls"] = [_call(part) for part in calls]
    return native


def _whole(content: Sequence[Part | Result | Opaque]) -> Any:
    if len(content) == 1:
        match content[0]:
            case Text(text):
                return text
            case Opaque("content", native):
                return native
    return [_content(part) for part in content]


def _content(part: Part | Result | Opaque) -> Any:
    match part:
        case Opaque(_, native):
            return native
        case Refusal(text):
            return {"type": "refusal", "refusal": text}
        case ThinkingPart(text):
            return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
        case Text(text):
            return {"type": "text", "text": text}
    return {"type": "text", "text": ""}


def _call(call: Call | Opaque) -> Any:
    if isinstance(call, Opaque):
        return call.native
    identified = {"id": call.id} if call.id else {}
    return {**identified, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


# --- going on -----------------------------------------------------------------------------------------------


def returned(reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:
    """``Wire.returned``: the assistant message.

    Reasoning goes back only with calls: then DeepSeek and Kimi require it, otherwise they ignore or refuse it. The
    deprecated ``function_call`` goes back as a tool call.
    """
    message, calls = dict(reply.items[0]) if reply.items else {}, reply.turn.calls
    native: Json = {"role": "assistant", "content": None}
    native |= {name: message[name] for name in (_KEPT if calls else _TEXT_MEMBERS) if message.get(name) is not None}
    if calls:
        sent = message.get("tool_calls") or ()
        forms = sent if len(sent) == len(calls) else [{}] * len(calls)
        native["tool_calls"] = list(map(_returned_call, forms, calls, _native_ids(calls, ids)))
    elif native["content"] is None and "refusal" not in native:
        native["content"] = ""
    return (Message("assistant", (Opaque(ENTRY, native),), ""),)


def answers(
    reply: Reply, ids: Sequence[str], results: Sequence[Result], user_texts: Sequence[str] = ()
) -> tuple[Message, ...]:
    """``Wire.answers``: one tool message per result, one user message per text."""
    native_ids = dict(zip(ids, _native_ids(reply.turn.calls, ids), strict=True))
    return (
        *(Message("tool", (Result(native_ids[result.id], result.output),), "") for result in results),
        *(Message("user", (Text(text),), "") for text in user_texts),
    )


def _native_ids(calls: Sequence[Call], ids: Sequence[str]) -> list[str]:
    """A call keeps the server's id, even if an earlier turn had the same: providers pair within one turn only.

    If it has none, or shares it with another call of the turn, it gets its id from ``ids``.
    """
    native: list[str] = []
    for call, own in zip(calls, ids, strict=True):
        sent = call.id or ""
        native.append(sent if sent and sent not in native and sent not in ids[: len(native)] else own)
    return native


def _returned_call(sent: Json, call: Call, call_id: str) -> Json:
    name = call.name or _UNNAMED
    extra = {member: sent[member] for member in EXTRA if sent.get(member)}
    if sent.get("type") == "custom":
        return {"id": call_id, "type": "custom", "custom": {"name": name, "input": call.arguments}, **extra}
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": call.arguments}, **extra}
