"""A recording in our trace form.

The content of the recording is taken unchanged. Anything else is added only if it is certain:

- A request is put behind the results that it brings, so every event has its turn. No ``turnStart`` is made up.
- A ``setCode`` right before the result of a call that went well is that call's; any other while a call is open is a
  preview, of that call if only one is open. The page that ends a run is reported by ``final``, as our form has it.
- ``final`` and ``error`` are the outcome. An answer that the provider's SDK refused to read is a broken stream, as for
  the reference loop; any other exception but for HTTP errors and the turn limit is a crash of the loop.
- The files that were there before are those that the recording names; else the one that the first edit shows, or the
  code that the run ended with where neither an event nor the model has said it.
- A response is the scripted turn in its recorded chunks, rendered by our wire. Ids of its items and signatures are
  those that the next request gives back, where it does; others are stand-ins. A response that broke is left out,
  for how much of it had arrived is not recorded.
- Times, headers, byte offsets and the number of the exchange during which an event was shown are not recorded and
  not made up: rules that need them do not speak. Settings of requests are
  those of ``harness_lab.recorded.reading.golden``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from harness.errors import BadInput
from harness.trace import (
    Assistant,
    Case,
    Event,
    EventRecord,
    Failure,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    Trace,
)
from harness.wire import Conversation, Identity, UnreadableRequest, Wire, wire
from harness_lab.recorded.golden.beginnings import first_files
from harness_lab.recorded.golden.returned import signed, with_recorded_ids
from harness_lab.recorded.golden.script import as_streamed, turn_of
from harness_lab.recorded.run import Answer, HttpAnswer, ModelAnswer, RecordedEvent, RecordedRun

PROFILE = "screenshot-to-code"
TURN_LIMIT = 20
"""The contract of the recorded loop: its own document, and exactly 20 requests measured."""

_TOO_MANY_TURNS = "exceeded max tool turns"
_REFUSED_BY_THE_SDK = re.compile(r"ValidationError: \d+ validation errors? for GenerateContentResponse\b")
"""What Gemini's SDK raises while it reads an answer that is not as its API describes it."""


def traces_of(recordings: Iterable[RecordedRun]) -> list[Trace]:
    """The traces of all recordings. Raises ``BadInput`` with every recording that does not fit together."""
    traces: list[Trace] = []
    problems: list[str] = []
    for recording in recordings:
        try:
            traces.append(trace_of(recording))
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(*problems)
    return traces


def expressible(recordings: Iterable[RecordedRun], unread: list[str]) -> list[RecordedRun]:
    """The recordings that fit together; what is wrong with the others is added to ``unread``.

    Raises ``BadInput`` with these problems if no recording fits together.
    """
    found: list[RecordedRun] = []
    problems: list[str] = []
    for recording in recordings:
        try:
            trace_of(recording)
            found.append(recording)
        except BadInput as error:
            problems += error.problems
    if problems and not found:
        raise BadInput(*problems)
    unread += problems
    return found


def trace_of(recording: RecordedRun) -> Trace:
    """The recording as a trace. Raises ``BadInput`` when its requests and events do not fit each other."""
    speaker = wire(recording.wire)
    conversations = [_read(recording, speaker, number) for number in range(len(recording.exchanges))]
    identity = Identity(f"golden/{recording.name}")
    records: list[Record] = []
    page = recording.completion if recording.error is None else None
    for number, events in enumerate(_by_request(recording, conversations)):
        records.append(_request(recording, number))
        shown = [EventRecord(event) for event in _events(events, page)]
        response = _response(recording, speaker, number, conversations[number], identity)
        at = _first_result(shown)
        records += [*shown[:at], *response, *shown[at:]]
    records.append(EventRecord(_end(recording)))
    case = Case(
        id=recording.name,
        scenario=recording.scenario,
        wire=recording.wire,
        target=PROFILE,
        source="golden",
        profile=PROFILE,
        turn_limit=TURN_LIMIT,
        files=first_files(recording),
    )
    return Trace(case, tuple(records))


# --- requests -----------------------------------------------------------------------------------------------


def _request(recording: RecordedRun, number: int) -> RequestRecord:
    exchange = recording.exchanges[number]
    return RequestRecord(number, exchange.method, exchange.url, {}, exchange.request or b"")


