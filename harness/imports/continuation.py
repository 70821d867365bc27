"""The part that a request adds to the one before: the model's turn, the results of its calls, and other messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from harness.wire import Call, Conversation, Message, Opaque, Part, Refusal, Result, Text, ThinkingPart


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """A turn of the model in a history, in a form that can be compared.

    Text and thinking are joined, because wires and servers cut them differently. ``proofs`` are signatures and
    encrypted reasoning, ``others`` the kinds of the parts without a neutral word. ``order`` is the order of texts and
    calls, with repetitions as one.
    """

    text: str
    thinking: str
    calls: tuple[Call, ...]
    proofs: tuple[str, ...]
    others: tuple[str, ...]
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Continuation:
    """The parts of a request that follow the history of the one before.

    ``turn`` is None if the request names the model's turn and does not send it. ``beside`` are the parts without words
    in the messages of results, and ``messages`` the other messages; ``again`` is true if another turn of the model
    follows these.
    """

    turn: ModelTurn | None
    results: tuple[Result, ...]
    beside: tuple[Opaque, ...]
    extra: str
    messages: tuple[Message, ...]
    again: bool

    @classmethod
    def of(cls, messages: Sequence[Message], *, named: bool) -> Continuation:
        """The continuation in ``messages``; ``named``: they do not contain the turn."""
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
    """Whether a message is the model's. That includes messages of a built-in tool, which runs where the model does."""
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
    """How many turns of the model there are: a turn begins when the model goes on after a result or words of the user.

    Responses may have each result right after its call. A call that follows a result is no turn of its own then, so
    only messages of the user, or a text, count.
    """
    turns, spoken = 0, True
    for message in messages:
        if message.role == "assistant":
            turns += spoken
            spoken = False
        elif not message.results:
            spoken = True
    return turns
