"""A conversation as a request of the text protocol, and what a client sends back after an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.wire.base import ENTRY, Conversation, Json, Message, Opaque, Reply, Result, WrittenRequest
from harness.wire.json_text import strict
from harness.wire.lenient import string
from harness.wire.openai_chat.write import SETTINGS
from harness.wire.openai_chat.write import entries as chat_entries
from harness.wire.openai_chat.write import returned as returned_to_chat
from harness.wire.openai_chat.write import write as write_chat
from harness.wire.text_tags.prompt import error_text, result_text, system_prompt, unreadable_call_text
from harness.wire.text_tags.results import results_message
from harness.wire.text_tags.stream import parse_tool_calls
from harness.wire.text_tags.words import written
from harness.wire.turn import Call, Part, Text, ThinkingPart, Turn

__all__ = ["SETTINGS", "answers", "entries", "returned", "write"]


def write(conversation: Conversation) -> WrittenRequest:
    """``Wire.write``. The system prompt describes the tools: all system messages become one, at the front."""
    natives = entries(conversation.messages)
    if conversation.tools:
        own = "\n\n".join([string(each.get("content")) for each in natives if each.get("role") == "system"])
        system = {"role": "system", "content": system_prompt(own, {}, conversation.tools)}
        natives = [system, *(each for each in natives if each.get("role") != "system")]
    messages = tuple([Message("user", (Opaque(ENTRY, native),), "") for native in natives])
    return write_chat(replace(conversation, messages=messages, tools=()))


def entries(messages: Sequence[Message]) -> list[Json]:
    """``Wire.entries``."""
    return chat_entries([replace(message, parts=_as_text(message)) for message in messages])


def _as_text(message: Message) -> tuple[Part | Result | Opaque, ...]:
    """The parts of a message: everything with a form in the protocol becomes one text in front of the others."""
    others = tuple([part for part in message.parts if not isinstance(part, Result | Text | ThinkingPart | Call)])
    if message.results:
        text = results_message((result.name, result.output) for result in message.results)
    elif message.role == "assistant" and len(others) < len(message.parts):
        text = written([part for part in message.parts if isinstance(part, Text | ThinkingPart | Call)])
    else:
        return message.parts
    return (Text(text), *others)


def returned(reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:  # noqa: ARG001 - nothing here has an id
    """``Wire.returned``: the model's text to the letter."""
    return returned_to_chat(replace(reply, turn=Turn()), ())


def answers(
    reply: Reply, ids: Sequence[str], results: Sequence[Result], user_texts: Sequence[str] = ()
) -> tuple[Message, ...]:
    """``Wire.answers``: one user message for all results, in call order, then one per text."""
    if not results:
        return ()
    by_id = {result.id: result for result in results}
    problems = _problems(reply)
    messages = [
        Result("", _output(by_id[call_id], problem), call.name)
        for call_id, call, problem in zip(ids, reply.turn.calls, problems, strict=True)
        if call_id in by_id
    ]
    return (Message("user", tuple(messages), ""), *(Message("user", (Text(text),), "") for text in user_texts))


def _problems(reply: Reply) -> list[str]:
    """Why each call cannot be run; ``""`` for a call that can."""
    text = string(reply.items[0].get("content")) if reply.items else ""
    return [call.problem for call in parse_tool_calls(text)]


def _output(result: Result, problem: str) -> str:
    value = strict(result.output)
    if not result.is_error:
        return result_text(value)
    return unreadable_call_text(problem) if problem else error_text(value)
