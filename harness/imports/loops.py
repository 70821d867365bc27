"""Finds loops among recorded exchanges: sequences of requests that each continue the history of an earlier one.

Loops may interleave in a file, and one may be spread over the files of a group. Only the neutral content of the
requests decides what belongs together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from harness.cassette.forms import Response
from harness.cassette.recordings.as_sent import as_sent
from harness.cassette.recordings.recording import RecordedExchange
from harness.wire import Call, Conversation, NativeWireName, Reply, Route, UnreadableRequest, route_of, wire


@dataclass(frozen=True, slots=True)
class LoopStep:
    """One recorded request to a model with its answer, read.

    ``responses`` is the answer as its server sent it: nearly always one, none if nothing was kept. ``reply`` is None if
    the answer is no turn.
    """

    exchange: RecordedExchange
    asked: Conversation
    responses: tuple[Response, ...]
    reply: Reply | None


@dataclass(frozen=True, slots=True)
class RecordedLoop:
    """The steps of one loop in their order.

    ``earlier`` is a recorded request of the same conversation whose history the first step does not continue; None if
    the first step begins the conversation, or its beginning was not recorded.
    """

    wire: NativeWireName
    steps: tuple[LoopStep, ...]
    earlier: LoopStep | None = None

    @property
    def name(self) -> str:
        """The names of its first and last exchange in one."""
        first, last = self.steps[0].exchange, self.steps[-1].exchange
        end = f"-{last.index}" if last.file == first.file else f" - {last.name}"
        return first.name + (end if len(self.steps) > 1 else "")


@dataclass(slots=True)
class Outside:
    """Exchanges that belong to no loop, counted by wire: without a request, unreadable, a single question, or a request
    that was refused at the end of a loop of several."""

    no_request: dict[NativeWireName, int] = field(default_factory=dict)
    unreadable: dict[NativeWireName, int] = field(default_factory=dict)
    alone: dict[NativeWireName, int] = field(default_factory=dict)
    refused: dict[NativeWireName, int] = field(default_factory=dict)


def find_loops(exchanges: Iterable[RecordedExchange]) -> tuple[list[RecordedLoop], Outside]:
    """The loops in the order in which they begin, and the exchanges outside of loops.

    A single request is a loop, too, if its history shows earlier ones.
    """
    outside = Outside()
    steps = [(_scope(exchange), step) for exchange in exchanges if (step := _step(exchange, outside))]
    loops: list[RecordedLoop] = []
    for _, scoped in groupby(sorted(steps, key=lambda each: each[0]), key=lambda each: each[0]):
        loops += _loops([step for _, step in scoped], outside)
    return loops, outside


def _scope(exchange: RecordedExchange) -> tuple[str, str]:
    return exchange.group or exchange.file, exchange.wire or ""


def _step(exchange: RecordedExchange, outside: Outside) -> LoopStep | None:
    name = exchange.wire
    if name is None:
        return None
    if exchange.request is None:
        _count(outside.no_request, name)
        return None
    route = route_of(exchange.method, exchange.url) or Route(name)
    try:
        asked = wire(name).read(route, exchange.request, exchange.request_headers)
    except UnreadableRequest:
        _count(outside.unreadable, name)
        return None
    responses = tuple(as_sent(exchange, name)[0]) if exchange.response else ()
    return LoopStep(exchange, asked, responses, _reply(name, responses))


def _count(counts: dict[NativeWireName, int], name: NativeWireName) -> None:
    counts[name] = counts.get(name, 0) + 1


def _reply(name: NativeWireName, responses: Sequence[Response]) -> Reply | None:
    if len(responses) != 1 or responses[0].status >= 400:
        return None
    kind = "text/event-stream" if responses[0].streamed else "application/json"
    try:
        return wire(name).parse(kind, responses[0].body)
    except ValueError:
        return None


_SHORTEST: Final = 2
"""Steps of a loop that goes on at all."""


# --- what goes on with what -----------------------------------------------------------------------------------


HistoryEntry = tuple[object, ...]


def history_entries(conversation: Conversation) -> tuple[HistoryEntry, ...]:
    """The history without places, and without instructions, which a loop may write anew for every request."""
    return tuple((each.role, each.parts) for each in conversation.messages if each.role != "system")


def _loops(steps: Sequence[LoopStep], outside: Outside) -> Iterator[RecordedLoop]:
    """The loops among the requests of one scope, which are of one wire and in order."""
    before: dict[int, int] = {}
    followed: set[int] = set()
    histories = [history_entries(step.asked) for step in steps]
    for number, step in enumerate(steps):
        found = _before(number, step, steps, histories, followed)
        if found is not None:
            before[number] = found
            followed.add(found)
    for number, step in enumerate(steps):
        if number in followed:
            continue
        chain = [number]
        while chain[0] in before:
            chain.insert(0, before[chain[0]])
        if len(chain) > _SHORTEST and step.exchange.status >= 400:
            _count(outside.refused, _wire_of(step))
            chain.pop()
        first = steps[chain[0]]
        if len(chain) == 1 and not _has_past(first.asked):
            _count(outside.alone, _wire_of(step))
            continue
        earlier = _earlier(chain[0], steps, histories) if _has_past(first.asked) else None
        yield RecordedLoop(_wire_of(step), tuple(steps[each] for each in chain), earlier)


def _wire_of(step: LoopStep) -> NativeWireName:
    name = step.exchange.wire
    assert name is not None  # noqa: S101 - a step is made of nothing else
    return name


def _before(
    number: int,
    step: LoopStep,
    steps: Sequence[LoopStep],
    histories: Sequence[tuple[HistoryEntry, ...]],
    followed: set[int],
) -> int | None:
    """The step that this one continues. Of equal ones it is the one whose reply it contains most of, and that has no
    successor yet."""
    named = step.asked.continues
    if named is not None:
        return next((each for each in reversed(range(number)) if _is_named(steps[each], named)), None)
    before = [
        each
        for each, other in enumerate(steps)
        if each < number or other.exchange.file != step.exchange.file  # files of a group are in no order
    ]
    last = _longest([each for each in before if steps[each].reply], histories, histories[number])
    if not last and _has_past(step.asked):  # what it goes on from was no turn
        last = _longest(before, histories, histories[number])
    if not last:
        return None
    rest = histories[number][len(histories[last[0]]) :]
    echoes = {each: _echoes(rest, steps[each].reply) for each in last}
    echoed = [each for each in last if echoes[each] == max(echoes.values())]
    return next((each for each in reversed(echoed) if each not in followed), echoed[-1])


def _longest(
    numbers: Sequence[int], histories: Sequence[tuple[HistoryEntry, ...]], whole: tuple[HistoryEntry, ...]
) -> list[int]:
    """The steps with the longest history that ``whole`` begins with."""
    by_length: dict[int, list[int]] = {}
    for each in numbers:
        by_length.setdefault(len(histories[each]), []).append(each)
    lengths = sorted((length for length in by_length if 0 < length < len(whole)), reverse=True)
    found = ([each for each in by_length[length] if histories[each] == whole[:length]] for length in lengths)
    return next(filter(None, found), [])


def _is_named(step: LoopStep, name: str) -> bool:
    return step.asked.continues == name or (step.reply is not None and step.reply.id == name)


def _echoes(entries: tuple[HistoryEntry, ...], reply: Reply | None) -> int:
    """How many parts of a reply are in entries of a history. Of equal beginnings, this decides which was continued."""
    parts = [part for entry in entries for part in _parts(entry)]
    ids = {part.id for part in parts if isinstance(part, Call) and part.id}
    replied = reply.turn.parts if reply else ()
    return sum(part in parts or (isinstance(part, Call) and part.id in ids) for part in replied)


def _parts(entry: HistoryEntry) -> tuple[object, ...]:
    parts = entry[1]
    return parts if isinstance(parts, tuple) else ()


def _has_past(conversation: Conversation) -> bool:
    return conversation.continues is not None or any(
        message.role in ("assistant", "tool") or message.results for message in conversation.messages
    )


def _earlier(number: int, steps: Sequence[LoopStep], histories: Sequence[tuple[HistoryEntry, ...]]) -> LoopStep | None:
    """The last earlier request that opens like this one."""
    opening = histories[number][:1]
    return next((steps[each] for each in reversed(range(number)) if opening and histories[each][:1] == opening), None)
