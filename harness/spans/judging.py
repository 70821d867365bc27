"""The requests of a file of spans, judged conversation by conversation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import BinaryIO, Final

from harness.errors import BadInput
from harness.finding import Finding
from harness.ground.disk import problem
from harness.lint.judging import Judge, Judgement
from harness.rules import RULES, Selection, TraceView, judge
from harness.spans import ChangedFile, TraceSpan, again, read_spans
from harness.spans.index import MOST_IN_GROUP, IndexedSpan, SpanIndex, hashed
from harness.spans.kinds import kind_of, label_of, response_id
from harness.spans.links import Links, begins_with, turns_of_the_model
from harness.spans.parts import as_the_wire_says_it, partial_turn
from harness.spans.scenarios import RecordedTurn
from harness.spans.tool_runs import broken_by_runs, run_of
from harness.spans.turns import Gap, Grade, PartialTurn, RecordedRun, WholeTurn
from harness.spans.whole import whole_turn
from harness.trace import Case, RequestRecord, ResponseRecord, Trace
from harness.wire import (
    Conversation,
    IssuedState,
    Reply,
    Result,
    Route,
    UnreadableRequest,
    WireName,
    wire,
    wire_rules,
)
from harness.wire.rule import EVERY_FACT, Fact

_GRADES: Final[dict[Grade, int]] = {"not at all": 0, "in part": 1, "whole": 2}
_MOST_BYTES: Final = 32 * 1024 * 1024
"""Most bytes of one conversation's spans in memory at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions:
    """What is judged, and how.

    ``runs`` are the ids of the selected rules about runs of tools (``RUN_RULES``).
    ``turn_limit`` is how many turns a run of the loop may take; None: unknown. ``answered``: report a broken rule even
    if the recorded server answered the request. ``only_whole``: do not judge partly recorded requests. ``server`` is
    the server that was asked, ``""`` if each span shows it. ``broken`` is called with each conversation in which
    something broke: the first rule, and the turns.
    """

    selection: Selection
    runs: frozenset[str] = frozenset()
    profile: str = "universal"
    turn_limit: int | None = None
    answered: bool = False
    only_whole: bool = False
    server: str = ""
    broken: Callable[[str, Sequence[RecordedTurn]], None] | None = None


@dataclass(frozen=True, slots=True)
class TraceFinding:
    """A finding with the span that shows it. ``accepted``: the recorded server answered nevertheless."""

    line: int
    trace: str
    span: str
    wire: WireName
    finding: Finding
    accepted: bool = False


@dataclass(slots=True)
class TraceTotals:
    """Totals of a file. ``why`` counts unjudged requests by reason and remedy, ``lacking`` the facts that requests do
    not show, ``sources`` the instrumentations by the grade of what they show."""

    spans: int = 0
    tool_runs: int = 0
    grades: Counter[Grade] = field(default_factory=Counter)
    why: Counter[tuple[str, str]] = field(default_factory=Counter)
    lacking: Counter[Fact] = field(default_factory=Counter)
    sources: Counter[tuple[str, Grade]] = field(default_factory=Counter)
    wires: Counter[WireName] = field(default_factory=Counter)
    traces: set[int] = field(default_factory=set)

    @property
    def requests(self) -> int:
        """How many requests there are, of all grades."""
        return self.grades.total()


_Turn = WholeTurn | PartialTurn | Gap


@dataclass(slots=True)
class _Request:
    """A request to be judged: number ``at`` of its conversation, which continues number ``before``."""

    row: IndexedSpan
    span: TraceSpan
    turn: WholeTurn | PartialTurn
    conversation: Conversation
    reply: Reply | None
    before: int | None = None
    violations: tuple[Finding, ...] = ()

    @property
    def recorded(self) -> RecordedTurn:
        """The turn in the form for scenarios and cassettes."""
        asked = self.turn.asked if isinstance(self.turn, WholeTurn) else None
        return RecordedTurn(self.conversation, self.reply, asked)

    def shows(self, finding: Finding) -> TraceFinding:
        """The finding at the span of this request."""
        return TraceFinding(self.row.place.line, self.span.trace, self.span.id, self.conversation.wire, finding)


