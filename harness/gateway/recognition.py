"""What of a request its conversation is recognised by: how it opens, and what of the model's it sends back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.wire import Call, Conversation, Message, Reply, Text, Thinking
from harness.wire.output_format import demanded_schema

__all__ = [
    "Opening",
    "all_text",
    "is_fresh",
    "marks_of",
    "marks_of_reply",
    "marks_sent_back",
    "opening_of",
    "plain",
    "text_of",
    "tool_names",
    "wants_json",
]

Opening = tuple[str, str]
"""The system prompt and the first user message of a request, white space made equal."""


def opening_of(asked: Conversation) -> Opening:
    """A system message behind the first of the user is part of what follows."""
    system: list[str] = []
    for message in asked.messages:
        if message.role == "user" and message.text.strip():
            return plain(" ".join(system)), plain(message.text)
        if message.role == "system":
            system.append(message.text)
    return plain(" ".join(system)), ""


def text_of(asked: Conversation, role: str) -> str:
    return plain(" ".join(message.text for message in asked.messages if message.role == role))


def all_text(asked: Conversation) -> str:
    return plain(" ".join(message.text for message in asked.messages if message.role in ("system", "user")))


def plain(text: str) -> str:
    return " ".join(text.split())


def tool_names(asked: Conversation) -> frozenset[str]:
    return frozenset(tool.name for tool in asked.tools)


def is_fresh(asked: Conversation) -> bool:
    """Whether the request sends nothing of a model's back."""
    return asked.continues is None and all(
        message.role in ("system", "user") and not message.results for message in asked.messages
    )


def wants_json(asked: Conversation) -> bool:
    """Whether the answer must be JSON: a title request does, an agent's own does not as long as it has no tools."""
    return demanded_schema(asked.body) is not None


# --- what of the model's it sends back -----------------------------------------------------------------------------


def marks_of_reply(reply: Reply) -> Iterator[str]:
    yield f"reply {reply.id}"
    yield from _marks_of_parts(reply.turn.parts)
    if reply.turn.text.strip():
        yield f"text {plain(reply.turn.text)}"


def marks_of(message: Message, kind: str) -> Iterator[str]:
    """By what a message is recognised: of the model's own parts, or of the results of its calls."""
    if kind == "tool":
        yield from (f"id {result.id}" for result in message.results if result.id)
    elif message.role == "assistant":
        yield from _marks_of_parts(message.parts)
        if message.text.strip():
            yield f"text {plain(message.text)}"


def marks_sent_back(asked: Conversation) -> Iterator[str]:
    """All that a request sends back of the model's or names, what is latest first."""
    if asked.continues is not None:
        yield f"reply {asked.continues}"
    for message in reversed(asked.messages):
        yield from marks_of(message, "assistant")
        yield from marks_of(message, "tool")


def _marks_of_parts(parts: Iterable[object]) -> Iterator[str]:
    for part in parts:
        match part:
            case Call(name, arguments, id):
                yield f"id {id}" if id else f"call {name} {plain(arguments)}"
            case Thinking(text=text, signature=signature) if signature or text:
                yield f"signed {signature.replace('-', '+').replace('_', '/')}" if signature else f"thought {text}"
            case Text(text) if text.strip():
                yield f"text {plain(text)}"
            case _:
                continue
