"""Traces beside one that was written down: the same with one thing changed, whichever it is.

A broken trace shows that a rule finds a mistake. What else the rule says, and where it says nothing, is seen only in
traces that nobody wrote for it: an event less, one twice, two exchanged; something that the caller does, or a request
that is sent again; a member empty, null, or that of another call; a part less in a request or in what the model has
said, or the same done to all parts; another contract; and two of these at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, islice
from typing import Any, Final
from zlib import crc32

from harness.trace import (
    AgUiRecord,
    CallerRecord,
    Case,
    EventRecord,
    Record,
    RequestRecord,
    ResponseRecord,
    SocketRecord,
    Trace,
)
from harness.wire import (
    Call,
    Conversation,
    Identity,
    Message,
    Result,
    Text,
    ThinkingPart,
    Turn,
    UnreadableRequest,
    Wire,
    recognise,
    wire,
)
from harness_lab.mutants.traces.draft import later
from harness_lab.mutants.traces.other_values import Peers, other_members, other_values

_WORDS: Final = "And the tide?"
_OVERLOADED: Final = 529
_PROFILES: Final = ("universal", "screenshot-to-code", "pydantic-ai", "tool-runner", "hugind")
_KINDS: Final = ("output", "external", "unapproved")
_CASE: Final[Sequence[str]] = (
    "profile",
    "turn_limit",
    "kinds",
    "edits",
    "generated",
    "emits",
    "capabilities",
    "returns",
    "inputs",
)
_CASE_TOO: Final[Sequence[str]] = ("tools", "prompt", "raises", "paced", "waited", "files", "folders")


@dataclass(frozen=True, slots=True)
class TraceChange:
    """``removed`` records at ``at`` are ``records`` instead, and the case is ``case``, where that is set.

    ``kind`` is the same for all changes of such a kind: ``ToolResult.output null``. ``before`` is a change of records
    behind these, which is made first.
    """

    kind: str
    at: int = 0
    removed: int = 0
    records: tuple[Record, ...] = ()
    case: Case | None = None
    before: TraceChange | None = None

    def is_none(self, trace: Trace) -> bool:
        """Whether the trace stays as it is."""
        as_it_was = self.records == trace.records[self.at : self.at + self.removed]
        return as_it_was and self.case in (None, trace.case)

    def made(self, trace: Trace) -> Trace:
        """The trace with the change."""
        if self.before is not None:
            trace = self.before.made(trace)
        records = (*trace.records[: self.at], *self.records, *trace.records[self.at + self.removed :])
        return Trace(self.case or trace.case, records)

    def together(self, other: TraceChange) -> TraceChange | None:
        """Both changes at once; None where they are of the same records, or both of the case."""
        first, last = sorted((self, other), key=lambda change: (change.at, change.removed))
        if first.at + first.removed > last.at or None not in (self.case, other.case):
            return None
        words = " and ".join(sorted(change.kind.split()[0].partition(".")[0] for change in (self, other)))
        return replace(first, kind=f"two changes of {words}", before=last)


_Made = Callable[[], TraceChange | None]
"""Makes a change; None where it would change nothing, or where nobody could write it."""

_Possible = Iterator[tuple[str, _Made]]
"""The kinds of changes, each with what makes one: of the many that are possible only a few are made."""


def drawn_changes(name: str, trace: Trace, most: int, pairs: int = 0) -> Iterator[TraceChange]:
    """At most ``most`` of all small changes of a trace, each of another kind; and so many ``pairs`` of these. A hash of
    the trace's name and of the change chooses, so that the others stay as they are where one is added."""
    singles = list(islice(_drawn(name, trace), most))
    yield from singles
    together = (one.together(other) for one, other in combinations(singles, 2))
    yield from islice((each for each in together if each is not None), pairs)


def _drawn(name: str, trace: Trace) -> Iterator[TraceChange]:
    seen: dict[str, int] = {}
    ranked: list[tuple[int, str, _Made]] = []
    for kind, make in _possible(trace, crc32(name.encode())):
        seen[kind] = seen.get(kind, 0) + 1
        ranked.append((crc32(f"{name} {kind} {seen[kind]}".encode("utf-8", "backslashreplace")), kind, make))
    kinds: set[str] = set()
    for _, kind, make in sorted(ranked, key=lambda each: each[:2]):
        if kind not in kinds and (change := make()) is not None and not change.is_none(trace):
            kinds.add(kind)
            yield change