def _read(recording: RecordedRun, speaker: Wire, number: int) -> Conversation:
    exchange = recording.exchanges[number]
    route = speaker.route(exchange.method, exchange.url)
    if route is None:
        raise BadInput(f"{recording.path}: request {number + 1}: {speaker.name} has no path {exchange.url!r}")
    try:
        return speaker.read(route, exchange.request or b"")
    except UnreadableRequest as error:
        raise BadInput(f"{recording.path}: request {number + 1}: its history cannot be read: {error}") from None


def _by_request(recording: RecordedRun, conversations: Sequence[Conversation]) -> Iterator[list[RecordedEvent]]:
    """The events shown after each request and before the next: up to the last result that the next one brings."""
    events = list(recording.events)
    reported = 0
    for number, conversation in enumerate(conversations[1:], 2):
        brought = sum(len(message.results) for message in conversation.messages)
        if brought == reported and isinstance(recording.answer(number - 2), ModelAnswer):
            raise BadInput(
                f"{recording.path}: request {number} brings no result of the turn before it: which events came before "
                f"it is not certain"
            )
        turn: list[RecordedEvent] = []
        while reported < brought:
            if not events:
                raise BadInput(
                    f"{recording.path}: request {number} brings {brought} results, of which {reported} were reported"
                )
            turn.append(events.pop(0))
            reported += turn[-1].kind == "toolResult"
        yield turn
    yield events


# --- events -------------------------------------------------------------------------------------------------


def _events(recorded: Sequence[RecordedEvent], page: str | None) -> Iterator[Event]:
    """The events of one turn. ``page`` is what ``final`` reports."""
    open_calls: list[str] = []
    for at, event in enumerate(recorded):
        match event.kind:
            case "assistant":
                yield Assistant(event.value, event.id)
            case "thinking":
                yield Thinking(event.value, event.id)
            case "toolStart":
                open_calls.append(event.id)
                yield ToolStart(event.id, event.data["name"], event.data.get("input"))
            case "toolResult":
                if event.id in open_calls:
                    open_calls.remove(event.id)
                yield ToolResult(event.id, event.data["name"], event.data.get("output"), event.data["ok"])
            case "setCode":
                code = _code(event, open_calls, recorded[at + 1 :])
                if code.id or code.preview or code.code != page:
                    yield code


def _code(event: RecordedEvent, open_calls: Sequence[str], rest: Sequence[RecordedEvent]) -> SetCode:
    if rest and rest[0].kind == "toolResult" and rest[0].data["ok"]:
        return SetCode(event.value, rest[0].id)
    if open_calls:
        return SetCode(event.value, open_calls[0] if len(open_calls) == 1 else None, preview=True)
    # No call is open and yet one ends: it was never started.
    result = next((each for each in rest if each.kind == "toolResult"), None)
    return SetCode(event.value, result.id, preview=True) if result else SetCode(event.value)


def _first_result(shown: Sequence[EventRecord]) -> int:
    """Where the response had ended at the latest: the first thing that says that a call has run."""
    for at, record in enumerate(shown):
        if isinstance(record.event, ToolResult) or (isinstance(record.event, SetCode) and not record.event.preview):
            return at
    return len(shown)


def _end(recording: RecordedRun) -> Event:
    if recording.error is None:
        return Final(recording.completion)
    return Failure(_kind(recording.error, recording.answer(len(recording.exchanges) - 1)), recording.error)


def _kind(error: str, answer: Answer) -> str:
    if isinstance(answer, HttpAnswer):
        return "http"
    if answer.cut_after is not None or _REFUSED_BY_THE_SDK.match(error):
        return "stream"
    return "turn-limit" if _TOO_MANY_TURNS in error else "crash"


# --- responses ----------------------------------------------------------------------------------------------


def _response(
    recording: RecordedRun, speaker: Wire, number: int, conversation: Conversation, identity: Identity
) -> list[ResponseRecord]:
    """The response to request ``number``; empty if it broke."""
    answer = recording.answer(number)
    if isinstance(answer, HttpAnswer):
        headers = {"content-type": "application/json", **answer.headers}
        return [ResponseRecord(number, answer.status, headers, json.dumps(answer.body).encode())]
    if answer.cut_after is not None:
        return []
    turn = signed(turn_of(answer, recording.wire), recording, number)
    rendered = speaker.render(turn, identity, conversation)
    body = b"".join(as_streamed(rendered.frames, answer, recording.wire))
    body = with_recorded_ids(body, rendered.reply.items, recording, number)
    return [ResponseRecord(number, 200, {"content-type": rendered.content_type}, body)]
