"""By what a request's conversation is recognised: how it opens, and which model output it sends back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from harness.ground.cached import cached_property
from harness.wire import Call, Conversation, Message, Opaque, Reply, Text, ThinkingPart
from harness.wire.output_format import demanded_schema

Opening = tuple[str, str]
"""The system prompt and the first user message of a request, with normalised white space."""


class RecognisedRequest:
    """A parsed request, and by what its conversation is recognised (computed on first use)."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self._marks: dict[int, Sequence[str]] = {}

    @cached_property
    def opening(self) -> Opening:
        """The opening. A system message after the first user message is not part of it."""
        system: list[str] = []
        for message in self.conversation.messages:
            if message.role == "user" and (text := plain(message.text)):
                return plain(" ".join(system)), text
            if message.role == "system":
                system.append(message.text)
        return plain(" ".join(system)), ""

    @cached_property
    def is_fresh(self) -> bool:
        """Whether the request sends no model output back."""
        return self.conversation.continues is None and all(
            message.role in ("system", "user") and not message.results for message in self.conversation.messages
        )

    @cached_property
    def tools(self) -> frozenset[str]:
        """The names of the tools that it offers."""
        return frozenset(tool.name for tool in self.conversation.tools)

    @cached_property
    def prompt(self) -> str:
        """All text that is not the model's."""
        return self._text("system", "user")

    @cached_property
    def system(self) -> str:
        """The text of the system prompt, with normalised white space."""
        return self._text("system")

    @cached_property
    def user(self) -> str:
        """The text of the user's messages, with normalised white space."""
        return self._text("user")

    @property
    def wants_json(self) -> bool:
        """Whether the answer must be JSON. A request for a title demands that; an agent without tools does not."""
        return demanded_schema(self.conversation.body) is not None

    def marks(self) -> Iterator[str]:
        """The marks of all model output that it sends back or names: the latest first, results of calls last."""
        if self.conversation.continues is not None:
            yield f"reply {self.conversation.continues}"
        for places in self.places:
            for place in places:
                yield from self.marks_at(place)

    @cached_property
    def places(self) -> tuple[Sequence[int], Sequence[int]]:
        """The indexes of the model's messages and of messages that may have results of calls, each the latest first."""
        model: list[int] = []
        others: list[int] = []
        for place in range(len(self.conversation.messages) - 1, -1, -1):
            (model if self.conversation.messages[place].role == "assistant" else others).append(place)
        return model, others

    def marks_at(self, place: int) -> Sequence[str]:
        """The marks of the message at this index."""
        found = self._marks.get(place)
        if found is None:
            found = self._marks[place] = marks_of(self.conversation.messages[place])
        return found

    def _text(self, *roles: str) -> str:
        return plain(" ".join([each.text for each in self.conversation.messages if each.role in roles]))


def plain(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


# --- which model output it sends back ------------------------------------------------------------------------------

TAG: Final = re.compile(r"\[([0-9a-f]{8})\]")
"""The tag in a text of the automatic model, by which the text is recognised."""

_CERTAIN: Final = ("reply ", "id ", "signed ", "tag ")
"""The beginnings of marks that nobody else produces by chance."""


def tagged(text: str, tag: str) -> str:
    """The text with a tag of eight hexadecimal digits, by which it is recognised even if a loop changes it."""
    return f"{text} [{tag}]"


def is_certain(mark: str) -> bool:
    """Whether only the endpoint can have produced this mark; the marks of texts may be equal by chance."""
    return mark.startswith(_CERTAIN)


def marks_of_reply(reply: Reply) -> Sequence[str]:
    """Return the marks by which a reply is recognised when a request sends it back: its id, parts and text."""
    found = [f"reply {reply.id}"] if reply.id else []
    for item in reply.items:  # some clients name a call by the id of its item
        found += _marks_of_native(item)
    return found + _marks_of_turn(reply.turn.parts, reply.turn.text)


def marks_of(message: Message) -> Sequence[str]:
    """The marks of a message: of the model's own parts, or of the results of its calls."""
    if message.role == "assistant":
        return _marks_of_turn(message.parts, message.text)
    return [f"id {result.id}" for result in message.results if result.id]


def _marks_of_turn(parts: Sequence[object], text: str) -> list[str]:
    """The marks of each part, and of the text that a loop may have joined; each mark once."""
    found = [mark for part in parts for mark in _marks_of_part(part)]
    if len(parts) > 1:
        found += [mark for mark in _marks_of_text(text) if mark not in found]
    return found


def _marks_of_part(part: object) -> list[str]:
    match part:
        case Call():  # a client may make ids up, or leave them out, where the provider takes that
            found = [f"id {part.id}"] if part.id else []
            found.append(f"call {part.name} {plain(part.arguments)}")
        case Text():
            found = _marks_of_text(part.text)
        case ThinkingPart():
            found = [f"thought {part.text}"] if part.text and not part.signature else []
        case Opaque():
            return _marks_of_native(part.native)
        case _:
            return []
    return [_signature_mark(part.signature), *found] if part.signature else found


def _marks_of_text(text: str) -> list[str]:
    if not text or text.isspace():
        return []
    found = [f"tag {tag}" for tag in TAG.findall(text)] if "[" in text else []
    return found or [f"text {plain(text)}"]


def _marks_of_native(native: object) -> list[str]:
    """The marks of a native item: its id and its encrypted content."""
    found = []
    if isinstance(native, dict):
        if isinstance(id := native.get("id"), str) and id:
            found.append(f"id {id}")
        if isinstance(encrypted := native.get("encrypted_content"), str) and encrypted:
            found.append(_signature_mark(encrypted))
    return found


def _signature_mark(signature: str) -> str:
    return f"signed {signature.replace('-', '+').replace('_', '/').rstrip('=')}"
