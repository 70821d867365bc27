"""What a request adds to the one before: the model's turn, the results of its calls, and what else was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from harness.wire import Call, Conversation, Message, Opaque, Part, Refusal, Result, Text, ThinkingPart


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """A turn of the model as a history has it, in a form that can be compared.

    Text and thinking are joined, because wires and servers cut them differently. ``proofs`` are signatures and
    encrypted reasoning, ``others`` the kinds of the parts without a neutral word. ``order`` is that of texts and calls,
    each run of equal ones once.
    """

    text: str
    thinking: str
    calls: tuple[Call, ...]
    proofs: tuple[str, ...]
    others: tuple[str, ...]
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Continuation:
    """What a request has behind the history of the one before, in its parts.

    ``turn`` is None where the request names the model's turn and does not send it. ``beside`` are the parts without
    words in the messages of results, and ``messages`` the other messages; ``again`` says that the model has a
    turn behind these, too.
    """

    turn: ModelTurn | None
    results: tuple[Result, ...]
    beside: tuple[Opaque, ...]
    extra: str
    messages: tuple[Message, ...]
    again: bool

    @classmethod
    def of(cls, messages: Sequence[Message], *, named: bool) -> Continuation:
        """The continuation that the ``messages`` are; ``named``: they are without the turn."""
        turn = [message for message in messages if _is_of_the_model(message)]
        rest = [message for message in messages if not _is_of_the_model(message)]
        answers = [message for message in rest if message.results]
        beside = [part for message in answers for part in message.parts if isinstance(part, Opaque)]
        return cls(
            None if named else model_turn([part for message in turn for part in message.parts]),
            tuple(result for message in answers for result in message.results),
            tuple(beside),
            "".join(message.text for message in answers),
            tuple(message for message in rest if not message.results),
            _turns(messages) > 1,
        )


def history(conversation: Conversation) -> list[Message]:
    """The messages without instructions."""
    return [message for message in conversation.messages if message.role != "system"]


def _is_of_the_model(message: Message) -> bool:
    """Whether a message is the model's: that of a built-in tool is, which runs where the model does."""
    return message.role == "assistant" or (message.role == "tool" and not message.results)


def model_turn(parts: Sequence[Part | Result | Opaque]) -> ModelTurn:
    """The turn that ``parts`` say."""
    return ModelTurn(
        "".join(part.text for part in parts if isinstance(part, Text | Refusal)),
        "".join(part.text for part in parts if isinstance(part, ThinkingPart)),
        tuple(part for part in parts if isinstance(part, Call)),
        tuple(_proofs(parts)),
        tuple(part.kind for part in parts if isinstance(part, Opaque)),
        tuple(kind for kind, _ in groupby(_kinds(parts))),
    )


def _kinds(parts: Sequence[Part | Result | Opaque]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Text | Refusal) and part.text:
            yield "text"
        elif isinstance(part, Call):
            yield "call"


def _proofs(parts: Sequence[Part | Result | Opaque]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Text | ThinkingPart | Call) and part.signature:
            yield part.signature


def _turns(messages: Sequence[Message]) -> int:
    """How many turns of the model: another one begins where it goes on behind a result or words of the user.

    Responses may have each result right behind its call; then a call follows a result and is no turn of its own, so
    only what the user sends in between, or a text, counts.
    """
    turns, spoken = 0, True
    for message in messages:
        if message.role == "assistant":
            turns += spoken
            spoken = False
        elif not message.results:
            spoken = True
    return turns
