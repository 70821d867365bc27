"""A conversation written as a request, and what a client sends back after a response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.wire.base import ENTRY, Conversation, Json, Message, Opaque, Reply, Result, ToolDeclaration, WrittenRequest
from harness.wire.content_blocks import call_input
from harness.wire.gemini_interactions.read import IN_A_RESULT
from harness.wire.gemini_interactions.steps import CALL, CONTENTS, INPUT, OUTPUT, RESULT, THOUGHT, done_calls, kind_of
from harness.wire.gemini_interactions.words import GOES_ON, SYSTEM
from harness.wire.json_text import document
from harness.wire.lenient import objects
from harness.wire.turn import Call, Refusal, Text, ThinkingPart

SETTINGS: Final[Json] = {"store": False, "generation_config": {"thinking_summaries": "auto"}}
"""The provider keeps nothing: every step goes back, including the signed thoughts."""

_MARK: Final = "harness.goes_on"
"""The type of an internal entry after the steps of an answer. It has the token that continues the answer."""

UNNAMED: Final = "unknown_tool"
"""The name of a call without a name when it goes back: the API refuses a result without a name (INT-07)."""


def write(conversation: Conversation) -> WrittenRequest:
    """``Wire.write``. System messages become the instruction; a single text of the user may be the whole ``input``."""
    written = (SYSTEM, "input", "tools", "previous_interaction_id", GOES_ON)
    body = {name: value for name, value in conversation.body.items() if name not in written}
    if conversation.model:
        body["model"] = conversation.model
    body["stream"] = conversation.stream
    messages = conversation.messages
    if system := [message.text for message in messages if message.role == "system"]:
        body[SYSTEM] = "\n\n".join(system)
    if token := conversation.body.get(GOES_ON):
        body[GOES_ON] = token
    if conversation.continues and conversation.continues != token:
        body["previous_interaction_id"] = conversation.continues
    is_text = len(messages) > 0 and messages[-1].at == "input" and not _is_system(messages[-1])
    body["input"] = messages[-1].text if is_text else _sent(entries(messages), body)
    if tools := [*map(_tool, conversation.tools), *_of_the_provider(conversation.body.get("tools"))]:
        body["tools"] = tools
    return WrittenRequest("/v1/interactions", document(body))


def _sent(steps: list[Json], body: Json) -> list[Json]:
    """The steps of the history. If the last answer continues, only the steps of the request that it answered: its
    token, which is put into the body, covers the rest."""
    while steps and kind_of(last := steps[-1]) == _MARK:
        body.setdefault(GOES_ON, last[GOES_ON])
        steps = steps[: -1 - last["steps"]]
    return [step for step in steps if kind_of(step) != _MARK]


def entries(messages: Iterable[Message]) -> list[Json]:
    """``Wire.entries``."""
    return [step for message in messages if not _is_system(message) for step in _steps(message)]


def _is_system(message: Message) -> bool:
    return message.role == "system"


def _tool(tool: ToolDeclaration) -> Json:
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _of_the_provider(tools: Any) -> Iterable[Json]:
    return (tool for tool in objects(tools) if tool.get("type") != "function")


# --- steps --------------------------------------------------------------------------------------------------


def _steps(message: Message) -> Iterator[Json]:
    """Adjacent content becomes one step; a thought, a call, a result and any other step become one step each."""
    content: list[Json] = []
    result: Json | None = None
    for part in message.parts:
        if result is not None and isinstance(part, Opaque) and part.kind.startswith(IN_A_RESULT):
            _hold(result, part.native)
            continue
        if isinstance(part, Text | Refusal) or (isinstance(part, Opaque) and part.kind in CONTENTS):
            content.append(part.native if isinstance(part, Opaque) else {"type": "text", "text": part.text})
            continue
        if content:
            yield _spoken(message, content)
            content = []
        step = _step(part)
        result = step if kind_of(step) == RESULT else None
        yield step
    if content or not message.parts:
        yield _spoken(message, content)


def _hold(result: Json, native: Any) -> None:
    """Put an image or a document into a result, beside its text."""
    if not isinstance(result["result"], list):
        result["result"] = [{"type": "text", "text": result["result"]}] if result["result"] else []
    result["result"].append(native)


def _spoken(message: Message, content: list[Json]) -> Json:
    return {"type": OUTPUT if message.role == "assistant" else INPUT, "content": content}


def _step(part: ThinkingPart | Call | Result | Opaque) -> Json:
    match part:
        case Opaque(_, native):
            step: Json = native
            return step
        case ThinkingPart(text, _, signature):
            signed = {"signature": signature} if signature else {}
            summary = {"summary": [{"type": "text", "text": text}]} if text else {}
            return {**signed, **summary, "type": THOUGHT}
        case Call(name, arguments, call_id, signature):
            signed = {"signature": signature} if signature else {}
            return {"id": call_id or "", **signed, "type": CALL, "name": name, "arguments": call_input(arguments)}
        case Result(call_id, output, name, is_error):
            failed = {"is_error": True} if is_error else {}
            named = {"name": name} if name else {}
            return {"type": RESULT, "call_id": call_id, **named, "result": output, **failed}


# --- going on -----------------------------------------------------------------------------------------------


def returned(reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:
    """``Wire.returned``: every step except empty texts and empty unsigned thoughts (INT-11)."""
    calls, done = iter(ids), done_calls(reply.items)
    steps = [step if step.get("id") in done else _with_id(step, calls) for step in reply.items if not _is_empty(step)]
    if reply.continuation:
        steps.append({"type": _MARK, GOES_ON: reply.continuation, "steps": len(steps)})
    return tuple(Message("assistant", (Opaque(ENTRY, step),), "") for step in steps)


def _is_empty(step: Json) -> bool:
    if kind_of(step) == THOUGHT:
        return not step.get("signature")
    return kind_of(step) == OUTPUT and not any(each.get("text", "-") for each in objects(step.get("content")))


def _with_id(step: Json, ids: Iterator[str]) -> Json:
    if kind_of(step) != CALL:
        return step
    return {**step, "id": next(ids), "name": step.get("name") or UNNAMED}


def answers(
    reply: Reply, ids: Sequence[str], results: Sequence[Result], user_texts: Sequence[str] = ()
) -> tuple[Message, ...]:
    """``Wire.answers``: one step per result with the name of its call (INT-07), then the user's texts."""
    names = dict(zip(ids, (call.name for call in reply.turn.calls), strict=True))
    answered = (replace(each, name=names.get(each.id) or each.name or UNNAMED) for each in results)
    texts = (Message("user", (Text(text),), "") for text in user_texts)
    return (*(Message("tool", (each,), "") for each in answered), *texts)