def judge_spans(path: Path, options: TraceOptions, totals: TraceTotals) -> Iterator[TraceFinding]:
    """The findings about the requests of a file, conversation by conversation. ``totals`` is complete at the end.

    Raises ``BadInput`` for a file that cannot be read or has no request to a model.
    """
    index = SpanIndex()
    try:
        with path.open("rb") as stream:
            _collect(str(path), stream, index)
            totals.spans = index.spans
            if not index.count("inference"):
                raise BadInput(_nothing(path, index.spans))
            yield from _File(stream, index, options, totals).findings()
    except OSError as error:
        raise problem(error, f"{path}: cannot be read") from error
    except ChangedFile as error:
        raise BadInput(f"{path}: was changed while it was read") from error
    finally:
        index.close()


def turn_of(span: TraceSpan, record: TraceSpan | None = None) -> _Turn:
    """What a span shows of a request to a model; ``record`` is the log record with its content, if that is separate."""
    whole = whole_turn(span)
    if isinstance(whole, WholeTurn):
        return whole
    part = partial_turn(span, record)
    if isinstance(part, PartialTurn):
        complete = not isinstance(whole, Gap) or whole.why != "cut by the recorder" or not span.dropped
        return part if complete else Gap("cut by the recorder")
    return whole or part


def _nothing(path: Path, spans: int) -> str:
    hint = "; is the instrumentation of the SDK installed, and does its version fit?" if spans else ""
    return f"{path}: expected spans of requests to a model, found none in {spans} spans{hint}"


# --- all spans, once ----------------------------------------------------------------------------------------


def _collect(name: str, stream: BinaryIO, index: SpanIndex) -> None:
    for span in read_spans(name, stream):
        if span.is_log:
            if any(key.startswith("gen_ai.") for key in span.attributes):
                index.add_log(span)
            continue
        kind = kind_of(span)
        if kind == "inference":
            index.add(span, kind, *_index_columns(span, turn_of(span)))
        else:
            index.add(span, kind, call=run_of(span).id if kind == "tool" else "")
    index.finish()
    for row in list(index.without_content()):
        span = again(stream, row.place, row.scope)
        turn = turn_of(span, _record(stream, index, row))
        index.regrade(row, *_index_columns(span, turn))
    index.join()


def _record(stream: BinaryIO, index: SpanIndex, row: IndexedSpan) -> TraceSpan | None:
    found = index.logs_of(row)
    return again(stream, *found, is_log=True) if found else None


def _index_columns(span: TraceSpan, turn: _Turn) -> tuple[int, int, str, str]:
    """The grade of a request, its conversation, its response's id, and the id of the response that it names."""
    conversation = _conversation(turn)
    if conversation is None:
        return _GRADES[turn.grade], hashed(span.trace, span.id), _response_id(span, turn), ""
    group = int.from_bytes(begins_with(conversation)[:8], "big", signed=True)
    return _GRADES[turn.grade], group, _response_id(span, turn), conversation.continues or ""


def _response_id(span: TraceSpan, turn: _Turn) -> str:
    if isinstance(turn, WholeTurn) and turn.asked.response:
        answer = json.loads(turn.asked.response)
        return str(answer.get("id") or answer.get("responseId") or response_id(span))
    return response_id(span)


def _conversation(turn: _Turn) -> Conversation | None:
    if isinstance(turn, Gap):
        return None
    if isinstance(turn, PartialTurn):
        return turn.conversation
    asked = turn.asked
    try:
        return wire(asked.route.wire).read(asked.route, asked.body, asked.headers)
    except (UnreadableRequest, RecursionError):
        return None


def _reply(turn: _Turn) -> Reply | None:
    if isinstance(turn, PartialTurn):
        return turn.reply
    if isinstance(turn, Gap) or not turn.asked.response:
        return None
    try:
        return wire(turn.asked.route.wire).parse(turn.asked.content_type, turn.asked.response)
    except ValueError:
        return None