def _possible(trace: Trace, chosen: int) -> _Possible:
    """All changes, but those of what is sent: of one request and one response alone, which ``chosen`` chooses."""
    yield from _of_case(trace)
    peers = Peers.of([_subject(record) for record in trace.records])
    for at, record in enumerate(trace.records):
        yield from _of_order(trace.records, at)
        yield from _of_record(record, at, peers)
        yield from _of_caller(record, at)
        yield from _of_exchange(trace.records, at)
    yield from _of_requests(trace, chosen)
    yield from _of_responses(trace, chosen)


def _as(kind: str, at: int, removed: int, *records: Record) -> tuple[str, _Made]:
    return kind, lambda: TraceChange(kind, at, removed, records)


# --- records ------------------------------------------------------------------------------------------------


def _subject(record: Record) -> Any:
    return record.event if isinstance(record, EventRecord) else record


def _word(record: Record) -> str:
    subject = _subject(record)
    did = subject.did if isinstance(subject, CallerRecord | SocketRecord) else subject.type if _is_agui(subject) else ""
    return f"{type(subject).__name__}{did and f' {did}'}"


def _is_agui(subject: Any) -> bool:
    return isinstance(subject, AgUiRecord)


def _of_order(records: Sequence[Record], at: int) -> _Possible:
    record, word = records[at], _word(records[at])
    yield _as(f"{word} without", at, 1)
    yield _as(f"nothing from {word} on", at, len(records) - at)
    if not isinstance(record, RequestRecord | ResponseRecord):
        yield _as(f"{word} twice", at, 1, record, record)
        yield _as(f"{word} first", 0, at + 1, record, *records[:at])
        yield _as(f"{word} last", at, len(records) - at, *records[at + 1 :], record)
    if at + 1 < len(records):
        yield _as(f"{word} after {_word(records[at + 1])}", at, 2, records[at + 1], record)


