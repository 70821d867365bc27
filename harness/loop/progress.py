"""The progress of a run: its history in neutral values, and its counts."""

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
    """The input of the model since its last turn: first the ``results``, then the ``texts``.

    ``texts`` are (role, text) pairs: the prompt, or what tools and callers added. ``native`` are a caller's
    messages in the provider's own form. A paused turn is followed by an empty request.
    """

    results: tuple[CallResult, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    native: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ResponseStep:
    """The model's answer."""

    turn: ProviderTurn


Step = RequestStep | ResponseStep


class Progress:
    """The counts of one run, and its history: request, response, request, response ...

    ``next`` is the request that has not been sent. ``failing`` counts, for each tool that failed in the last turn, its
    consecutive turns with a failure. ``retries`` counts all retries of a tool. ``announced`` are the calls of the
    arriving turn, id to name, whose beginning was emitted and whose end was not; None while no turn is arriving.
    ``turns_before`` counts the turns of earlier runs of the conversation, because ids of texts continue over all runs.
    ``tokens_sent`` is the number of tokens in the last answered request.
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
        """Add the results of the last turn. Extra texts of tools follow all results."""
        extras = tuple(("user", each.extra) for each in call_results if each.extra)
        self.next = replace(self.next, results=tuple(call_results), texts=(*extras, *self.next.texts))

    def pushed(self, role: str, text: str) -> None:
        """Add a message to the next request."""
        self.next = replace(self.next, texts=(*self.next.texts, (role, text)))

    def pushed_native(self, message: Any) -> None:
        """Add a message in the provider's own form to the next request."""
        self.next = replace(self.next, native=(*self.next.native, message))


def sum_of(one: Usage, other: Usage) -> Usage:
    """The sum of both."""
    return Usage(
        one.input + other.input, one.output + other.output, one.reasoning + other.reasoning, one.cached + other.cached
    )
