"""A trace, read once for all rules: its requests in neutral words, its replies, its turns and their tool calls.

Everything is computed when a rule first needs it, and kept. What the caller has already read is not read again, except
for a reply whose response was cut on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Literal, TypeVar

from harness.errors import BadInput
from harness.finding import Finding, line_of, record_of
from harness.ground.cached import cached_property
from harness.rules.content import ContentArgument, content_of
from harness.rules.contracts import Contract, contract_of
from harness.rules.runs import parts
from harness.rules.steps import Step, steps
from harness.rules.turns import Ask, LoopTurn, ReportedCall, loop_turns
from harness.trace import (
    MAIN,
    AgUiRecord,
    CallerRecord,
    Event,
    Exchange,
    Failure,
    Final,
    RequestRecord,
    SetCode,
    Trace,
    TurnStart,
)
from harness.trace.kinds import KINDS
from harness.wire import (
    Conversation,
    IssuedState,
    Opaque,
    Reply,
    Route,
    UnreadableRequest,
    Wire,
    recognise,
    wire,
    wire_names,
)
from harness.wire.arrival import Arrival
from harness.wire.as_far import parsed_as_far
from harness.wire.servers import known_server

Need = Literal["events", "previews", "exchanges", "ag-ui", "caller", "sockets"]
"""What a trace must contain before a rule can judge it: events, ``setCode`` previews, requests to the model, events of
the protocol AG-UI, an action of the caller beside its first request, or connections beside HTTP."""

Scope = Literal["conversation", "run", "case"]
"""What a rule is about: a conversation, on one model of one wire; one run of the loop, which may be one of several in
it; or all runs of the main conversation, and what the caller does in them."""

_Kind = TypeVar("_Kind", bound=Event)

_EVERY_SCOPE: frozenset[Scope] = frozenset({"conversation", "run", "case"})

SCREENSHOT_TO_CODE = "screenshot-to-code"
"""The profile whose contract names every kind of event."""


class TraceView:
    """What every rule may use about one conversation of a case, by default the main one.

    The model endpoint may pass what it already knows: ``replies`` by the number of their exchange, all ``violations``
    that it found, each with that number, and ``conversations`` by that number: the request as it was read and as it was
    resolved. ``trace`` is the trace of the conversation alone. If it is a part of another trace, ``places`` are the
    places of its records there, and ``whole`` is the view of all runs. Rules with these ``scopes`` may judge it.
    ``all_over`` are the views of all conversations if the program has ended and reports no events; otherwise it is
    empty. Raises ``BadInput`` if the trace names no known wire.
    """

    def __init__(
        self,
        trace: Trace,
        replies: Mapping[int, Reply] | None = None,
        violations: Iterable[tuple[int, Finding]] | None = None,
        conversations: Mapping[int, tuple[Conversation, Conversation]] | None = None,
        *,
        conversation: int = MAIN,
        scopes: frozenset[Scope] = _EVERY_SCOPE,
        places: Sequence[int] | None = None,
        whole: TraceView | None = None,
    ) -> None:
        if trace.case.wire not in wire_names():
            raise BadInput(
                f"{trace.case.id}: the trace names the wire {trace.case.wire!r}; "
                f"the wires are {', '.join(wire_names())}"
            )
        self.trace = trace.of(conversation)
        self._whole_case = trace
        self.conversation = conversation
        self.places = places if self.trace is trace else trace.places_of(conversation)
        self.scopes = scopes
        self.all_over: Sequence[TraceView] = ()
        self._whole = whole
        self.case = self.trace.case
        self.wire: Wire = wire(trace.case.wire, trace.case.declines, known_server(trace.case.server))
        self._known = replies or {}
        self._judged = violations
        self._conversations = conversations or {}
        self._contents: dict[tuple[int, int], ContentArgument] = {}
        self._arrivals: dict[int, tuple[Arrival, ...] | None] = {}

    def line(self, own: int | None) -> int | None:
        """The line in the whole trace file for a line of this conversation."""
        return own if own is None or self.places is None else line_of(self.places[record_of(own)])

    def answer_before(self, line: int | None) -> int | None:
        """The line with the last response before ``line``, both in this conversation; None if there is none."""
        answered = (line_of(each.response_at) for each in self.trace.exchanges if each.response_at is not None)
        return max((at for at in answered if line is not None and at < line), default=None)

    # --- what the caller has done ------------------------------------------------------------------------

    @cached_property
    def acts(self) -> tuple[tuple[int, CallerRecord], ...]:
        """What the caller has done, each with its place."""
        return self.trace.every(CallerRecord)

    @cached_property
    def cancelled_at(self) -> int | None:
        """Where the caller has first cancelled a run; None if it has not."""
        return next((at for at, record in self.acts if record.did == "cancel"), None)

    def was_left(self, ask: Ask, following: Ask) -> bool:
        """Whether the caller has cancelled the run, or begun another one, between two requests."""
        return any(record.did != "say" and ask.at < at < following.at for at, record in self.acts)

    # --- what the loop has promised ----------------------------------------------------------------------

    @cached_property
    def contract(self) -> Contract:
        """What the profile of the case promises."""
        return contract_of(self.case.profile)

    @cached_property
    def turn_limit(self) -> int | None:
        """How many turns the run may take, by the case or else by the contract; None if neither has a limit."""
        own = self.case.turn_limit
        return own if own is not None else self.contract.turn_limit

    # --- what the trace can show -------------------------------------------------------------------------

    @cached_property
    def held(self) -> frozenset[Need]:
        """Which of the things that rules need are in the trace."""
        previews = any(event.preview for _, event in self.emitted(SetCode))
        held: dict[Need, bool] = {
            "events": bool(self.trace.events),
            "previews": previews,
            "exchanges": bool(self.asks),
            "ag-ui": bool(self.trace.every(AgUiRecord)),
            "caller": bool(self.acts),
            "sockets": self.trace.connects,
        }
        return frozenset([need for need, there in held.items() if there])

    def emits(self, *kinds: type[Event]) -> bool:
        """Whether the loop emits such events at all: by its declaration or contract, or because it has done so once."""
        if not self.trace.events:
            return False
        if self.case.emits is not None:
            return any(KINDS[kind] in self.case.emits for kind in kinds)
        return self.case.profile == SCREENSHOT_TO_CODE or not self._events.keys().isdisjoint(kinds)

    def emitted(self, kind: type[_Kind]) -> Sequence[tuple[int, _Kind]]:
        """Every event of this kind with its place."""
        return self._events.get(kind, ())

    @cached_property
    def _events(self) -> Mapping[type[Any], list[tuple[int, Any]]]:
        events: dict[type[Event], list[tuple[int, Any]]] = {}
        for at, record in self.trace.events:
            events.setdefault(type(record.event), []).append((at, record.event))
        return events

    @cached_property
    def deferrals(self) -> tuple[tuple[int, Final], ...]:
        """Every ``final`` that only reports that the run waits: it may be resumed, and then goes on."""
        return tuple((at, event) for at, event in self._endings if isinstance(event, Final) and _defers(event))

    @cached_property
    def ends(self) -> tuple[tuple[int, Final | Failure], ...]:
        """Every event that reports that the run is over for good."""
        return tuple((at, event) for at, event in self._endings if isinstance(event, Failure) or not _defers(event))

    @cached_property
    def _endings(self) -> tuple[tuple[int, Final | Failure], ...]:
        found: list[tuple[int, Final | Failure]] = [*self.emitted(Final), *self.emitted(Failure)]
        return tuple(sorted(found, key=itemgetter(0)))

    @property
    def end(self) -> tuple[int, Final | Failure] | None:
        """How the run ended for good; None if it waits, or if no event reports an end."""
        return self.ends[0] if self.ends else None

    @cached_property
    def final(self) -> tuple[int, Final] | None:
        """The first ``final`` that ends the run for good, if there is one."""
        return next(((at, event) for at, event in self.ends if isinstance(event, Final)), None)

    # --- requests and replies ----------------------------------------------------------------------------

    @cached_property
    def asks(self) -> tuple[Ask, ...]:
        """The requests to the model, in order, except for requests that are not of the wire or were declined."""
        return tuple(ask for ask in self._judgeable if not ask.is_aside)

    @cached_property
    def _judgeable(self) -> tuple[Ask, ...]:
        """All requests with a history: requests for the model's answer, and requests for something else."""
        return tuple(self._asks())

    def _asks(self) -> Iterator[Ask]:
        issued = IssuedState()
        for exchange in self.trace.served:
            ask = self._ask(exchange, issued)
            if ask is None:
                continue
            yield ask
            _take_in(issued, ask)

    def _ask(self, exchange: Exchange, issued: IssuedState) -> Ask | None:
        request = exchange.request
        speaker, route = self._speaker(request)
        if route is None:
            return None
        reply = None if route.aside else self._reply(exchange, speaker)
        if known := self._conversations.get(request.exchange):
            return Ask(exchange, *known, None, reply)
        try:
            conversation = speaker.read(route, request.body, request.headers)
        except UnreadableRequest as unreadable:
            return Ask(exchange, None, None, unreadable.finding, reply)
        if request.connection:
            conversation = replace(conversation, connection=request.connection, lane=request.lane)
        return Ask(exchange, conversation, speaker.resolve(conversation, issued), None, reply)

    def _speaker(self, request: RequestRecord) -> tuple[Wire, Route | None]:
        """The wire of a request: the wire of the case, or the one to which the caller has switched."""
        route = self.wire.route(request.method, request.path)
        if route is None and any(record.wire for _, record in self.acts):
            route = recognise(request.method, request.path)
        route = route or self.wire.aside(request.method, request.path)
        return self.wire if route is None or route.wire == self.wire.name else wire(route.wire), route

    def _reply(self, exchange: Exchange, speaker: Wire) -> Reply | None:
        """The model's reply; None for an HTTP error, a missing answer, or a body that is no response."""
        response = exchange.response
        if response is None or not 0 < response.status < 400:
            return None
        if response.end == "eof" and (known := self._known.get(response.exchange)) is not None:
            return known
        try:
            return parsed_as_far(speaker, response.headers.get("content-type", ""), response.body)
        except ValueError:
            return None

    @cached_property
    def violations(self) -> tuple[tuple[Ask, Finding], ...]:
        """The wire rules that each request breaks, judged by what had been sent by then."""
        return tuple(self._violations())

    def _violations(self) -> Iterator[tuple[Ask, Finding]]:
        if self._judged is not None:
            by_number = {ask.number: ask for ask in self._judgeable}
            yield from ((by_number[number], finding) for number, finding in self._judged if number in by_number)
            return
        issued = IssuedState()
        for ask in self._judgeable:
            if ask.finding is not None:
                yield ask, ask.finding
            if ask.full is None:
                continue
            for finding in self.wire.violations(ask.full, issued):
                yield ask, finding
            _take_in(issued, ask)

    def arrivals(self, ask: Ask) -> tuple[Arrival, ...] | None:
        """How the calls of a reply arrived, in order; None if its bytes do not show it. Read once per reply."""
        response = ask.exchange.response
        assert response is not None  # noqa: S101 - the calls came with it
        if ask.number not in self._arrivals:
            arguments = [call.arguments for call in ask.calls]
            kind = response.headers.get("content-type", "")
            self._arrivals[ask.number] = self.wire.arrivals(kind, response.body, arguments)
        return self._arrivals[ask.number]

    def content(self, call: ReportedCall) -> ContentArgument:
        """The ``content`` argument of a call; empty if it has none. Read once per call."""
        place = (call.ask.number, call.index)
        if place not in self._contents:
            self._contents[place] = content_of(call.call.arguments) or ContentArgument("", 0, finished=True)
        return self._contents[place]

    @cached_property
    def repeated_ids(self) -> frozenset[str]:
        """Call ids that the model has used more than once by the end, in any run: a loop must distinguish such calls
        in another way.

        In a dialect whose calls have no id at first, or several, every id is one of them.
        """
        ids = Counter(call.id for ask in self._asks_until_its_end for call in ask.calls if call.id)
        dialect = self.wire.dialects.get(self.case.dialect)
        once = 0 if dialect is not None and dialect.other_ids else 1
        return frozenset(id for id, times in ids.items() if times > once)

    @property
    def _asks_until_its_end(self) -> Sequence[Ask]:
        """The requests of this part and of the runs before it."""
        if self._whole is None or not self.asks:
            return self.asks
        return [ask for ask in self._whole.asks if ask.number <= self.last.number]

    # --- turns -------------------------------------------------------------------------------------------

    @cached_property
    def turns(self) -> tuple[LoopTurn, ...]:
        """The turns of the loop.

        A turn begins with its ``turnStart``, or, if the loop emits none, with its first request. A request that is
        sent again begins no turn.
        """
        announced = [at for at, _ in self.emitted(TurnStart)]
        return tuple(loop_turns(self.trace.events, self.attempts, self.repeated_ids, announced))

    @cached_property
    def attempts(self) -> tuple[tuple[Ask, ...], ...]:
        """The requests turn by turn: the first request for a turn, and its repetitions until the turn arrives."""
        attempts: list[list[Ask]] = []
        for before, ask in zip((None, *self.asks), self.asks, strict=False):
            if before is None or not ask.repeats(before):
                attempts.append([])
            attempts[-1].append(ask)
        return tuple(map(tuple, attempts))

    @cached_property
    def asked(self) -> tuple[Ask, ...]:
        """The requests that ask for a new turn."""
        return tuple(first for first, *_ in self.attempts)

    @property
    def last(self) -> Ask:
        """The last request. Rules that need exchanges may use it, because then there is one."""
        return self.asks[-1]

    def edited(self, ask: Ask) -> bool:
        """Whether the caller acted on the turn that ``ask`` got."""
        return bool(self.case.edits) and self._turn_numbers[ask.number] in self.case.edits

    def generated(self, ask: Ask) -> bool:
        """Whether the caller had the tools run for the turn that ``ask`` got."""
        return bool(self.case.generated) and self._turn_numbers[ask.number] in self.case.generated

    @cached_property
    def _turn_numbers(self) -> dict[int, int]:
        return {ask.number: turn for turn, asks in enumerate(self.attempts, 1) for ask in asks}

    def calls_of(self, ask: Ask) -> Sequence[ReportedCall]:
        """The calls of a reply, each with the tool that the loop reported for it."""
        if ask is self._followed_ask:
            return [ReportedCall(ask, index, call, None) for index, call in enumerate(ask.calls)]
        return self._reported_calls.get(ask.number, ())

    @cached_property
    def _reported_calls(self) -> dict[int, list[ReportedCall]]:
        calls: dict[int, list[ReportedCall]] = {}
        for turn in self.turns:
            for call in turn.calls:
                calls.setdefault(call.ask.number, []).append(call)
        return calls

    def kind(self, call: ReportedCall) -> str:
        """What the loop does with calls of this tool: ``function``, ``output``, ``external`` or ``unapproved``."""
        return self.case.kinds.get(call.call.name, "function")

    @cached_property
    def output(self) -> ReportedCall | None:
        """The first output call that was accepted, which is the result of the run."""
        made = (call for turn in self.turns for call in turn.calls if self.kind(call) == "output")
        return next((call for call in made if call.tool is not None and call.tool.ran_at is not None), None)

    @cached_property
    def continuations(self) -> tuple[tuple[Ask, Ask], ...]:
        """Each request that goes on after a reply: (the request that got the reply, the one that goes on).

        Left out are requests that are sent again because they got no sound reply, and requests whose earlier turns are
        unknown here. A request that is sent again after a sound reply goes on without that turn.
        """
        return tuple(self._continuations())

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What each request adds to the previous one."""
        return tuple(steps(self.continuations, has_others=not self.case.is_handed))

    @cached_property
    def _followed_ask(self) -> Ask | None:
        """The request of another conversation whose answer this one, a branch, goes on from."""
        number = next((record.follows for _, record in self.trace.every(RequestRecord)), None)
        records = (record for _, record in self._whole_case.every(RequestRecord) if record.exchange == number)
        of = next((record.conversation for record in records), None)
        if number is None or of is None or of == self.conversation:
            return None
        whole = TraceView(self._whole_case, self._known, (), self._conversations, conversation=of)
        return next((ask for ask in whole.asks if ask.number == number), None)

    def _continuations(self) -> Iterator[tuple[Ask, Ask]]:
        answered = self._followed_ask
        for before, ask in zip((None, *self.asks), self.asks, strict=False):
            repeated = before is not None and not before.sound and ask.asks_the_same(before)
            if ask.full is None:
                continue
            known = ask.full.continues is None or ask.full is not ask.conversation
            if answered is not None and answered.full is not None and _is_compacted(answered.full, ask.full):
                answered = None
            if answered is not None and known and not repeated:
                yield answered, ask
            if ask.reply is not None:
                answered = ask


def _is_compacted(before: Conversation, after: Conversation) -> bool:
    """Whether a request has a compacted history instead of the history of the previous request."""
    return _compactions(after) != _compactions(before)


def _compactions(conversation: Conversation) -> list[Any]:
    parts = [part for message in conversation.messages for part in message.parts]
    return [part.native for part in parts if isinstance(part, Opaque) and part.kind == "compaction"]


def _take_in(issued: IssuedState, ask: Ask) -> None:
    """Note what the endpoint has answered."""
    response = ask.exchange.response
    if ask.full is not None and ask.reply is not None:
        issued.add(ask.full, ask.reply)
    elif ask.full is not None and response is not None and not 0 < response.status < 400:
        issued.failed(ask.full)


def _defers(event: Final) -> bool:
    return event.outcome == "deferred"


def views(
    trace: Trace,
    replies: Mapping[int, Reply] | None = None,
    violations: Iterable[tuple[int, Finding]] | None = None,
    conversations: Mapping[int, tuple[Conversation, Conversation]] | None = None,
    *,
    over: bool = False,
) -> Iterator[TraceView]:
    """A view of each conversation of a case. Requests that could not be identified are left out.

    If the main conversation has several runs, there is a view of each run, of each stretch on one model of one wire,
    and of all runs. ``over``: the program has ended, which no event reports.
    """
    found = _views(trace, replies, None if violations is None else list(violations), conversations)
    if over and not trace.events:
        every = tuple(found)
        for view in every:
            view.all_over = every
        found = iter(every)
    yield from found


def _views(
    trace: Trace,
    replies: Mapping[int, Reply] | None,
    kept: Sequence[tuple[int, Finding]] | None,
    conversations: Mapping[int, tuple[Conversation, Conversation]] | None,
) -> Iterator[TraceView]:
    for number in trace.conversations:
        if number == MAIN and len(trace.main.runs) > 1:
            whole: TraceView | None = None
            for part, scopes in parts(trace):
                view = TraceView(
                    part.trace, replies, kept, conversations, scopes=scopes, places=part.places, whole=whole
                )
                whole = whole or view  # the first is that of all runs
                yield view
        elif number is not None:
            yield TraceView(trace, replies, kept, conversations, conversation=number)
