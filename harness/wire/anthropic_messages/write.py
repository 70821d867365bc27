"""A conversation written as a request, and what a client sends back after a response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from harness.wire.base import ENTRY, Conversation, Json, Message, Opaque, Reply, Result, ToolDeclaration, WrittenRequest
from harness.wire.content_blocks import call_input
from harness.wire.json_text import document
from harness.wire.lenient import objects
from harness.wire.turn import Call, Part, Refusal, Text, ThinkingPart

SETTINGS: Json = {"max_tokens": 20_000, "thinking": {"type": "adaptive", "display": "summarized"}}
"""The most tokens that the official SDK allows for a request without streaming."""

_IN_RESULTS = ("image", "document", "search_result", "tool_reference")
"""What a tool result may contain beside text. After a result in its message, it belongs to the result."""


def write(conversation: Conversation) -> WrittenRequest:
    """``Wire.write``. System messages go to ``system``, except messages with a place in the history."""
    body = {**conversation.body, "model": conversation.model, "stream": conversation.stream}
    body.pop("system", None)
    if instructions := [each for each in conversation.messages if _is_system(each)]:
        body["system"] = _system(instructions)
    body["messages"] = entries(conversation.messages)
    if conversation.continues:
        body.setdefault("thread", {"type": "continue", "previous_message_id": conversation.continues})
    if tools := [*map(_tool, conversation.tools), *_server_tools(body.pop("tools", None))]:
        body["tools"] = tools
    return WrittenRequest("/v1/messages", document(body))


def entries(messages: Sequence[Message]) -> list[Json]:
    """``Wire.entries``."""
    return [_native(message) for message in messages if not _is_system(message)]


def _is_system(message: Message) -> bool:
    return message.role == "system" and not message.at.startswith("messages.")


def _system(messages: Sequence[Message]) -> Any:
    """The member ``system``; several messages become paragraphs of one text."""
    if len(messages) > 1:
        return "\n\n".join(message.text for message in messages if message.text.strip())
    match messages[0].parts:
        case (Text(text),) if text:
            return text
    return list(_blocks(messages[0]))


def _native(message: Message) -> Json:
    role = "user" if message.role == "tool" else message.role
    match message.parts:
        case (Opaque(kind, native),) if kind == ENTRY:
            entry: Json = native
            return entry
        case (Text(text),) if text:
            return {"role": role, "content": text}
    return {"role": role, "content": list(_blocks(message))}


def _tool(tool: ToolDeclaration) -> Json:
    """A tool whose arguments are streamed while the model writes them, so that they can be previewed."""
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": tool.parameters, "eager_input_streaming": True}


def _server_tools(tools: Any) -> Iterable[Json]:
    return (tool for tool in objects(tools) if tool.get("type", "custom") not in ("custom", None))


# --- blocks -------------------------------------------------------------------------------------------------


def _blocks(message: Message) -> Iterator[Json]:
    result: Json | None = None
    for part in message.parts:
        if result is not None and isinstance(part, Opaque) and part.kind in _IN_RESULTS:
            result["content"] = [*_texts(result["content"]), part.native]
            continue
        if result is not None:
            yield result
        result = _result(part) if isinstance(part, Result) else None
        if not isinstance(part, Result):
            yield _block(part)
    if result is not None:
        yield result


def _result(result: Result) -> Json:
    return {
        "type": "tool_result",
        "tool_use_id": result.id,
        "content": result.output,
        "is_error": result.is_error,
    }


def _texts(content: Any) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def _block(part: Part | Opaque) -> Json:
    match part:
        case Opaque(_, native):
            block: Json = native
            return block
        case Call(name, arguments, call_id):
            return {"type": "tool_use", "id": call_id or "", "name": name, "input": call_input(arguments)}
        case ThinkingPart(_, "redacted", signature):
            return {"type": "redacted_thinking", "data": signature}
        case ThinkingPart(text, _, signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case Text(text) | Refusal(text):
            return {"type": "text", "text": text}


# --- going on -----------------------------------------------------------------------------------------------


def returned(reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:
    """``Wire.returned``: no message for an empty turn."""
    calls = iter(ids)
    blocks = _going_back([_with_call_id(block, calls) for block in reply.items])
    entry = {"role": "assistant", "content": blocks}
    return (Message("assistant", (Opaque(ENTRY, entry),), ""),) if blocks else ()


def _with_call_id(block: Json, ids: Iterator[str]) -> Json:
    return {**block, "id": next(ids)} if block.get("type") == "tool_use" else block


def _going_back(blocks: Sequence[Json]) -> list[Json]:
    """The blocks without empty texts; none if only white space is left. The API refuses both (ANT-11)."""
    kept = [block for block in blocks if block.get("type") != "text" or block.get("text")]
    blank = all(block.get("type") == "text" and not block["text"].strip() for block in kept)
    return [] if blank else kept
