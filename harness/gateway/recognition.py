"""What of a request its conversation is recognised by: how it opens, and what of the model's it sends back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from harness.cached import cached_property
from harness.wire import Call, Conversation, Message, Opaque, Reply, Text, ThinkingPart
from harness.wire.output_format import demanded_schema

__all__ = ["TAG", "Opening", "RecognisedRequest", "is_certain", "marks_of", "marks_of_reply", "plain", "tagged"]

Opening = tuple[str, str]
"""The system prompt and the first user message of a request, white space made equal."""


class RecognisedRequest:
    """A request as it was read, and what its conversation is recognised by: found when it is first wanted."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation

    @cached_property
    def opening(self) -> Opening:
        """A system message behind the first of the user is part of what follows."""
        system: list[str] = []
        for message in self.conversation.messages:
            if message.role == "user" and (text := plain(message.text)):
                return plain(" ".join(system)), text
            if message.role == "system":
                system.append(message.text)
        return plain(" ".join(system)), ""

    @cached_property
    def is_fresh(self) -> bool:
        """Whether the request sends nothing of a model's back."""
        return self.conversation.continues is None and all(
            message.role in ("system", "user") and not message.results for message in self.conversation.messages
        )

    @cached_property
    def tools(self) -> frozenset[str]:
        """The names of the tools that it offers."""
        return frozenset(tool.name for tool in self.conversation.tools)

    @cached_property
    def prompt(self) -> str:
        """All that is said by others than the model."""
        return self._text("system", "user")

    @cached_property
    def system(self) -> str:
        """The text of the system prompt, white space reduced."""
        return self._text("system")

    @cached_property
    def user(self) -> str:
        """The text of the user's messages, white space reduced."""
        return self._text("user")

    @property
    def wants_json(self) -> bool:
        """Whether the answer must be JSON: a title request does, an agent's own does not as long as it has no tools."""
        return demanded_schema(self.conversation.body) is not None

    def marks(self) -> Iterator[str]:
        """All that it sends back of the model's or names, what is latest first, and results of calls last."""
        if self.conversation.continues is not None:
            yield f"reply {self.conversation.continues}"
        for kind in ("assistant", "tool"):
            for message in reversed(self.conversation.messages):
                if (message.role == "assistant") is (kind == "assistant"):
                    yield from marks_of(message, kind)

    def _text(self, *roles: str) -> str:
        return plain(" ".join([each.text for each in self.conversation.messages if each.role in roles]))


def plain(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


# --- what of the model's it sends back -----------------------------------------------------------------------------

TAG: Final = re.compile(r"\[([0-9a-f]{8})\]")
"""By what a text of the automatic model is recognised."""

_CERTAIN: Final = ("reply ", "id ", "signed ", "tag ")
"""How the marks begin of what nobody else writes by chance."""


def tagged(text: str, tag: str) -> str:
    """The text with a tag of eight hexadecimal digits, by which it is recognised in whatever a loop makes of it."""
    return f"{text} [{tag}]"


def is_certain(mark: str) -> bool:
    """Whether only the endpoint itself can have written what has this mark; texts may be alike by chance."""
    return mark.startswith(_CERTAIN)


def marks_of_reply(reply: Reply) -> Iterator[str]:
    """Yield the marks by which a reply is recognised when a request sends it back: its id, parts and text."""
    if reply.id:
        yield f"reply {reply.id}"
    yield from _marks_of_parts(reply.turn.parts)
    for item in reply.items:  # some clients name a call by the id of its item
        yield from _marks_of_native(item)
    yield from _marks_of_text(reply.turn.text)


def marks_of(message: Message, kind: str) -> Iterator[str]:
    """By what a message is recognised: of the model's own parts, or of the results of its calls."""
    if kind == "tool":
        yield from (f"id {result.id}" for result in message.results if result.id)
    elif message.role == "assistant":
        yield from _marks_of_parts(message.parts)
        yield from _marks_of_text(message.text)


def _marks_of_text(text: str) -> Iterator[str]:
    if text and not text.isspace():
        yield f"text {plain(text)}"
        if "[" in text:
            yield from (f"tag {tag}" for tag in TAG.findall(text))


def _marks_of_parts(parts: Iterable[object]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Call | Text | ThinkingPart) and part.signature:
            yield _signed(part.signature)
        match part:
            case Call(id=id):  # a client may make ids up, or leave them out, where the provider takes that
                yield f"call {part.name} {plain(part.arguments)}"
                if id:
                    yield f"id {id}"
            case ThinkingPart(text=text, signature="") if text:
                yield f"thought {text}"
            case Text(text):
                yield from _marks_of_text(text)
            case Opaque(native=native):
                yield from _marks_of_native(native)
            case _:
                continue


def _marks_of_native(native: object) -> Iterator[str]:
    """The id of a native item, and what of it is encrypted."""
    if isinstance(native, dict):
        if isinstance(id := native.get("id"), str) and id:
            yield f"id {id}"
        if isinstance(encrypted := native.get("encrypted_content"), str) and encrypted:
            yield _signed(encrypted)


def _signed(signature: str) -> str:
    return f"signed {signature.replace('-', '+').replace('_', '/').rstrip('=')}"
