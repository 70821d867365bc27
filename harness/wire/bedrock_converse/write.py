"""A conversation written as a request, and what a client sends back after a response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from harness.wire.base import (
    ENTRY,
    Conversation,
    Json,
    Message,
    Opaque,
    Reply,
    Result,
    Route,
    ToolDeclaration,
    WrittenRequest,
)
from harness.wire.bedrock_converse.blocks import is_call
from harness.wire.bedrock_converse.models import LONE_RESULTS, MODELS
from harness.wire.bedrock_converse.read import IN_A_RESULT, path
from harness.wire.content_blocks import call_input
from harness.wire.json_text import document
from harness.wire.lenient import members, objects
from harness.wire.turn import Call, Part, Refusal, Text, ThinkingPart

SETTINGS: Final[Json] = {
    "inferenceConfig": {"maxTokens": 4096},
    "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
}


def write(conversation: Conversation) -> WrittenRequest:
    """``Wire.write``. System messages go to ``system``, except messages with a place in the history.

    Messages that were read from a request are written unchanged; adjacent new messages of the user are joined.
    """
    body = {name: value for name, value in conversation.body.items() if name not in ("system", "toolConfig")}
    messages = entries(conversation.messages)
    was_read = any(message.at.startswith("messages") for message in conversation.messages)
    body["messages"] = messages if was_read else together(messages, conversation.model)
    if system := [block for each in conversation.messages if _is_system(each) for block in _blocks(each)]:
        body["system"] = system
    if config := _tool_config(conversation.tools, members(conversation.body.get("toolConfig"))):
        body["toolConfig"] = config
    where = Route(conversation.wire, conversation.model, conversation.stream)
    return WrittenRequest(path(where), document(body))


def entries(messages: Sequence[Message]) -> list[Json]:
    """``Wire.entries``."""
    return [_native(message) for message in messages if not _is_system(message)]


def together(messages: Sequence[Json], model: str) -> list[Json]:
    """The client's new messages, with adjacent messages of the user joined into one (BED-11).

    If the model accepts nothing beside results (BED-30), a message with results is not joined.
    """
    joined: list[Json] = []
    for message in messages:
        if joined and _may_join(joined[-1], message, model):
            joined[-1] = {**joined[-1], "content": [*joined[-1]["content"], *message["content"]]}
        else:
            joined.append(message)
    return joined


def _may_join(before: Json, message: Json, model: str) -> bool:
    if not before.get("role") == message.get("role") == "user":
        return False
    contents = [each.get("content") for each in (before, message)]
    if not all(isinstance(content, list) for content in contents):
        return False
    has_results = any("toolResult" in block for content in contents for block in objects(content))
    return not (has_results and MODELS.holds(LONE_RESULTS, model))


def _is_system(message: Message) -> bool:
    return message.role == "system" and not message.at.startswith("messages.")


def _native(message: Message) -> Json:
    match message.parts:
        case (Opaque(kind, native),) if kind == ENTRY:
            entry: Json = native
            return entry
    return {"role": "user" if message.role == "tool" else message.role, "content": list(_blocks(message))}


def _tool_config(tools: Sequence[ToolDeclaration], before: Json) -> Json:
    """The tools and the tool choice; nothing without tools, because an empty list is refused (BED-18)."""
    declared = [*map(_tool, tools), *_of_the_provider(before.get("tools"))]
    return {**before, "tools": declared} if declared else {}


def _tool(tool: ToolDeclaration) -> Json:
    described = {"description": tool.description} if tool.description else {}
    return {"toolSpec": {"name": tool.name, **described, "inputSchema": {"json": tool.parameters}}}


def _of_the_provider(tools: Any) -> Iterable[Json]:
    return (tool for tool in objects(tools) if "toolSpec" not in tool)


# --- blocks -------------------------------------------------------------------------------------------------


def _blocks(message: Message) -> Iterator[Json]:
    result: Json | None = None
    for part in message.parts:
        if result is not None and isinstance(part, Opaque) and part.kind.startswith(IN_A_RESULT):
            result["toolResult"]["content"].append(part.native)
            continue
        if result is not None:
            yield result
        result = _result(part) if isinstance(part, Result) else None
        if not isinstance(part, Result):
            yield _block(part)
    if result is not None:
        yield result


def _result(result: Result) -> Json:
    status = "error" if result.is_error else "success"
    return {"toolResult": {"toolUseId": result.id, "content": [{"text": result.output}], "status": status}}


def _block(part: Part | Opaque) -> Json:
    match part:
        case Opaque(_, native):
            block: Json = native
            return block
        case Call(name, arguments, call_id):
            return {"toolUse": {"toolUseId": call_id or "", "name": name, "input": call_input(arguments)}}
        case ThinkingPart(_, "redacted", signature):
            return {"reasoningContent": {"redactedContent": signature}}
        case ThinkingPart(text, _, signature):
            signed = {"signature": signature} if signature else {}
            return {"reasoningContent": {"reasoningText": {"text": text, **signed}}}
        case Text(text) | Refusal(text):
            return {"text": text}


# --- going on -----------------------------------------------------------------------------------------------


def returned(reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:
    """``Wire.returned``: no message for an empty turn.

    A call goes back without its member ``type``: the SDKs know it only for calls of server tools.
    """
    calls = iter(ids)
    blocks = _going_back([_with_call_id(block, calls) for block in reply.items])
    entry = {"role": "assistant", "content": blocks}
    return (Message("assistant", (Opaque(ENTRY, entry),), ""),) if blocks else ()


def _with_call_id(block: Json, ids: Iterator[str]) -> Json:
    if not is_call(block):
        return block
    called = {name: value for name, value in block["toolUse"].items() if name != "type"}
    return {"toolUse": {**called, "toolUseId": next(ids)}}


def _going_back(blocks: Sequence[Json]) -> list[Json]:
    """The blocks without empty texts; none if only white space is left. The API refuses both (BED-09)."""
    kept = [block for block in blocks if block.get("text", "-")]
    blank = all(not block.get("text", "-").strip() for block in kept)
    return [] if blank else kept
