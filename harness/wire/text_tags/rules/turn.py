"""A turn that the endpoint has issued, as it is in a later request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.finding import Finding
from harness.ground.cached import cached_property
from harness.wire.base import Conversation, IssuedState, Json, Message, Reply
from harness.wire.lenient import objects, string
from harness.wire.rule import WireRule
from harness.wire.text_tags.results import HEADER

Found = Iterator[Finding]
"""What a check finds."""


@dataclass(frozen=True)
class ReturnedTurn:
    """An issued turn in a later request: ``messages`` begin where the turn must be and end before the next one's.

    ``natives`` are the same messages as they came, ``at`` is the first one's index.
    """

    at: int
    reply: Reply
    messages: tuple[Message, ...]
    natives: tuple[Json, ...]

    @property
    def names(self) -> list[str]:
        """The names of the issued calls."""
        return [call.name for call in self.reply.turn.calls if not call.id]

    @property
    def is_back(self) -> bool:
        """Whether the model's message is there."""
        return self.messages[0].role == "assistant"

    @property
    def has_calls(self) -> bool:
        """Whether the model's message is there, and has called something."""
        return self.is_back and bool(self.names)

    @cached_property
    def results(self) -> list[int]:
        """The numbers of the messages with results."""
        return [number for number, message in enumerate(self.messages) if is_results(message)]

    def place(self, number: int) -> str:
        """Where a message is: ``messages[2]``."""
        return f"messages[{self.at + number}]"

    def text(self, number: int) -> str:
        """The text of a message."""
        content = self.natives[number].get("content")
        return string(content) or "".join(string(part.get("text")) for part in objects(content))

    def broken(self, rule: WireRule, number: int, template: str, expected: str, got: str) -> Finding:
        """A rule, broken by a message."""
        return rule.broken(self.place(number), expected=expected, got=got, template=template)


def returned(conversation: Conversation, issued: IssuedState) -> Iterator[ReturnedTurn]:
    """The issued turns that this request continues, without turns that an earlier request has shown in the same form.

    A turn follows the history that it answered. The rules on histories judge a turn that ended in an error, was asked
    for again, has moved, or is missing together with its results: a caller may remove, move or replace a turn.
    """
    starts = [len(asked.messages) for asked, _ in issued.turns]
    for number, (_, reply) in enumerate(issued.turns):
        at = starts[number]
        following = issued.turns[number + 1][0].messages if number + 1 < len(starts) else ()
        end = min([len(conversation.messages), *(start for start in starts[number + 1 :] if start >= at)])
        messages = conversation.messages[at:end]
        if not messages or not reply.complete or (following and following[at:end] == messages):
            continue
        if is_results(messages[0]) and conversation.messages[at - 1].role == "assistant":
            continue
        if reply.turn.calls and not messages[0].calls and not any(map(is_results, messages)):
            continue
        yield ReturnedTurn(at, reply, messages, tuple(conversation.body["messages"][at:end]))


def is_results(message: Message) -> bool:
    """Whether a message contains results, read as such or not."""
    return message.role == "user" and (bool(message.results) or message.text.startswith(f"{HEADER}\n\n["))


def quoted(text: str, at: int = 0) -> str:
    """A text as a finding shows it, from a place on."""
    before, after = "…" if at else "", "…" if len(text) > 80 else ""
    return repr(f"{before}{text[:80]}{after}")
