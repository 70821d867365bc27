"""What a message holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import entries
from harness.wire.openai_chat.rules.history import ChatHistory
from harness.wire.openai_chat.rules.table import OAC_09, OAC_10, OAC_PART
from harness.wire.openai_chat.types import listed
from harness.wire.rule import Certainty

_INSTEAD: Final = ("tool_calls", "function_call", "refusal", "audio")
"""What an assistant may say in place of content."""

_PARTS: Final = ("text", "image_url", "input_audio", "refusal", "audio", "file")
_FOREIGN: Final = frozenset(
    {"input_text", "output_text", "input_image", "input_file", "image", "document", "tool_use", "tool_result"}
)
"""Parts of the Responses and Messages APIs, which no server is known to take on Chat."""

_FOREIGN_TO_OPENAI: Final = _FOREIGN | {"thinking", "redacted_thinking", "reasoning", "functionCall"}
"""... and those that other makers may take."""


def is_image(part: Any) -> bool:
    """Whether a part of a message's content is an image."""
    return isinstance(part, dict) and part.get("type") == "image_url"


def content_is_there(history: ChatHistory) -> Iterator[Finding]:
    """OAC-09: a message that has neither content nor anything in its place."""
    for at, message in enumerate(history.messages):
        if message.get("content") is not None or _says_something_else(message):
            continue
        expected = "content, or an assistant message with tool_calls"
        got = "null" if "content" in message else "no such member"
        yield OAC_09.broken(f"messages[{at}].content", expected=expected, got=got, number=at)


def _says_something_else(message: Json) -> bool:
    return message.get("role") == "assistant" and any(message.get(name) for name in _INSTEAD)


def only_users_show_images(history: ChatHistory) -> Iterator[Finding]:
    """OAC-10: an image in a message that is not the user's."""
    for at, message in enumerate(history.messages):
        role = message.get("role")
        if role == "user" or not any(map(is_image, entries(message.get("content")))):
            continue
        expected = "text parts; images in a user message after the tool messages"
        yield OAC_10.broken(f"messages[{at}]", expected=expected, got="an image_url part", role=role)


def parts_are_of_this_wire(history: ChatHistory) -> Iterator[Finding]:
    """OAC-PART: a content part whose type belongs to another wire."""
    foreign = _FOREIGN_TO_OPENAI if history.is_strict else _FOREIGN
    certainty: Certainty | None = None if history.is_strict else "likely"
    for at, message in enumerate(history.messages):
        for number, part in enumerate(entries(message.get("content"))):
            kind = part.get("type") if isinstance(part, dict) else None
            if isinstance(kind, str) and kind in foreign:
                place, values = f"messages[{at}].content[{number}].type", listed(_PARTS)
                yield OAC_PART.broken(
                    place,
                    expected=values,
                    got=repr(kind),
                    template="foreign",
                    certainty=certainty,
                    value=kind,
                    values=values,
                )
