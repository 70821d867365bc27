"""What a request adds to the previous one: the model's turn as it went back, and all the rest.

Histories are compared in neutral words and part by part, so it does not matter how a wire groups parts into
messages.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from harness.ground.cached import cached_property
from harness.rules.turns import Ask
from harness.wire import Call, Conversation, Message, Opaque, Part, Result, Text, ThinkingPart, wire
from harness.wire.characters import sendable
from harness.wire.json_text import strict

Entry = tuple[Message, Part | Result | Opaque]


@dataclass(frozen=True)
class Step:
    """A request that goes on after a reply.

    ``answered`` got the reply, ``ask`` goes on. ``before`` and ``after`` are their histories. ``parting`` is the
    first place where ``after`` differs from ``before``; None if it begins with ``before``. ``orders`` are both system
    prompts if they differ; ``after`` then has the system prompt of ``before``, so that the rest can be compared.
    ``has_others``: behind the turn there may be answers that are not this model's, but the program's or another
    provider's.
    """

    answered: Ask
    ask: Ask
    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    parting: int | None
    orders: tuple[str, str] | None = None
    has_others: bool = False

    @cached_property
    def whole(self) -> bool:
        """The step follows a turn whose calls may be run, and the history was only added to."""
        return self.answered.runnable and self.parting is None

    @cached_property
    def added(self) -> tuple[Entry, ...]:
        """What follows the history of the previous request, without actions of the provider's own agent, and without
        turns of others."""
        added = self.after[len(self.before) :]
        done = self.answered.reply.done_calls if self.answered.reply else None
        if not self.has_others:
            return tuple(_without(added, done)) if done else added
        turn = {plain_text(part.text) for part in self.came if isinstance(part, Text)}
        own = {*turn, *(call.id or "" for call in self.answered.calls), *(done or ())}
        return _until_another_turn(tuple(_without(added, done)) if done else added, own, len(self.answered.calls))

    @cached_property
    def came(self) -> tuple[Part, ...]:
        """The parts of the model's turn as they came."""
        return self.answered.turn.parts

    @cached_property
    def went(self) -> tuple[Part, ...]:
        """The parts of the model's turn as they went back."""
        return parts_of_the_model(self.added)


def _until_another_turn(added: tuple[Entry, ...], own: Collection[str], calls: int) -> tuple[Entry, ...]:
    """The entries up to the next turn of the model: one behind a text of the user, or behind the results of all calls.
    It has answered something else, and need not be of this model: programs and other providers answer, too. What is of
    this turn is so wherever it is: ``own`` are its texts and the ids of its calls."""
    results = 0
    has_turn = is_over = False
    for at, (message, part) in enumerate(added):
        if message.role == "assistant" and not isinstance(part, Result):
            if is_over and _name(part) not in own:
                return added[:at]
            has_turn = True
            continue
        results += isinstance(part, Result)
        is_asked = is_question(message) and isinstance(part, Text) and bool(part.text.strip())
        is_over = has_turn and (is_over or is_asked or 0 < calls <= results)
    return added


def _name(part: Part | Opaque) -> str:
    """A name that identifies a part of the model's turn."""
    match part:
        case Call():
            return part.id or ""
        case Text():
            return plain_text(part.text)
        case _:
            return "\0"


def _without(added: Iterable[Entry], done: Collection[str]) -> Iterator[Entry]:
    """The entries without the first call and the first result of each of these ids."""
    left_out = set[tuple[type, str | None]]()
    for message, part in added:
        if isinstance(part, Call | Result) and part.id in done and (type(part), part.id) not in left_out:
            left_out.add((type(part), part.id))
        else:
            yield message, part


def steps(continuations: Sequence[tuple[Ask, Ask]], *, has_others: bool = False) -> Iterator[Step]:
    """The steps of a run, given its pairs of (request that got a reply, request that goes on)."""
    entries: dict[int, tuple[Entry, ...]] = {}
    for answered, ask in continuations:
        before, after = (entries.setdefault(each.number, entries_of(each.full)) for each in (answered, ask))
        first, second = _orders(before), _orders(after)
        orders = None
        if second and [part for _, part in first] != [part for _, part in second]:
            texts = _whole_text(first), _whole_text(second)
            orders = texts if first and letters(texts[0]) != letters(texts[1]) else None
            after = (*first, *after[len(second) :])
        yield Step(answered, ask, before, after, _parting(before, after), orders, has_others)


def _orders(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The texts of the system prompt, with which a history begins."""
    return tuple(takewhile(lambda entry: entry[0].role == "system" and isinstance(entry[1], Text), entries))


def _whole_text(entries: Iterable[Entry]) -> str:
    return "\n".join([part.text for _, part in entries if isinstance(part, Text)])


def entries_of(conversation: Conversation | None) -> tuple[Entry, ...]:
    """The history part by part, without cache marks for the provider: they mean nothing to the model."""
    assert conversation is not None  # noqa: S101 - requests that cannot be read continue nothing
    marks = wire(conversation.wire).cache_marks
    entries = ((message, part) for message in conversation.messages for part in message.parts)
    return tuple([entry for entry in entries if not (isinstance(entry[1], Opaque) and entry[1].kind in marks)])


def is_question(message: Message) -> bool:
    """Whether the user says something, and does not only send results."""
    return message.role == "user" and bool(message.text.strip()) and not message.results


def parts_of_the_model(entries: Sequence[Entry]) -> tuple[Part, ...]:
    """What the model says in them."""
    parts = [part for message, part in entries if message.role == "assistant"]
    return tuple([part for part in parts if not isinstance(part, Result | Opaque)])


def _parting(before: Sequence[Entry], after: Sequence[Entry]) -> int | None:
    for at, (message, part) in enumerate(before):
        if at >= len(after):
            return at
        other, other_part = after[at]
        if message.role != other.role or (part != other_part and _plain(part) != _plain(other_part)):
            return at
    return None


def _plain(part: Part | Result | Opaque) -> Any:
    """A part in the form in which two spellings of the same thing are equal."""
    match part:
        case Call():
            arguments = canonical_arguments(part.arguments)
            return replace(part, arguments=arguments, signature=canonical_signature(part.signature))
        case Text() | ThinkingPart():
            return replace(part, signature=canonical_signature(part.signature))
        case _:
            return part


def canonical_arguments(arguments: str) -> str:
    """The arguments as JSON in one spelling, without halves of surrogate pairs; other text stays unchanged."""
    try:
        return sendable(json.dumps(json.loads(arguments.strip() or "{}"), sort_keys=True, ensure_ascii=False))
    except (ValueError, RecursionError):
        return arguments


def canonical_signature(signature: str) -> str:
    """Base64 in one alphabet: an SDK may answer in the URL-safe one."""
    return signature.replace("-", "+").replace("_", "/").rstrip("=")


def plain_text(text: str) -> str:
    """The text as it can be sent, its white space in one spelling."""
    return " ".join(sendable(text).split())


def letters(text: str) -> str:
    """The text without white space. What came as one message may go back as several, which part its words."""
    return "".join(sendable(text).split())


def can_go_back(arguments: str) -> bool:
    """Whether every wire can carry these arguments: an object without NaN and the like, which are no JSON."""
    try:
        return isinstance(strict(arguments.strip() or "{}"), dict)
    except (ValueError, RecursionError):
        return False