def _of_record(record: Record, at: int, peers: Peers) -> _Possible:
    word = _word(record)
    if isinstance(record, RequestRecord | ResponseRecord):
        return
    for what, subject in other_members(_subject(record), peers):
        changed = replace(record, event=subject) if isinstance(record, EventRecord) else subject
        yield _as(f"{word}.{what}", at, 1, changed)
    if isinstance(record, EventRecord):
        for offset in {0, record.offset // 2, record.offset + 1} - {record.offset}:
            what = "at once" if not offset else "earlier" if offset < record.offset else "later"
            yield _as(f"{word} emitted {what}", at, 1, replace(record, offset=offset))
        if record.exchange:
            yield _as(f"{word} of the exchange before", at, 1, replace(record, exchange=record.exchange - 1))
        yield _as(f"{word} of another conversation", at, 1, replace(record, conversation=1))


def _of_caller(record: Record, at: int) -> _Possible:
    """What the caller does in front of a record."""
    for act in (CallerRecord("cancel"), CallerRecord("say", _WORDS), CallerRecord("run", _WORDS)):
        yield _as(f"{_word(act)} before {_word(record)}", at, 1, act, record)


def _of_exchange(records: Sequence[Record], at: int) -> _Possible:
    """A request that is refused and sent again, and one that is sent again behind its answer."""
    request = records[at]
    if not isinstance(request, RequestRecord):
        return
    left = len(records) - at
    refused = ResponseRecord(request.exchange, _OVERLOADED, {"content-type": "application/json"}, b"{}")
    again = (request, refused, *map(later, records[at:]))
    yield _as("an exchange refused, and again", at, left, *again)
    answers = (place for place, each in enumerate(records) if _answers(each, request))
    if (answer := next(answers, None)) is not None:
        behind = answer + 1
        yield _as(
            "an exchange twice",
            at,
            left,
            *records[at:behind],
            *map(later, (request, records[answer], *records[behind:])),
        )


def _answers(record: Record, request: RequestRecord) -> bool:
    return isinstance(record, ResponseRecord) and record.exchange == request.exchange


# --- the case -----------------------------------------------------------------------------------------------


def _of_case(trace: Trace) -> _Possible:
    case = trace.case
    for what, changed in _cases(case, len(trace.exchanges)):
        kind = f"case {what}"
        yield kind, _case_maker(kind, changed)


def _case_maker(kind: str, case: Case) -> _Made:
    return lambda: TraceChange(kind, case=case)


def _cases(case: Case, asked: int) -> Iterator[tuple[str, Case]]:
    for name in (*_CASE, *_CASE_TOO):
        value = getattr(case, name)
        if value is not None and name in ("turn_limit", "emits", "capabilities", "files"):
            unknown: dict[str, Any] = {name: None}
            yield f"{name} null", replace(case, **unknown)
        if name != "profile":
            yield from ((f"{name} {what}", replace(case, **{name: other})) for what, other in other_values(value))
    yield from ((f"profile {each}", replace(case, profile=each)) for each in _PROFILES if each != case.profile)
    for limit in {1, asked - 1, asked, asked + 1} - {case.turn_limit, 0, -1}:
        yield f"turn_limit {'one' if limit == 1 else f'{limit - asked:+}'}", replace(case, turn_limit=limit)
    for name in sorted({*case.tools, *case.returns}):
        yield from ((f"kinds {kind}", replace(case, kinds={**case.kinds, name: kind})) for kind in _KINDS)
        yield "raises one", replace(case, raises=(*case.raises, name))
    for turn in range(1, asked + 1):
        yield "edits a turn", replace(case, edits=(*case.edits, turn))
    yield "emits nothing", replace(case, emits=())
    yield "capabilities none", replace(case, capabilities=())


# --- what is sent, in neutral words -------------------------------------------------------------------------


def _of_requests(trace: Trace, chosen: int) -> _Possible:
    asked = [(at, record) for at, record in enumerate(trace.records) if isinstance(record, RequestRecord)]
    for at, record in asked:
        yield _as("request broken off", at, 1, replace(record, body=record.body[:-1]))
        yield _as("request of another conversation", at, 1, replace(record, conversation=1))
        yield _as("request of no conversation", at, 1, replace(record, conversation=None))
    if asked:
        at, record = asked[chosen % len(asked)]
        with suppress(LookupError, ValueError, UnreadableRequest):  # nobody can read it
            yield from _of_request(trace, at, record)


def _read(trace: Trace, request: RequestRecord) -> tuple[Wire, Conversation]:
    speaker = wire(trace.case.wire)
    route = speaker.route(request.method, request.path) or recognise(request.method, request.path)
    if route is None:
        raise LookupError(request.path)
    speaker = wire(route.wire) if route.wire != speaker.name else speaker
    return speaker, speaker.read(route, request.body, request.headers)


def _of_request(trace: Trace, at: int, request: RequestRecord) -> _Possible:
    speaker, asked = _read(trace, request)
    plain = speaker.write(asked).body
    peers = Peers.of([part for message in asked.messages for part in message.parts])
    for answer in [record for record in trace.records if isinstance(record, ResponseRecord)]:
        with suppress(ValueError):  # it is none, or one of another wire
            peers.know(_turn_of(speaker.name, answer.headers.get("content-type", ""), answer.body).parts)
    for what, changed in _conversations(asked, peers):
        kind = f"request {what}"
        yield kind, _request_maker(kind, at, request, speaker, changed, plain)


def _request_maker(
    kind: str, at: int, request: RequestRecord, speaker: Wire, changed: Conversation, plain: bytes
) -> _Made:
    def make() -> TraceChange | None:
        with suppress(LookupError, TypeError, ValueError, AttributeError, AssertionError):
            body = speaker.write(changed).body
            return TraceChange(kind, at, 1, (replace(request, body=body),)) if body != plain else None
        return None

    return make


def _conversations(asked: Conversation, peers: Peers) -> Iterator[tuple[str, Conversation]]:
    """A request with one thing otherwise."""
    messages, tools = asked.messages, asked.tools
    for what, other_parts in _all_at_once():
        everywhere = [replace(each, parts=tuple(other_parts(each.parts))) for each in messages]
        yield what, replace(asked, messages=tuple(each for each in everywhere if each.parts))
    yield "model longer", replace(asked, model=f"{asked.model}x")
    for at in range(len(tools)):
        for what, others in _other_lists(tools, at):
            yield f"tool {what}", replace(asked, tools=tuple(others))
    for what, other in other_members(tools[0], Peers.of(tools)) if tools else ():
        yield f"tool.{what}", replace(asked, tools=(other, *tools[1:]))
    for at, message in enumerate(messages):
        for what, others in _other_lists(messages, at):
            yield f"{message.role} message {what}", replace(asked, messages=tuple(others))
        for what, changed in _messages(message, peers):
            yield f"{message.role} {what}", replace(asked, messages=(*messages[:at], changed, *messages[at + 1 :]))


_OtherParts = Callable[[Sequence[Any]], Sequence[Any]]


def _all_at_once() -> Iterator[tuple[str, _OtherParts]]:
    """What may be done to all parts, whichever turn or message they are in."""
    for name in ("id", "name", "text", "signature", "arguments", "output"):
        yield f"every {name} empty", _each_with(name, lambda _: "")
        yield f"every {name} longer", _each_with(name, lambda text: f"{text}x")
    for kind in (Text, Call, Result, ThinkingPart):
        yield f"no {kind.__name__}", _without(kind)


def _without(kind: type) -> _OtherParts:
    return lambda parts: [part for part in parts if not isinstance(part, kind)]


def _each_with(name: str, other: Callable[[str], str]) -> _OtherParts:
    def change(parts: Sequence[Any]) -> Sequence[Any]:
        return [
            replace(part, **{name: other(getattr(part, name))}) if getattr(part, name, None) else part for part in parts
        ]

    return change


def _messages(message: Message, peers: Peers) -> Iterator[tuple[str, Message]]:
    parts = message.parts
    for role in ("system", "user", "assistant"):
        if role != message.role:
            yield f"message as {role}", replace(message, role=role)
    for at, part in enumerate(parts):
        word = type(part).__name__
        for what, others in _other_lists(parts, at):
            yield f"{word} {what}", replace(message, parts=tuple(others))
        for what, other in other_members(part, peers):
            yield f"{word}.{what}", replace(message, parts=(*parts[:at], other, *parts[at + 1 :]))


def _other_lists(values: Sequence[Any], at: int) -> Iterator[tuple[str, Sequence[Any]]]:
    """A list without its element at ``at``, with it twice, and with the next one in front of it."""
    before, element, behind = values[:at], values[at], values[at + 1 :]
    yield "without", [*before, *behind]
    yield "twice", [*before, element, element, *behind]
    if behind:
        yield "later", [*before, behind[0], element, *behind[1:]]


# --- what the model has said --------------------------------------------------------------------------------


def _of_responses(trace: Trace, chosen: int) -> _Possible:
    asked = {record.exchange: record for record in trace.records if isinstance(record, RequestRecord)}
    answers = [(at, record) for at, record in enumerate(trace.records) if isinstance(record, ResponseRecord)]
    for at, record in answers:
        half = replace(record, body=record.body[: len(record.body) // 2])
        yield _as("response half", at, 1, half)
        for end in ("cut", "reset", "closed"):
            yield _as(f"response {end}", at, 1, replace(half, end=end))
        for status in (400, 529):
            yield _as(f"response {status}", at, 1, replace(record, status=status, body=b"{}"))
    if answers:
        at, record = answers[chosen % len(answers)]
        with suppress(LookupError, ValueError, UnreadableRequest):  # nobody can read it
            yield from _of_response(trace, at, record, asked[record.exchange])


@lru_cache(maxsize=1024)
def _turn_of(name: str, content_type: str, body: bytes) -> Turn:
    """What the model says in a response; many small runs have the same."""
    return wire(name).parse(content_type, body).turn


def _of_response(trace: Trace, at: int, response: ResponseRecord, request: RequestRecord) -> _Possible:
    speaker, asked = _read(trace, request)
    turn = _turn_of(speaker.name, response.headers.get("content-type", ""), response.body)
    peers = Peers.of(turn.parts)

    def maker(kind: str, changed: Any) -> tuple[str, _Made]:
        def make() -> TraceChange | None:
            with suppress(LookupError, TypeError, ValueError, AttributeError, AssertionError):
                body = speaker.render(changed, Identity("small_change"), asked).body
                return TraceChange(kind, at, 1, (replace(response, body=body),))
            return None

        return kind, make

    for name in ("stop", "usage"):
        for what, other in other_values(turn.stop) if name == "stop" else other_members(turn.usage, Peers({})):
            yield maker(f"response {name} {what}", replace(turn, **{name: other}))
    for what, other_parts in _all_at_once():
        yield maker(f"response {what}", replace(turn, parts=tuple(other_parts(turn.parts))))
    for number, part in enumerate(turn.parts):
        word = type(part).__name__
        for what, others in _other_lists(turn.parts, number):
            yield maker(f"response {word} {what}", replace(turn, parts=tuple(others)))
        for what, other in other_members(part, peers):
            parts = (*turn.parts[:number], other, *turn.parts[number + 1 :])
            yield maker(f"response {word}.{what}", replace(turn, parts=parts))
