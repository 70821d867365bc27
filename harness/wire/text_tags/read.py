"""Chat requests read as conversations in the text protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import is_

from harness.wire.base import Conversation, Message, Result
from harness.wire.openai_chat.read import read as read_chat
from harness.wire.text_tags.results import read_results
from harness.wire.text_tags.words import read_message
from harness.wire.turn import Call, Text


def read(body: bytes, before: Conversation | None = None) -> Conversation:
    """Read a request. Raises ``UnreadableRequest`` as the Chat wire does.

    The system prompt describes the tools in the loop's words, so ``tools`` has only tools that are also declared. A
    user message is read as results only where it directly follows calls. Messages that this request shares with the
    beginning of ``before``, an earlier request, are not read again.
    """
    asked = read_chat(body, before)
    known = _known(asked.messages, () if before is None else before.messages)
    return replace(asked, wire="text-tags", messages=(*known, *_messages(asked.messages[len(known) :], known)))


def _known(messages: Sequence[Message], before: Sequence[Message]) -> Sequence[Message]:
    """The messages that the Chat wire has reused from the earlier request: they are already read in this protocol."""
    is_taken_over = len(before) <= len(messages) and all(map(is_, messages, before))
    return before if is_taken_over else ()


def _messages(messages: Sequence[Message], known: Sequence[Message]) -> Iterator[Message]:
    """The messages after the ``known`` ones."""
    names = [call.name for call in known[-1].calls if not call.id] if known and known[-1].role == "assistant" else []
    for message in messages:
        if message.role == "assistant":
            read = Message(message.role, read_message(message.parts), message.at)
            names = [call.name for call in read.calls if not call.id]
        else:
            read = _with_results(message, names) if names and message.role == "user" else message
            names = []
        yield read


def _with_results(message: Message, names: Sequence[str]) -> Message:
    entries = read_results(message.text, names)
    if entries is None:
        return message
    results = (Result("", text, name) for name, text in entries.results)
    others = (part for part in message.parts if not isinstance(part, Text | Call))
    return replace(message, parts=(*results, *others))