# --- conversation by conversation ---------------------------------------------------------------------------


@dataclass(slots=True)
class _File:
    """A file whose spans are indexed."""

    stream: BinaryIO
    index: SpanIndex
    options: TraceOptions
    totals: TraceTotals

    def findings(self) -> Iterator[TraceFinding]:
        self.totals.tool_runs = self.index.count("tool")
        for _, rows in groupby(self.index.requests(), key=lambda row: row.group):
            for slice in _slices(rows):
                yield from self._findings_of(slice)

    def _findings_of(self, rows: Sequence[IndexedSpan]) -> Iterator[TraceFinding]:
        """The findings of requests that begin alike."""
        requests: list[_Request] = []
        broken: dict[str, str] = {}
        for found in self._found(rows, requests):
            if not found.accepted:
                broken.setdefault(found.span, found.finding.id)
            yield found
        if self.options.broken is not None and broken:
            for path in _paths(requests):
                rule = next((broken[each.span.id] for each in path if each.span.id in broken), "")
                if rule:
                    self.options.broken(rule, [each.recorded for each in path])

    def _found(self, rows: Sequence[IndexedSpan], requests: list[_Request]) -> Iterator[TraceFinding]:
        """The findings of requests that begin alike. Requests that can be judged are added to ``requests``."""
        options = self.options
        judging = Judge(server=options.server, settles=not options.answered)
        alone = Judge(memory=False, server=options.server, settles=not options.answered)
        links = Links()
        for row in rows:
            span = again(self.stream, row.place, row.scope)
            turn = turn_of(span, _record(self.stream, self.index, row) if row.grade < 2 else None)
            self._count(span, turn)
            conversation = _conversation(turn)
            if isinstance(turn, Gap) or (options.only_whole and turn.grade != "whole"):
                continue
            if conversation is None:  # the body itself is wrong
                assert isinstance(turn, WholeTurn)  # noqa: S101 - a part always has a conversation
                yield from self._wire_findings(row, span, turn, alone.judge(turn.asked))
                continue
            request = _Request(row, span, turn, conversation, _reply(turn))
            before = links.add(conversation, request.reply)
            requests.append(request)
            request.before = None if before is None or _misses_turns(requests[before], request) else before
            if isinstance(turn, WholeTurn):
                judgement = _judgement(judging, alone, turn, conversation)
                request.violations = (*judgement.violations, *judgement.accepted)
                yield from self._wire_findings(row, span, turn, judgement)
            else:
                yield from self._of_part(request)
        yield from self._of_histories(requests)
        yield from self._of_runs(requests)

    def _count(self, span: TraceSpan, turn: _Turn) -> None:
        totals = self.totals
        totals.grades[turn.grade] += 1
        totals.sources[label_of(span), turn.grade] += 1
        totals.traces.add(hashed(span.trace))
        if isinstance(turn, Gap):
            totals.why[turn.why, turn.hint] += 1
            return
        totals.wires[turn.asked.route.wire if isinstance(turn, WholeTurn) else turn.conversation.wire] += 1
        if isinstance(turn, PartialTurn):
            totals.why.update((note, "") for note in turn.notes)
        totals.lacking.update(EVERY_FACT - turn.facts - {"tool-runs"})

    # --- requests, one by one -----------------------------------------------------------------------------

    def _wire_findings(
        self, row: IndexedSpan, span: TraceSpan, turn: WholeTurn, judgement: Judgement
    ) -> Iterator[TraceFinding]:
        name = turn.asked.route.wire
        for found, accepted in ((judgement.violations, False), (judgement.accepted, True)):
            for finding in found:
                if self._wants_wire(finding, name):
                    reported = replace(finding, rule=f"continuation/{name}", impact="invalid")
                    yield TraceFinding(row.place.line, span.trace, span.id, name, reported, accepted)

    def _wants_wire(self, finding: Finding, name: WireName) -> bool:
        return self.options.selection.wants(RULES[f"continuation/{name}"], finding)

    def _of_part(self, request: _Request) -> Iterator[TraceFinding]:
        """The findings of rules that need only what the span shows, for the request in the form of its wire."""
        name, facts = request.conversation.wire, request.turn.facts
        speaker = wire(name)
        messages = as_the_wire_says_it(name, request.conversation.messages)
        written = speaker.write(replace(request.conversation, messages=messages, body={}))
        route = Route(name, request.conversation.model if speaker.model_in_path else None)
        try:
            conversation = speaker.read(route, written.body)
        except UnreadableRequest:
            return
        for finding in speaker.violations(conversation, IssuedState()):
            rule = wire_rules().get(finding.reference)
            if rule is not None and facts.issuperset(rule.needs) and self._wants_wire(finding, name):
                reported = replace(finding, rule=f"continuation/{name}", impact="invalid")
                yield request.shows(reported)

    # --- histories ------------------------------------------------------------------------------------------

    def _of_histories(self, requests: Sequence[_Request]) -> Iterator[TraceFinding]:
        """The findings in chains of requests that continue one another. Each branch of a conversation counts once."""
        seen: set[tuple[int, str, str, str]] = set()
        for path in _paths(requests):
            for at, finding in self._of_path(path):
                request = path[at]
                key = (request.row.n, finding.id, finding.expected, finding.got)
                if key not in seen:
                    seen.add(key)
                    yield request.shows(finding)

    def _of_path(self, path: Sequence[_Request]) -> Iterator[tuple[int, Finding]]:
        facts = EVERY_FACT.intersection(*(request.turn.facts for request in path))
        view = _view(path, self.options)
        wanted = _rules(self.options.selection, facts)
        for finding in judge(view, wanted):
            yield _request_at(path, finding), finding
        yield from _thinking_lost(path, self.options.selection, facts)

    def _of_runs(self, requests: Sequence[_Request]) -> Iterator[TraceFinding]:
        """The findings from the runs of tools in each turn, with the request that continues the turn."""
        if not self.totals.tool_runs or not self.options.runs:
            return
        following: dict[int, _Request] = {}
        for request in requests:
            if request.before is not None:
                following.setdefault(request.before, request)
        for number, request in enumerate(requests):
            if request.reply is None or not request.reply.turn.calls:
                continue
            after = following.get(number)
            stop = request.reply.turn.stop if "finish" in request.turn.facts else None
            found = broken_by_runs(
                request.reply.turn.calls, stop, request.row.ended, _added_results(request, after), self._runs(request)
            )
            for finding in found:
                shown = self.options.selection.info or finding.level != "INFO"
                if shown and finding.id in self.options.runs:
                    yield replace((after or request).shows(finding), wire=request.conversation.wire)

    def _runs(self, request: _Request) -> _RunsOf:
        return _RunsOf(self.stream, self.index, request.row.trace)


