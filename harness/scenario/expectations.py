"""Compares a trace with what a scenario expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import get_args

from harness.finding import Finding
from harness.scenario.automaton import EventExpression, NoMatch
from harness.scenario.call_expectations import has_members, of_calls
from harness.scenario.missed import number_of, unmet
from harness.scenario.model import Expect, ExpectedError, FinalExpect, Outcome, SentExpect, ToolRun
from harness.scenario.patterns import describe
from harness.scenario.texts import ReadText, members_in, read_json, texts_in
from harness.scenario.tool_runs import SeenRun, seen_runs
from harness.scenario.words import either, shown
from harness.trace import (
    RAISED,
    Assistant,
    Event,
    Exchange,
    Failure,
    Final,
    JsonValue,
    Thinking,
    ToolArguments,
    Trace,
    TurnStart,
)
from harness.trace.kinds import EVENTS, event_kind
from harness.wire import Call, Conversation, Opaque, Part, Refusal, Result, Text, ThinkingPart

_NO_KINDS: frozenset[str] = frozenset()
_ENDS = frozenset({"final", "error"})

_MOMENT = 0.05
"""Seconds that a wait may be shorter than expected: timers are not exact."""

_REMEMBERED = 8
"""The most matched events that a mismatch shows."""


_REPORTED: frozenset[Outcome] = frozenset({"truncated", "refused"})
"""Ends that only a loop with reported outcomes can report."""

_SOME_END: tuple[Outcome, ...] = get_args(Outcome)

_NO_HISTORIES: Mapping[int, Conversation] = {}


def compare(
    expect: Expect,
    trace: Trace,
    histories: Mapping[int, Conversation] = _NO_HISTORIES,
    made: Sequence[Call] = (),
    *,
    over: str = "",
) -> list[Finding]:
    """Every expectation that ``trace`` does not meet, in the order in which a scenario writes them.

    Some requests name earlier turns instead of sending them. ``histories`` has the history of each by the number of its
    exchange, as the endpoint has put it together for the model. ``made`` are the calls of the model, with which
    ``results`` finds what went back. ``over`` is the transport that the scenario is about, if it is about one.

    A loop that does not promise the capability ``outcomes`` may end a truncated or refused run in any way: it may
    return the text so far, or raise. Its requests and tool runs are compared anyway.

    A loop may refuse a stream in a dialect of its wire with an error. Nothing is expected of such a run; rules find
    any harm.
    """
    if trace.case.dialect and isinstance(_last_of(trace, (Final, Failure))[1], Failure):
        return []
    open_end = not (trace.case.promises("outcomes") or _REPORTED.isdisjoint(expect.outcome))
    requests = _Requests(trace, histories, over)
    return [
        *_outcome(_SOME_END if open_end else expect.outcome, trace),
        *_turns(expect.turns, trace),
        *_requests(expect.requests, trace),
        *(_events(expect.events, trace, _ENDS if open_end else _NO_KINDS) if expect.events else ()),
        *(mismatch for each in expect.sent for mismatch in _in_request(each, requests)),
        *of_calls(expect, trace, histories, made),
        *(_runs(expect, seen_runs(trace, histories)) if expect.ran or expect.not_ran else ()),
        *(_final(expect.final, trace) if expect.final and _can_emit(trace, "final") and not open_end else ()),
        *(_error(expect.error, trace) if expect.error and _can_emit(trace, "error") else ()),
    ]


def compare_sent(expected: Sequence[SentExpect], trace: Trace) -> list[Finding]:
    """The expectations that the requests of ``trace``, which may be of any conversation, do not meet."""
    requests = _Requests(trace, _NO_HISTORIES, "")
    return [mismatch for each in expected for mismatch in _in_request(each, requests)]


def _outcome(right: Sequence[Outcome], trace: Trace) -> Iterator[Finding]:
    at, end = _last_of(trace, (Final, Failure))
    if not _can_emit(trace, "final"):
        yield from _failure(right, at, end)
        return
    got = _outcome_of(end)
    if isinstance(end, Failure) and end.kind == RAISED and "turn-limit" in right:
        return  # it is known by its text alone, which may say just that
    if got not in right and not (isinstance(end, Failure) and "failed" in right):
        yield unmet("outcome", either(right), f"{got} ({_in_words(end)})" if isinstance(end, Failure) else got, at)


def _failure(right: Sequence[Outcome], at: int | None, end: Event | None) -> Iterator[Finding]:
    """Check whether a loop without outcomes was right to fail or not to fail. At its limit both are right."""
    failed = isinstance(end, Failure)
    if not any(outcome == "turn-limit" or failed is (outcome == "failed") for outcome in right):
        got = f"failed ({_in_words(end)})" if end is not None and failed else "no failure"
        yield unmet("outcome", either(right), got, at)


def _can_emit(trace: Trace, kind: str) -> bool:
    """Return whether the loop can be expected to emit events of this kind."""
    return trace.case.emits is None or kind in trace.case.emits


def _outcome_of(end: Event | None) -> str:
    match end:
        case Final(outcome=outcome):
            return outcome
        case Failure(kind="turn-limit"):
            return "turn-limit"
        case Failure():
            return "failed"
        case _:
            return "neither a final nor an error event"


def _turns(expected: int | None, trace: Trace) -> Iterator[Finding]:
    # A response without a record was begun and never closed (an SDK that leaves a broken stream to the collector).
    answered = [exchange for exchange in trace.served if exchange.response is None or exchange.response.is_turn]
    if expected is not None and len(answered) != expected:
        at = answered[-1].request_at if answered else None
        yield unmet("turns", number_of(expected, "model turn"), str(len(answered)), at)


def _requests(expected: int | None, trace: Trace) -> Iterator[Finding]:
    requests = trace.served
    if expected is not None and len(requests) != expected:
        at = requests[-1].request_at if requests else None
        yield unmet("requests", number_of(expected, "request"), str(len(requests)), at)


class _SentRequest:
    """A request for searches: its body, its own texts, and all texts that the model was sent."""

    def __init__(self, exchange: Exchange, history: Conversation | None, over: str) -> None:
        self.at = exchange.request_at
        self.body = read_json(exchange.request.body)
        self.own = [ReadText(text) for text in texts_in(self.body)]
        self.texts = self.own if history is None else [ReadText(text) for text in texts_in(_as_json(history))]
        # A place of the whole input is none of what is new, but where the scenario says what goes over a connection.
        self.has_places = history is None or not exchange.request.connection or bool(over)

    def first_with(self, part: str) -> str | None:
        """The first text that contains ``part``."""
        texts = self.texts if self.texts is self.own else [*self.texts, *self.own]
        return next((each.text for each in texts if each.times(part)), None)

    @property
    def words(self) -> str:
        """All texts that the model was sent."""
        return " | ".join([each.text for each in self.texts])


class _Requests:
    """The requests of a trace. Each is read only once."""

    def __init__(self, trace: Trace, histories: Mapping[int, Conversation], over: str) -> None:
        self.trace = trace
        self._histories = histories
        self._over = over
        self._read: dict[int, _SentRequest] = {}

    def read(self, number: int) -> _SentRequest:
        """Request ``number``, from 1."""
        if number not in self._read:
            exchange = self.trace.served[number - 1]
            self._read[number] = _SentRequest(exchange, self._histories.get(exchange.request.exchange), self._over)
        return self._read[number]


def _in_request(expected: SentExpect, requests: _Requests) -> Iterator[Finding]:
    trace = requests.trace
    if expected.request > len(trace.served):
        yield unmet("sent", f"request {expected.request}", f"{number_of(len(trace.served), 'request')} in all")
        return
    sent = requests.read(expected.request)
    for words, wanted in ((expected.contains, True), (expected.lacks, False)):
        for part in words:
            found = sent.first_with(part)
            if (found is not None) is not wanted:
                what = f"request {expected.request} {'with' if wanted else 'without'} {shown(part)}"
                yield unmet("sent", what, shown(found or sent.words), sent.at)
    for pointer, value in expected.values.items() if sent.has_places else ():
        if (got := _at(sent.body, pointer)) != value or type(got) is not type(value):
            what = f"request {expected.request} with {shown(value)} at {pointer}"
            yield unmet("sent", what, shown(got), sent.at)
    named = set(members_in(sent.body)) if expected.without else set()
    for name in expected.without:
        if name in named:
            yield unmet("sent", f"request {expected.request} without a member {name!r}", "it has one", sent.at)
    for what, got in _once(expected.once, sent.texts) if list(_once(expected.once, sent.own)) else ():
        yield unmet("sent", f"request {expected.request} with {what}", got, sent.at)
    if expected.waits:
        yield from _wait_findings(expected, trace)


def _wait_findings(expected: SentExpect, trace: Trace) -> Iterator[Finding]:
    """Compare how long the loop has waited between the previous answer and its request."""
    exchange = trace.served[expected.request - 1]
    answers = [each.response for each in trace.served[: expected.request - 1] if each.response is not None]
    waited = exchange.request.at - answers[-1].at if answers else 0.0
    fewest, *most = expected.waits
    if waited < fewest - _MOMENT or any(waited > each for each in most):
        seconds = " to ".join(f"{each:g}" for each in expected.waits)
        what = f"request {expected.request} {seconds if most else f'{seconds} or more'} seconds after the answer before"
        yield unmet("sent", what, f"{waited:.2f} seconds", exchange.request_at)


def _at(value: JsonValue, pointer: str) -> JsonValue:
    """The value at a JSON Pointer (RFC 6901); None if there is none."""
    for name in pointer.split("/")[1:]:
        name = name.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(name)
        else:
            value = value[int(name)] if isinstance(value, list) and name.isdigit() and int(name) < len(value) else None
    return value


def _once(parts: Sequence[str], texts: Sequence[ReadText]) -> Iterator[tuple[str, str]]:
    """Yield each part that is not exactly once in ``texts``, or not behind the part before it, and what was found."""
    before: tuple[tuple[int, int], str] | None = None
    for part in parts:
        times = [text.times(part) for text in texts]
        if sum(times) != 1:
            everything = " | ".join([text.text for text in texts])
            yield f"{shown(part)} exactly once", f"{sum(times)} times in {shown(everything)}"
            continue
        at = times.index(1)
        place = at, texts[at].place(part)
        if before is not None and place < before[0]:
            yield f"{shown(part)} after {shown(before[1])}", "the opposite order"
        before = place, part


def _as_json(history: Conversation) -> JsonValue:
    """A history in the form of a sent request; only its texts matter."""
    return [{"role": message.role, "parts": [_part(part) for part in message.parts]} for message in history.messages]


def _part(part: Part | Result | Opaque) -> JsonValue:
    match part:
        case Text(text) | Refusal(text):
            return {"text": text}
        case ThinkingPart(text=text):
            return {"text": text, "thought": True}
        case Call(name, arguments, id):
            return {"id": id, "name": name, "arguments": read_json(arguments) or arguments}
        case Result(id, output):
            return {"id": id, "output": read_json(output) or output}
        case Opaque(native=native):
            found: JsonValue = native
            return found


def _runs(expect: Expect, seen: Sequence[SeenRun]) -> Iterator[Finding]:
    for run in expect.ran:
        if not any(each.may_be_of(run) for each in seen):
            others = [each.sign for each in seen if each.tool == run.tool]
            yield unmet("ran", f"{_run(run)} to run", " | ".join(others[:3]) or "nothing shows that it ran")
    for run in expect.not_ran:
        for each in [each for each in seen if each.is_of(run)][:1]:
            yield unmet("not_ran", f"{_run(run)} not to run", each.sign, each.at)


def _run(run: ToolRun) -> str:
    return run.tool + ("" if run.arguments is None else f" with {shown(run.arguments)}")


def _final(expected: FinalExpect, trace: Trace) -> Iterator[Finding]:
    at, final = _last_of(trace, (Final,))
    if not isinstance(final, Final):
        yield unmet("final", "a final event", "none")
        return
    if expected.equals is not None and final.code != expected.equals:
        yield unmet("final", f"code {shown(expected.equals)}", shown(final.code), at)
    for part in expected.contains:
        if part not in final.code:
            yield unmet("final", f"code that contains {shown(part)}", shown(final.code), at)
    for part in expected.lacks:
        if part in final.code:
            yield unmet("final", f"code without {shown(part)}", shown(final.code), at)
    if final.text is not None and expected.says not in final.text:
        yield unmet("final", f"a text that says {shown(expected.says)}", shown(final.text), at)
    yield from (unmet("final", *each, at) for each in _unmet_returns(expected, final))


def _unmet_returns(expected: FinalExpect, final: Final) -> Iterator[tuple[str, str]]:
    """Each unmet expectation of the returned usage, output and history."""
    if final.usage is not None and not has_members(final.usage, expected.usage):
        yield f"a usage that has {shown(dict(expected.usage))}", shown(final.usage)
    if final.output is not None and not has_members(final.output, expected.output):
        yield f"an output that has {shown(dict(expected.output))}", shown(final.output)
    if not expected.history or not isinstance(final.history, list):
        return
    if len(final.history) != len(expected.history):
        yield number_of(len(expected.history), "message") + " in the history of the run", str(len(final.history))
        return
    for number, (wanted, message) in enumerate(zip(expected.history, final.history, strict=True), 1):
        if not has_members(message, wanted):
            yield f"message {number} of the history of the run that has {shown(dict(wanted))}", shown(message)


def _error(expected: ExpectedError, trace: Trace) -> Iterator[Finding]:
    at, failure = _last_of(trace, (Failure,))
    if not isinstance(failure, Failure):
        yield unmet("error", f"an error of kind {expected.kind}", "none")
    elif failure.kind not in (expected.kind, RAISED) or expected.contains not in failure.message:
        texts = f" that says {shown(expected.contains)}" if expected.contains else ""
        yield unmet("error", f"{expected.kind}{texts}", _in_words(failure), at)
    else:
        for part in expected.lacks:
            if part in failure.message:
                yield unmet("error", f"a message without {shown(part)}", _in_words(failure), at)


def _in_words(event: Event) -> str:
    """The event in words. For an error this includes its message, which the reader needs next."""
    return f"{describe(event)}: {shown(event.message)}" if isinstance(event, Failure) else describe(event)


def _last_of(trace: Trace, kinds: tuple[type[Event], ...]) -> tuple[int | None, Event | None]:
    for at, record in reversed(trace.events):
        if isinstance(record.event, kinds):
            return at, record.event
    return None, None


# --- events against an expression -------------------------------------------------------------------------


def _events(expression: EventExpression, trace: Trace, ignored: frozenset[str]) -> Iterator[Finding]:
    unasked = {"toolArguments"} if not expression.names("toolArguments") else _NO_KINDS
    silent = ignored | unasked | {kind for kind in EVENTS if not _can_emit(trace, kind)}
    events = list(_joined_events(trace, silent, with_turn_starts=expression.names("turnStart")))
    failed = expression.without(silent).match(event for _, event in events)
    if failed is None or (_gives_texts_at_the_end(trace) and _fits_without_texts(expression, trace, silent)):
        return
    at, got = events[failed.matched] if failed.matched < len(events) else (None, None)
    matched = [event for _, event in events[: failed.matched]]
    yield unmet("events", _possible_events(failed, matched), _came(got, first=not matched), at)


def _gives_texts_at_the_end(trace: Trace) -> bool:
    """Whether the loop shows texts only behind the last answer of each run: whose they are its events do not say then,
    and a rule compares them with all that the model has said."""
    shown_at = [at for at, record in trace.events if isinstance(record.event, Assistant | Thinking)]
    asked = [[exchange.request_at for exchange in trace.served if exchange.request_at in run] for run in trace.runs]
    if any(isinstance(record.event, TurnStart) for _, record in trace.events) or all(len(each) < 2 for each in asked):
        return False
    return not any(
        each and run.start <= at < each[-1] for at in shown_at for run, each in zip(trace.runs, asked, strict=True)
    )


def _fits_without_texts(expression: EventExpression, trace: Trace, silent: frozenset[str]) -> bool:
    silent |= {"assistant", "thinking"}
    events = _joined_events(trace, silent, with_turn_starts=expression.names("turnStart"))
    return expression.without(silent).match(event for _, event in events) is None


def _possible_events(failed: NoMatch, matched: list[Event]) -> str:
    """Which events could have followed those that matched."""
    expected = either([*map(str, failed.expected), *(["the end of the run"] if failed.may_end else [])])
    if matched:
        return f"{expected} {_after(matched)}"
    ends = failed.expected and all(pattern.kind in _ENDS for pattern in failed.expected)
    return f"the run to end with {expected}" if ends else f"the events to begin with {expected}"


def _came(event: Event | None, *, first: bool) -> str:
    """The event that did not match, in words; None is the end of the run."""
    if event is None:
        return "no event" if first else "the end of the run"
    return f"{_in_words(event)} as the first event" if first else _in_words(event)


def _joined_events(trace: Trace, silent: frozenset[str], *, with_turn_starts: bool) -> Iterator[tuple[int, Event]]:
    """The events in the form for expressions: the pieces of one text are one event, at the place of the first piece.

    The provider chooses the number of pieces of a text, so no contract is about it.
    """
    previous: tuple[int, Event] | None = None
    more: list[str] = []
    for at, record in trace.events:
        event = record.event
        if event_kind(event) in silent or (isinstance(event, TurnStart) and not with_turn_starts):
            continue
        if previous is not None and isinstance(event, _OF_A_TEXT) and _is_of_one_text(previous[1], event):
            more.append(event.text)
            continue
        if previous is not None:
            yield _with_more(*previous, more)
        previous, more = (at, event), []
    if previous is not None:
        yield _with_more(*previous, more)


_Piece = Assistant | Thinking | ToolArguments
_OF_A_TEXT = (Assistant, Thinking, ToolArguments)


def _is_of_one_text(earlier: Event, later: _Piece) -> bool:
    """Whether ``later`` goes on with the text of ``earlier``."""
    return isinstance(earlier, _OF_A_TEXT) and type(earlier) is type(later) and earlier.id == later.id


def _with_more(at: int, event: Event, more: Sequence[str]) -> tuple[int, Event]:
    """The event with the pieces that follow it, if there are any."""
    if not more or not isinstance(event, _OF_A_TEXT):
        return at, event
    return at, replace(event, text=_with_pairs_joined("".join([event.text, *more])))


def _with_pairs_joined(text: str) -> str:
    """Return ``text`` with surrogate pairs joined: a loop may have emitted the two halves in different pieces."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _after(events: list[Event]) -> str:
    """The longest match in words. Equal neighbours are counted, and only the last few are shown."""
    runs = [(text, len(list(run))) for text, run in groupby(map(describe, events))]
    words = [text if count == 1 else f"{text} x{count}" for text, count in runs[-_REMEMBERED:]]
    dots = "… " if len(runs) > _REMEMBERED else ""
    return f"after {dots}{' '.join(words)}"
