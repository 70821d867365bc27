"""What a run has done so far: its history in neutral words, and its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.loop.session import CallResult, ProviderTurn
from harness.wire import Usage

NO_USAGE = Usage(input=0, output=0)


@dataclass(frozen=True, slots=True)
class RequestStep:
    """What the model has received since its last turn: first the ``results``, then the ``texts``.

    ``texts`` are (role, text) pairs: the prompt, or what tools and callers added. ``native`` are a caller's
    messages in the provider's own form. A paused turn is followed by an empty request.
    """

    results: tuple[CallResult, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    native: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ResponseStep:
    """What the model answered."""

    turn: ProviderTurn


Step = RequestStep | ResponseStep


class Progress:
    """The counts of one run, and its history: request, response, request, response ...

    ``next`` is the request that has not been sent. ``failing`` counts, for tools that failed in the last turn, the
    turns running in which they did; ``retries`` all the times that a tool was asked for again. ``announced`` are the
    calls of the turn that arrives, id to name, whose beginning was emitted and whose end was not; None while no turn
    is on its way. ``turns_before`` are those of earlier runs of the conversation: ids of texts are counted over all.
    ``tokens_sent`` are those of the last request that was answered.
    """

    def __init__(self, prompt: Sequence[tuple[str, str]] = (), turns_before: int = 0) -> None:
        self.turns = 0
        self.turns_before = turns_before
        self.requests = 0
        self.usage = NO_USAGE
        self.tokens_sent = 0
        self.history: list[Step] = []
        self.next = RequestStep(texts=tuple(prompt))
        self.failing: dict[str, int] = {}
        self.retries: Counter[str] = Counter()
        self.announced: Mapping[str, str] | None = None

    def received(self, turn: ProviderTurn) -> None:
        """The model has answered the next request."""
        self.history += [self.next, ResponseStep(turn)]
        self.next = RequestStep()
        self.usage = sum_of(self.usage, turn.usage)
        self.tokens_sent = turn.usage.input
        self.announced = None

    def answered(self, call_results: Sequence[CallResult]) -> None:
        """The results of the last turn are known; what tools said beside them follows all of them."""
        extras = tuple(("user", each.extra) for each in call_results if each.extra)
        self.next = replace(self.next, results=tuple(call_results), texts=(*extras, *self.next.texts))

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