@dataclass(frozen=True, slots=True)
class _RunsOf:
    """The runs of tools for a call, in the trace of its request."""

    stream: BinaryIO
    index: SpanIndex
    trace: int

    def __call__(self, call: str) -> list[RecordedRun]:
        rows = self.index.runs_of(self.trace, call)
        return [run_of(again(self.stream, row.place, row.scope)) for row in rows]


def _added_results(request: _Request, after: _Request | None) -> list[Result]:
    """The results that the next request adds."""
    if after is None:
        return []
    before = len(request.conversation.messages)
    return [part for message in after.conversation.messages[before:] for part in message.results]


def _slices(rows: Iterable[IndexedSpan]) -> Iterator[list[IndexedSpan]]:
    """Requests that begin alike, as many at a time as memory allows."""
    slice: list[IndexedSpan] = []
    size = 0
    for row in rows:
        if slice and (len(slice) >= MOST_IN_GROUP or size + row.place.length > _MOST_BYTES):
            yield slice
            slice, size = [], 0
        slice.append(row)
        size += row.place.length
    if slice:
        yield slice


def _judgement(judging: Judge, alone: Judge, turn: WholeTurn, conversation: Conversation) -> Judgement:
    """The judgement of a request; without memory if a reply that it continues is in no span."""
    judgement = judging.judge(turn.asked)
    is_found = judgement.violations or judgement.accepted
    if is_found and 0 < judgement.remembered < turns_of_the_model(conversation):
        return alone.judge(turn.asked)
    return judgement


