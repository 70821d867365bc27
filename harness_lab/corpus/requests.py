"""The recorded requests under the rules: what was accepted must keep them, what was refused must break the right one.

Every request is judged twice: with what the endpoint had said before in the same recording, and by what it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from harness.lint import Asked, Explanation, Judge, Judgement, explain, message_of, route_of
from harness.wire import WireName
from harness_lab.corpus.exchanges import Recorded
from harness_lab.corpus.other_servers import changed_since, other_refusal
from harness_lab.corpus.refusals import is_about_history

__all__ = ["Memory", "Request", "judge_requests"]

Memory = Literal["with memory", "without memory"]


@dataclass(frozen=True, slots=True)
class Request:
    """One recorded request, judged. ``message`` is what the endpoint said when it refused, ``""`` where it did not."""

    exchange: Recorded
    judgement: Judgement
    memory: Memory
    message: str = ""

    @property
    def wire(self) -> WireName:
        return self.judgement.wire

    @property
    def accepted(self) -> bool:
        return self.exchange.status < 400

    @property
    def wrongly_refused(self) -> tuple[str, ...]:
        """The certain rules against which the request was accepted, as it was sent."""
        return tuple(rule for rule in self._certain if not changed_since(self.exchange, rule)) if self.accepted else ()

    @property
    def excused(self) -> tuple[str, ...]:
        """The certain rules that it breaks only since its recorder has changed it."""
        return tuple(rule for rule in self._certain if changed_since(self.exchange, rule)) if self.accepted else ()

    @property
    def unrecognised(self) -> bool:
        """Whether no rule says why the endpoint refused the history. What only a reply shows needs memory."""
        return self.memory == "with memory" and self.continuation_error and self.explanation is None

    @property
    def continuation_error(self) -> bool:
        """Whether the endpoint refused the history, by a rule of the wire's own provider."""
        return is_about_history(self.exchange) and not other_refusal(self.exchange, self.message)

    @property
    def explanation(self) -> Explanation | None:
        """The rule that says what the endpoint said, word for word; in other words it may be another mistake."""
        found = explain(self.message, (*self.judgement.violations, *self.judgement.withheld))
        return found if found is not None and found.word_for_word else None

    @property
    def _certain(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.rule for each in self.judgement.violations if each.level == "C"))


def judge_requests(exchanges: Iterable[Recorded]) -> Iterator[Request]:
    """Every recorded request to a model, first all with memory and then all without."""
    in_order = sorted(exchanges, key=lambda exchange: (exchange.file, exchange.index))
    memories: tuple[Memory, ...] = ("with memory", "without memory")
    for memory in memories:
        for _, recording in groupby(in_order, key=lambda exchange: exchange.file):
            yield from _judged(recording, memory)


def _judged(recording: Iterable[Recorded], memory: Memory) -> Iterator[Request]:
    judge = Judge(memory=memory == "with memory")
    for exchange in recording:
        route = route_of(exchange.method, exchange.url)
        if route is None or exchange.request is None:
            continue
        kind = "text/event-stream" if exchange.streamed else exchange.headers.get("content-type", "")
        asked = Asked(route, exchange.request_headers, exchange.request, exchange.status, kind, exchange.response)
        message = message_of(exchange.response) if exchange.status >= 400 else ""
        yield Request(exchange, judge.judge(asked), memory, message)
