"""A turn of the loop for the rules: its requests, its events, and which reported tool belongs to which call."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from harness.finding import Finding
from harness.ground.cached import cached_property
from harness.rules.arguments import members
from harness.rules.content import content_of
from harness.trace import (
    Assistant,
    Event,
    EventRecord,
    Exchange,
    SetCode,
    Thinking,
    ToolArguments,
    ToolResult,
    ToolStart,
)
from harness.wire import Call, Conversation, FinishReason, Refusal, Reply, Turn

_PIECES = (Assistant, Thinking)
_OF_TOOLS = (ToolStart, ToolArguments, SetCode, ToolResult)

_NO_TURN = Turn()
_NOT_TO_RUN = frozenset({FinishReason.MAX_TOKENS, FinishReason.REFUSAL, FinishReason.CONTENT_FILTER})


@dataclass(frozen=True)
class Ask:
    """A request to the model and what it got.

    ``conversation`` is what it sent and ``full`` the history that the model saw. Both are None if the request cannot be
    read; ``finding`` says why. ``reply`` is None if the model sent none: an HTTP error or no answer at all.
    """

    exchange: Exchange
    conversation: Conversation | None
    full: Conversation | None
    finding: Finding | None
    reply: Reply | None

    @cached_property
    def at(self) -> int:
        """The request's place in the trace."""
        return self.exchange.request_at

    @cached_property
    def number(self) -> int:
        """The number of the exchange."""
        return self.exchange.request.exchange

    @property
    def is_aside(self) -> bool:
        """Whether it asks for something other than the model's answer (``Route.aside``)."""
        return self.conversation is not None and bool(self.conversation.aside)

    @cached_property
    def turn(self) -> Turn:
        """The model's turn; empty if there is no reply."""
        return self.reply.turn if self.reply is not None else _NO_TURN

    @cached_property
    def whole(self) -> bool:
        """The model's turn came to its end and no error was in it: a loop may go on with it."""
        return self.reply is not None and self.reply.complete and self.turn.error is None

    @cached_property
    def sound(self) -> bool:
        """It is whole, and its connection did not break behind it. A loop that reads on may report such a break."""
        response = self.exchange.response
        return self.whole and (response is None or response.end not in ("cut", "reset"))

    @cached_property
    def runnable(self) -> bool:
        """The calls of this reply may be executed: it is sound and the model was not stopped."""
        return self.sound and self.stopped is None

    @cached_property
    def stopped(self) -> FinishReason | None:
        """Why the model did not finish (token limit, refusal, filter); None if it did.

        A part with a refusal counts as one, whatever the stop reason: two wires have no other sign of it.
        """
        if self.turn.stop in _NOT_TO_RUN:
            return self.turn.stop
        refused = any(isinstance(part, Refusal) for part in self.turn.parts)
        return FinishReason.REFUSAL if refused else None

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The calls of the reply, in order; empty if there is no reply."""
        return self.turn.calls

    def repeats(self, before: Ask) -> bool:
        """Whether this asks for the same turn as ``before`` once more.

        It does after a request without a reply, and after a broken reply if the request is unchanged.
        """
        return before.reply is None or (not before.sound and self.asks_the_same(before))

    @property
    def goes_on(self) -> bool:
        """Whether it got a piece of a long answer, which goes on by its token."""
        return self.reply is not None and bool(self.reply.continuation)

    def asks_the_same(self, other: Ask) -> bool:
        """Whether both ask for an answer to the same history; one may ask for a stream, and the other for none."""
        if self.full is None or other.full is None:
            return self.same_as(other)
        if self.full.connection or other.full.connection:  # one may name what the other says: other places, same words
            mine, theirs = ([(each.role, each.parts) for each in full.messages] for full in (self.full, other.full))
            return mine == theirs and self.full.tools == other.full.tools
        return self.full.messages == other.full.messages and self.full.tools == other.full.tools

    def same_as(self, other: Ask) -> bool:
        """Whether both requests say the same."""
        return self.exchange.request.body == other.exchange.request.body


@dataclass(slots=True)
class ReportedTool:
    """What the loop reported under one tool id in one turn; places are indices into the trace's records."""

    id: str
    starts: list[tuple[int, ToolStart]] = field(default_factory=list)
    arguments: list[tuple[int, ToolArguments]] = field(default_factory=list)
    previews: list[tuple[int, EventRecord, SetCode]] = field(default_factory=list)
    codes: list[tuple[int, SetCode]] = field(default_factory=list)
    results: list[tuple[int, ToolResult]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The tool's name in its first event; ``""`` if no event has one."""
        if self.starts:
            return self.starts[0][1].name
        return self.results[0][1].name if self.results else ""

    @property
    def first_at(self) -> int:
        """Where it is first reported."""
        places = [*self.starts, *self.arguments, *self.results, *self.codes]
        return min([at for at, *_ in places] + [at for at, *_ in self.previews])

    @property
    def ran_at(self) -> int | None:
        """Where the trace first shows that the tool has run. An error result alone may be a refusal to run it, and so
        may a result that does not show whether it is an error."""
        places = [at for at, _ in self.codes] + [at for at, result in self.results if result.ok]
        return min(places, default=None)

    @property
    def ended_at(self) -> int | None:
        """Where the trace first shows that the call is over, run or not."""
        return min([at for at, _ in self.codes] + [at for at, _ in self.results], default=None)


@dataclass(frozen=True, slots=True)
class ReportedCall:
    """A call of the model and the tool under which the loop reported it (None: it did not)."""

    ask: Ask
    index: int
    call: Call
    tool: ReportedTool | None


@dataclass
class LoopTurn:
    """One turn: from its beginning at record ``at`` to the next. ``number`` counts from 1.

    ``repeated_ids`` are call ids that the model used more than once in the run.
    """

    number: int
    at: int
    repeated_ids: frozenset[str] = frozenset()
    asks: Sequence[Ask] = ()
    events: Sequence[tuple[int, EventRecord]] = ()

    @cached_property
    def replies(self) -> tuple[Reply, ...]:
        """The replies to the turn's requests, in order."""
        return tuple(ask.reply for ask in self.asks if ask.reply is not None)

    @property
    def sound(self) -> bool:
        """Every reply of this turn came to its end, and there is one."""
        return bool(self.replies) and all(ask.sound for ask in self.asks if ask.reply is not None)

    def deltas(self, kind: type[Assistant] | type[Thinking]) -> Sequence[tuple[int, Assistant | Thinking]]:
        """The pieces of text (or of thinking) that were emitted in this turn."""
        return self._pieces[kind]

    @cached_property
    def _pieces(self) -> dict[type[Event], list[tuple[int, Assistant | Thinking]]]:
        pieces: dict[type[Event], list[tuple[int, Assistant | Thinking]]] = {Assistant: [], Thinking: []}
        for at, record in self.events:
            event = record.event
            if isinstance(event, _PIECES):
                pieces[type(event)].append((at, event))
        return pieces

    @cached_property
    def tools(self) -> dict[str, ReportedTool]:
        """The reported tools by id, in order of first appearance. A ``setCode`` without an id belongs to none."""
        tools: dict[str, ReportedTool] = {}
        for at, record in self.events:
            event = record.event
            if not isinstance(event, _OF_TOOLS) or event.id is None:
                continue
            tool = tools.get(event.id)
            if tool is None:
                tool = tools[event.id] = ReportedTool(event.id)
            if isinstance(event, ToolStart):
                tool.starts.append((at, event))
            elif isinstance(event, ToolArguments):
                tool.arguments.append((at, event))
            elif isinstance(event, ToolResult):
                tool.results.append((at, event))
            elif event.preview:
                tool.previews.append((at, record, event))
            else:
                tool.codes.append((at, event))
        return tools

    @cached_property
    def calls(self) -> tuple[ReportedCall, ...]:
        """The model's calls of this turn, in order, each with the tool that the loop reported for it.

        A tool belongs to the call with its id. If the model sent no id or repeated one, the loop must invent one. Such
        calls are matched with the remaining tools by name: first tools with the same input as the call, then in order.
        An id that several calls of one answer share decides only if no name does. If an answer broke and another came,
        the calls of the whole answer are matched first: they may have the ids of the broken ones, which are not run. No
        tool belongs to a call that was made after its report. A tool that shows arriving content rather belongs to a
        call with content.
        """
        made = [(ask, index, call) for ask in self.asks for index, call in enumerate(ask.calls)]
        times = Counter((ask.number, call.id) for ask, _, call in made)
        whole_first = sorted(range(len(made)), key=lambda place: not made[place][0].whole)
        left = dict(self.tools)
        found: dict[int, ReportedTool] = {}
        own = [at for at in whole_first if times[made[at][0].number, made[at][2].id] == 1]
        unnamed = [at for at in whole_first if self._is_unnamed(made[at][2])]
        for chosen, places in (
            (_of_its_id, own),
            (_run_on_its_arguments, unnamed),
            (_likely, unnamed),
            (_of_its_id, whole_first),
        ):
            for place in places:
                ask, _, call = made[place]
                later = [tool for tool in left.values() if tool.first_at > ask.at]
                tool = chosen(later, call) if place not in found else None
                if tool is not None:
                    found[place] = left.pop(tool.id)
        return tuple(ReportedCall(*each, found.get(place)) for place, each in enumerate(made))

    def _is_unnamed(self, call: Call) -> bool:
        return not call.id or call.id in self.repeated_ids


def _of_its_id(tools: Sequence[ReportedTool], call: Call) -> ReportedTool | None:
    return next((tool for tool in tools if tool.id == call.id), None) if call.id else None


def _namesakes(tools: Sequence[ReportedTool], call: Call) -> list[ReportedTool]:
    """The tools that have the name of the call, or none; the one with its id first."""
    return sorted((tool for tool in tools if tool.name in ("", call.name)), key=lambda tool: tool.id != call.id)


def _run_on_its_arguments(tools: Sequence[ReportedTool], call: Call) -> ReportedTool | None:
    """The first tool that may be of the call, and whose start reports just the arguments of the call."""
    own = members(call.arguments)
    started = (tool for tool in _namesakes(tools, call) if any(own == start.input for _, start in tool.starts))
    return next((tool for tool in started if _may_show(tool, call)), None) if own else None


def _likely(tools: Sequence[ReportedTool], call: Call) -> ReportedTool | None:
    """The first tool that may be of the call, rather one that has shown no content which the call has not."""
    named = _namesakes(tools, call)
    return next((tool for tool in named if _may_show(tool, call)), next(iter(named), None))


def _may_show(tool: ReportedTool, call: Call) -> bool:
    """Whether what was shown of the tool while its arguments arrived may be of the call: that has content at all."""
    return not tool.previews or content_of(call.arguments) is not None


def loop_turns(
    events: Sequence[tuple[int, EventRecord]],
    attempts: Sequence[Sequence[Ask]],
    repeated_ids: frozenset[str],
    announced: Sequence[int],
) -> Iterator[LoopTurn]:
    """The turns of a trace, each with its requests and with the events that were emitted in it.

    ``attempts`` are the requests turn by turn. ``announced`` are the places of each ``turnStart``, which begin turns.
    Without them the first request of a turn begins it, and so does a request before all announced turns. A request for
    more of a long answer by its token, which SDKs send by themselves, begins no turn.
    """
    asks = [ask for turn in attempts for ask in turn]
    begins = (True, *(not turn[-1].goes_on for turn in attempts))
    first = [turn[0].at for turn, is_new in zip(attempts, begins, strict=False) if is_new]
    starts = [*(at for at in first[:1] if at < announced[0]), *announced] if announced else first
    event_places, ask_places = [at for at, _ in events], [ask.at for ask in asks]
    for number, (at, end) in enumerate(pairwise((*starts, sys.maxsize)), 1):
        own_asks = asks[bisect_left(ask_places, at) : bisect_left(ask_places, end)]
        own_events = events[bisect_left(event_places, at) : bisect_left(event_places, end)]
        yield LoopTurn(number, at, repeated_ids, own_asks, own_events)