def _misses_turns(before: _Request, request: _Request) -> bool:
    """Whether a request continues a later turn of the model, which is in no span, than the recorded one."""
    if request.conversation.continues is not None:
        return False
    return turns_of_the_model(request.conversation) > turns_of_the_model(before.conversation) + 1


def _paths(requests: Sequence[_Request]) -> Iterator[list[_Request]]:
    """Each path of a conversation, from its first request to a request that is not continued."""
    gone_on = {request.before for request in requests}
    for number, request in enumerate(requests):
        if number in gone_on:
            continue
        path = [request]
        while path[-1].before is not None:
            path.append(requests[path[-1].before])
        yield path[::-1]


def _view(path: Sequence[_Request], options: TraceOptions) -> TraceView:
    """A conversation in the form for rules about traces."""
    name = path[0].conversation.wire
    speaker = wire(name)
    records: list[RequestRecord | ResponseRecord] = []
    replies: dict[int, Reply] = {}
    conversations: dict[int, tuple[Conversation, Conversation]] = {}
    violations: list[tuple[int, Finding]] = []
    model = path[0].conversation.model if speaker.model_in_path else ""
    url = speaker.write(Conversation(name, model or speaker.default_model, False, ())).path
    for number, request in enumerate(path):
        body = request.turn.asked.body if isinstance(request.turn, WholeTurn) else b""
        records.append(RequestRecord(number, "POST", url, {}, body))
        if isinstance(request.turn, PartialTurn):
            conversations[number] = (request.conversation, request.conversation)
        if request.reply is not None:
            response = (request.turn.asked.response or b"") if isinstance(request.turn, WholeTurn) else b""
            records.append(ResponseRecord(number, 200, {"content-type": "application/json"}, response))
            replies[number] = request.reply
        violations += [(number, finding) for finding in request.violations]
    case = Case(
        path[0].span.trace,
        "",
        name,
        profile=options.profile,
        turn_limit=options.turn_limit,
        emits=(),
        capabilities=(),
    )
    return TraceView(Trace(case, tuple(records)), replies, violations, conversations)


def _request_at(path: Sequence[_Request], finding: Finding) -> int:
    """The number of the request that a finding is about, found by its line in the view's trace."""
    lines = 2
    for number, request in enumerate(path):
        lines += 1 + (request.reply is not None)
        if finding.at is not None and finding.at < lines:
            return number
    return len(path) - 1


@lru_cache(maxsize=64)
def _rules(selection: Selection, facts: frozenset[Fact]) -> Selection:
    """The selected rules about exchanges that need only what the spans show. Requests are judged separately."""
    rules = frozenset(
        rule.id
        for rule in RULES.values()
        if rule.id in selection.rules
        and rule.family != "continuation"
        and rule.needs == ("exchanges",)
        and facts.issuperset(rule.facts)
    )
    return replace(selection, rules=rules, references=frozenset())


def _thinking_lost(
    path: Sequence[_Request], selection: Selection, facts: frozenset[Fact]
) -> Iterator[tuple[int, Finding]]:
    """Findings, if signatures are not recorded, that no thinking of a turn with calls was sent back."""
    rule = RULES["history/model-thinking"]
    if rule.id not in selection.rules or "thinking" not in facts or facts.issuperset(rule.facts):
        return
    for number, (answered, asked) in enumerate(pairwise(path), 1):
        reply = answered.reply
        if reply is None or not reply.turn.calls or not any(_is_thinking(part) for part in reply.turn.parts):
            continue
        added = asked.conversation.messages[len(answered.conversation.messages) :]
        if not any(_is_thinking(part) for message in added for part in message.parts):
            expected = "the thinking of a turn with calls in the next request"
            yield number, Finding(rule.id, "SHOULD", rule.impact, None, expected, "none of it")


def _is_thinking(part: object) -> bool:
    return type(part).__name__ == "ThinkingPart"
