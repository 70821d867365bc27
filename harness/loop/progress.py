"""What a run has done so far: its history in neutral words, and its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.loop.session import Executed, ProviderTurn
from harness.wire import Usage

__all__ = ["NO_USAGE", "Progress", "Request", "Response", "Step", "sum_of"]

NO_USAGE = Usage(input=0, output=0)


@dataclass(frozen=True, slots=True)
class Request:
    """What the model was given since its last turn: first the ``results``, then the ``texts``.

    ``texts`` are (role, text) pairs: the prompt, or what tools and callers added. ``native`` are a caller's
    messages in the provider's own form. A paused turn is followed by an empty request.
    """

    results: tuple[Executed, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    native: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """What the model answered."""

    turn: ProviderTurn


Step = Request | Response


class Progress:
    """The counts of one run, and its history: request, response, request, response ...

    ``next`` is the request that has not been sent. ``failing`` counts, for tools that failed in the last turn, the
    turns running in which they did; ``retries`` all the times that a tool was asked for again.
    """

    def __init__(self, prompt: Sequence[tuple[str, str]] = ()) -> None:
        self.turns = 0
        self.requests = 0
        self.usage = NO_USAGE
        self.history: list[Step] = []
        self.next = Request(texts=tuple(prompt))
        self.failing: dict[str, int] = {}
        self.retries: Counter[str] = Counter()

    def received(self, turn: ProviderTurn) -> None:
        """The model has answered the next request."""
        self.history += [self.next, Response(turn)]
        self.next = Request()
        self.usage = sum_of(self.usage, turn.usage)

    def answered(self, executed: Sequence[Executed]) -> None:
        """The results of the last turn are known; what tools said beside them follows all of them."""
        extras = tuple(("user", each.extra) for each in executed if each.extra)
        self.next = replace(self.next, results=tuple(executed), texts=(*extras, *self.next.texts))

    def pushed(self, role: str, text: str) -> None:
        """A message is added to what the model is sent next."""
        self.next = replace(self.next, texts=(*self.next.texts, (role, text)))

    def pushed_native(self, message: Any) -> None:
        """A message in the provider's own form is added to what the model is sent next."""
        self.next = replace(self.next, native=(*self.next.native, message))


def sum_of(one: Usage, other: Usage) -> Usage:
    """The tokens of both together."""
    return Usage(
        one.input + other.input, one.output + other.output, one.reasoning + other.reasoning, one.cached + other.cached
    )
