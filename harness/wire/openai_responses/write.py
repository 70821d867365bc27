"""A conversation written as a request, and what a client sends back after a response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from harness.wire.base import ENTRY, Conversation, Json, Message, Opaque, Reply, Result, ToolDeclaration, WrittenRequest
from harness.wire.json_text import document
from harness.wire.lenient import objects
from harness.wire.openai_responses.items import ARGUMENTS, parts_of
from harness.wire.turn import Call, Refusal, Text, ThinkingPart

SETTINGS: Final[Json] = {
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"summary": "auto"},
}
"""The provider keeps nothing; reasoning travels encrypted."""

_CONTENT: Final = ("input_image", "input_file", "input_audio", "computer_screenshot")
"""What a message or an output may contain beside text; any other opaque part becomes its own item."""

_UNNAMED: Final = "unknown_tool"
"""The name of a call without a name when it goes back: the API refuses an empty name."""


def write(conversation: Conversation) -> WrittenRequest:
    """``Wire.write``. A system message placed at ``instructions`` goes there; any other is an item."""
    messages = conversation.messages
    body = {**conversation.body, "model": conversation.model, "stream": conversation.stream}
    body.pop("instructions", None)
    if messages and messages[0].at == "instructions":
        body["instructions"] = messages[0].text
    is_text = messages and messages[-1].at == "input"
    body["input"] = messages[-1].text if is_text else entries(messages)
    if conversation.continues and "conversation" not in body:
        body["previous_response_id"] = conversation.continues
    if tools := [*_tools(conversation.tools, body.pop("tools", None))]:
        body["tools"] = tools
    return WrittenRequest("/v1/responses", document(body))


def entries(messages: Iterable[Message]) -> list[Json]:
    """``Wire.entries``."""
    return [item for message in messages if message.at != "instructions" for item in _items(message)]


def _tools(declared: Iterable[ToolDeclaration], native: Any) -> Iterator[Json]:
    """The declared tools as functions, and the tools that have no declaration: the provider's, and free-text tools."""
    others = [tool for tool in objects(native) if tool.get("type") != "function"]
    free_text = {tool.get("name") for tool in others if tool.get("type") == "custom"}
    yield from (_tool(tool) for tool in declared if tool.name not in free_text)
    yield from others


def _tool(tool: ToolDeclaration) -> Json:
    # Strict mode refuses a schema with optional properties (OAI-23), and tools here may have some.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


# --- items -------------------------------------------------------------------------------------------------


def _items(message: Message) -> Iterator[Json]:
    """Adjacent content becomes one message; a thought, a call, a result and any other item become one item each."""
    content: list[Text | Refusal | Opaque] = []
    for part in message.parts:
        if isinstance(part, Text | Refusal) or (isinstance(part, Opaque) and part.kind in _CONTENT):
            content.append(part)
            continue
        if content:
            yield _message(message, content)
            content = []
        if isinstance(part, Result):
            yield _output(part, message)
            return
        yield part.native if isinstance(part, Opaque) else _item(part)
    if content or not message.parts:
        yield _message(message, content)


def _message(message: Message, content: Sequence[Text | Refusal | Opaque]) -> Json:
    spoken = message.role == "assistant"
    phase = next(({"phase": part.phase} for part in content if isinstance(part, Text) and part.phase), {})
    if len(content) == 1 and isinstance(content[0], Text):
        return {"role": message.role, "content": content[0].text, **phase}
    members: Json = {"role": message.role, "content": [_content(part, spoken=spoken) for part in content], **phase}
    return {"type": "message", **members} if spoken else members


def _content(part: Text | Refusal | Opaque, *, spoken: bool) -> Json:
    if isinstance(part, Text):
        return {"type": "output_text" if spoken else "input_text", "text": part.text}
    if isinstance(part, Refusal):
        return {"type": "refusal", "refusal": part.text}
    native: Json = part.native
    return native


def _item(part: ThinkingPart | Call) -> Json:
    """An item without an id: neutral parts have no item ids, and the API accepts items without one."""
    if isinstance(part, Call):
        return {"type": "function_call", "call_id": part.id or "", "name": part.name, "arguments": part.arguments}
    summary = [{"type": "summary_text", "text": part.text}] if part.text else []
    signed = {"encrypted_content": part.signature} if part.signature else {}
    return {"type": "reasoning", "summary": summary, **signed}


def _output(result: Result, message: Message) -> Json:
    """The one result of a message, with its images and files."""
    files = [part.native for part in message.parts if isinstance(part, Opaque)]
    text = [{"type": "input_text", "text": result.output}] if result.output else []
    output = [*text, *files] if files else result.output
    return {"type": "function_call_output", "call_id": result.id, "output": output}


# --- going on ----------------------------------------------------------------------------------------------


def returned(reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:
    """``Wire.returned``: every item."""
    calls = iter(ids)
    items = (_returned_item(item, calls) for item in reply.items if item.get("type"))
    return tuple(Message("assistant", (Opaque(ENTRY, item),), "") for item in items)


def answers(
    reply: Reply, ids: Sequence[str], results: Sequence[Result], user_texts: Sequence[str] = ()
) -> tuple[Message, ...]:
    """``Wire.answers``: one output per result, of the kind of its call, and one message per text."""
    kinds = (kind for item in reply.items if (kind := item.get("type")) in ARGUMENTS)
    free_text = {call_id for call_id, kind in zip(ids, kinds, strict=False) if kind == "custom_tool_call"}
    outputs = [Message("tool", (_free(result) if result.id in free_text else result,), "") for result in results]
    return (*outputs, *(Message("user", (Text(text),), "") for text in user_texts))


def _free(result: Result) -> Opaque:
    """The output of a call to a free-text tool, which neutral words do not distinguish from a function."""
    return Opaque(ENTRY, {"type": "custom_tool_call_output", "call_id": result.id, "output": result.output})


def _returned_item(item: Json, ids: Iterator[str]) -> Json:
    kind = item["type"]
    if kind == "reasoning":
        # OAI-05: reasoning has no status in a request. Its empty content says nothing and is left out, too.
        return {name: value for name, value in item.items() if name != "status" and (name, value) != ("content", [])}
    if kind in ARGUMENTS:
        (call,) = (part for part in parts_of(item) if isinstance(part, Call))
        named = {"call_id": next(ids), "name": call.name or _UNNAMED, ARGUMENTS[kind]: call.arguments}
        return {**item, **named}
    return item
