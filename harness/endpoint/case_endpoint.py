"""One case at the model endpoint: it reads each request, judges it against what it sent before, and answers.

Pure but for the recorder's clock: a request in, a plan of byte writes out (``ResponsePlan``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Literal, NoReturn, Protocol

from harness.endpoint.carriers import carrier
from harness.endpoint.conversations import CaseConversation, Conversations
from harness.endpoint.enforcement import STRICT, Enforcement
from harness.endpoint.frames import cut_off, garbled, whole_parts
from harness.endpoint.kept import KeptResponses, Redone
from harness.endpoint.recognition import RecognisedRequest
from harness.endpoint.recorder import Recorder
from harness.endpoint.request import ReceivedRequest
from harness.endpoint.response_plan import Pause, ResponsePlan
from harness.endpoint.source import (
    LiveResponse,
    ModelRequest,
    RecordedResponse,
    ScriptSource,
    Source,
    SourceResponse,
    Unknown,
)
from harness.endpoint.stored import Stored, is_without_turns
from harness.finding import Finding, ProviderAnswer
from harness.scenario import Cut, HttpErrorStep, TurnStep
from harness.scenario.run_values import Unresolved, made_calls, with_results
from harness.trace import (
    MAIN,
    Case,
    End,
    Event,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    ToolArguments,
    ToolResult,
    ToolStart,
)
from harness.wire import (
    Conversation,
    ErrorAnswer,
    Identity,
    IssuedState,
    Rendered,
    Reply,
    Route,
    Turn,
    UnreadableRequest,
    Wire,
    aside_of,
    recognise,
    wire,
)
from harness.wire.as_far import parsed_as_far
from harness.wire.base import Json, StoredHistory
from harness.wire.chunking import Chunking, chunks
from harness.wire.dialects import in_dialect
from harness.wire.keeping import KeptChange
from harness.wire.lenient import objects
from harness.wire.servers import known_server


class Pauses(Protocol):
    """Where the answer to a request of the main conversation pauses, so that the caller can act during the pause.

    ``request`` and ``turn`` count from 1; ``turn`` is 0 for an answer that is no turn. ``read`` reads the first
    chunks of a turn, as many as it is asked for.
    """

    def __call__(
        self, request: int, turn: int, chunks: Sequence[bytes], read: Callable[[int], Reply], /
    ) -> tuple[Pause, ...]: ...


class CaseEndpoint:
    """The endpoint's side of one case.

    ``apart`` assigns each request to its conversation (by default the first is the main one). ``conversations`` (each
    request as read, and as resolved), ``replies`` and ``violations`` are kept with the number of their exchange, so
    that the trace need not be read again to judge it. ``unresolved`` are members of results that an answer names but
    its request lacks. ``unreached`` are the moments at which the caller was to act and that never came. ``unknown``
    are the requests that no recording answers. ``refused`` are the exchanges whose request breaks a rule of the
    provider and was refused.

    ``before_requests`` is called before a request is recorded, so that earlier events of the loop are recorded first.
    ``after_event`` is called with each event, once it is recorded.

    A request that ``enforcement`` refuses is refused as the provider does it. Any other request is answered, and its
    faults are only noted.
    """

    def __init__(
        self,
        case: Case,
        source: Source,
        *,
        clock: Callable[[], float],
        chunking: Chunking = "event",
        enforcement: Enforcement = STRICT,
        apart: Conversations | None = None,
    ) -> None:
        self.case = case
        self.recorder = Recorder(case, clock)
        self.apart = apart or Conversations()
        self.conversations: dict[int, tuple[Conversation, Conversation]] = {}
        self.replies: dict[int, Reply] = {}
        self.violations: list[tuple[int, Finding]] = []
        self.refused: set[int] = set()
        self.overrun = 0
        self.unknown: list[tuple[int, Unknown]] = []
        self.unresolved: list[tuple[int, TurnStep, Unresolved]] = []
        self.before_requests: Callable[[], None] | None = None
        self.after_event: Callable[[Event], None] | None = None
        self.pauses: Pauses | None = None
        self.unreached: Sequence[str] = ()
        self._turns = 0
        self._latest: dict[str, Conversation] = {}
        self._live: dict[int, tuple[CaseConversation, Conversation]] = {}
        self.kept = KeptResponses(self.recorder, self.apart, self.replies)
        self.share(Stored(f"{case.seed}/{case.id}/stored"))
        self._histories: dict[str, StoredHistory | None] = {}
        self._changes: list[tuple[int, Redone]] = []
        self._is_replaying, self.apart.is_new = False, self.stored.is_new
        self._source = source
        self._wire = wire(case.wire)
        self._identity = Identity(f"{case.seed}/{case.id}")
        self._chunking = chunking
        self._enforcement = enforcement

    def route(self, method: str, path: str) -> Route | None:
        """Return the route on the wire of this case if it has the path (a dialect shares it), else on any wire."""
        return self._wire.route(method, path) or recognise(method, path) or _in_place(method, path)

    def answer(self, request: ReceivedRequest) -> tuple[int, ResponsePlan | LiveResponse]:
        """Judge and answer a request of this case. Returns the number of the exchange and the answer."""
        if self.before_requests is not None:
            self.before_requests()
        speaker = wire(request.route.wire, self.case.declines, known_server(self.case.server))
        try:
            asked = request.asked(speaker, self._latest.get(speaker.name))
        except UnreadableRequest as unreadable:
            exchange = self.recorder.request(request)
            self.violations.append((exchange, unreadable.finding))
            self.refused.add(exchange)
            return exchange, _plain(speaker.refuse(unreadable.finding.answered, self._identity))
        self._take_in(asked.conversation)
        if request.route.aside:
            return self._in_place(request, speaker, asked)
        self._latest[speaker.name] = asked.conversation
        main = self.apart.main
        within = self.apart.assign(asked)
        if main.number != MAIN:  # it was taken for the main one before
            self.recorder.renumber(main.number)
        exchange = self.recorder.request(request, within.number, self._followed_exchange(within))
        issued = self._issued_state(within, asked.conversation)
        conversation = speaker.resolve(asked.conversation, issued)
        self.conversations[exchange] = asked.conversation, conversation
        violations = speaker.violations(conversation, issued)
        self.violations += [(exchange, finding) for finding in violations]
        declined = self.case.declined(request.body)  # a form that is not served is answered to nobody
        refused = next((each for each in violations if declined or self._enforcement.refuses(each)), None)
        if refused is not None:
            within.declined += declined
            self.refused.add(exchange)
            issued.failed(conversation)
            return exchange, _plain(speaker.refuse(refused.answered, self._identity))
        if (answered := self._forgotten(speaker, within, conversation)) is not None:
            issued.failed(conversation)
            return exchange, _plain(speaker.refuse(answered, self._identity))
        model_request = ModelRequest(
            request.method, request.path, request.headers, request.body, conversation, within.number, self.case.id
        )
        source_response = (within.source or self._source).next(model_request)
        answer = self._plan_for(exchange, speaker, within, conversation, source_response)
        if isinstance(answer, ResponsePlan) and not 0 < answer.status < 400:
            issued.failed(conversation)
        return exchange, self._with_pauses(speaker, within, answer)

    def _issued_state(self, within: CaseConversation, asked: Conversation) -> IssuedState:
        """What has been issued in the conversation of a request on its wire, with what is stored for all."""
        issued = within.issued.of(asked.wire)
        issued.stored, issued.compactions = self._histories, self.stored.compactions
        return issued

    def _in_place(self, request: ReceivedRequest, speaker: Wire, asked: RecognisedRequest) -> tuple[int, ResponsePlan]:
        """Judge and answer a request that has a history but asks for something else than the model's answer."""
        within = self.apart.find(asked) or self.apart.main
        exchange = self.recorder.request(request, within.number, self._followed_exchange(within))
        issued = self._issued_state(within, asked.conversation)
        conversation = speaker.resolve(asked.conversation, issued)
        violations = speaker.violations(conversation, issued)
        self.conversations[exchange] = asked.conversation, conversation
        self.violations += [(exchange, finding) for finding in violations]
        refused = next((each for each in violations if self._enforcement.refuses(each)), None)
        if refused is not None:
            self.refused.add(exchange)
            return exchange, _plain(speaker.refuse(refused.answered, self._identity))
        assert speaker.in_place is not None  # noqa: S101 - no other request has such a route here
        document = speaker.in_place(conversation, self._identity)
        self.stored.issued(objects(document.get("output")))
        return exchange, self._whole(document)

    def _whole(self, document: Json) -> ResponsePlan:
        headers = {"content-type": "application/json", **self._wire.response_headers(self._identity, stream=False)}
        return ResponsePlan(200, headers, (json.dumps(document).encode(),))

    def _followed_exchange(self, within: CaseConversation) -> int | None:
        """The exchange that the first request of a branch goes on from."""
        if within.follows is None or within.requests > 1:
            return None
        return next((number for number, reply in self.replies.items() if reply is within.follows), None)

    def _forgotten(self, speaker: Wire, within: CaseConversation, conversation: Conversation) -> ProviderAnswer | None:
        """The answer if the script makes the connection forget the response that a request continues; else None."""
        over = carrier(speaker, conversation)
        if over is None or not conversation.continues:
            return None
        script = _script(within.source or self._source)
        return None if script is None else over.forgotten(script, speaker, conversation)

    # --- what is asked on a connection ------------------------------------------------------------------------

    @property
    def script(self) -> ScriptSource | None:
        """The script of the main conversation; None if its answers come from elsewhere."""
        return _script(self.apart.main.source or self._source)

    def refusal(self, status: int) -> ResponsePlan:
        """The provider's error with this status; with 0 the connection is closed without an answer."""
        return _plain(self._wire.error(status, self._identity)) if status else _no_answer("cut")

    def steered(self, exchange: int, kind: str, body: bytes) -> None:
        """Note that a response ended differently than planned, because its client steered it."""
        got = wire(self.conversations[exchange][0].wire).parse(kind, body)
        self.kept.correct(exchange, self.replies[exchange], got)

    def warmed_up(self, request: ReceivedRequest) -> tuple[str, ResponsePlan]:
        """The answer to a warm-up request, which generates nothing, and the id by which other requests continue it.

        It belongs to no conversation, and no source is asked.
        """
        speaker = wire(request.route.wire, self.case.declines, known_server(self.case.server))
        try:
            conversation = request.asked(speaker).conversation
        except UnreadableRequest as unreadable:
            return "", _plain(speaker.refuse(unreadable.finding.answered, self._identity))
        rendered = speaker.render(Turn(()), self._identity, conversation)
        head = speaker.response_headers(self._identity, stream=True)
        head = {**head, "content-type": rendered.content_type}
        return rendered.reply.id, ResponsePlan(200, head, rendered.frames, reply=rendered.reply)

    def error_frame(self, speaker: Wire, answered: ProviderAnswer) -> ErrorAnswer:
        """The error in which the wire expresses a provider's answer."""
        return speaker.refuse(answered, self._identity)

    @property
    def at_rest(self) -> bool:
        """Whether no response is on its way."""
        return not self.recorder.open and not self._live

    @property
    def source(self) -> Source:
        """The source of the case's answers. Side conversations may have a script of their own instead."""
        return self._source

    @property
    def lasting_source(self) -> Source | None:
        """The source, if opening it anew and asking the same would give other answers; else None."""
        return None if getattr(self._source, "repeats", False) else self._source

    def replay(self, records: Sequence[Record | Redone], source: Source | None = None) -> None:
        """Take over the records of an endpoint of the same case, so that this endpoint can continue it.

        ``source`` is its ``lasting_source``. It is not asked again: its answers are read from the records.
        """
        own, self._source = self._source, self._source if source is None else _Answered()
        self._is_replaying, self.apart.is_new = True, partial(_is_new, self._histories)
        for record in records:
            match record:
                case Redone(change) as changed:
                    self._changes.append((len(self.recorder), changed))
                    self._redo(change)
                case RequestRecord(method=method, path=path, headers=headers, body=body) as asked:
                    route = self.route(method, path)
                    assert route is not None  # noqa: S101 - it was recorded by an endpoint with the same wire
                    over = asked.connection, asked.lane
                    CaseEndpoint.answer(self, ReceivedRequest(route, method, path, headers, body, None, *over))
                case ResponseRecord(exchange, status, headers, body, _, end):
                    self.recorder.respond(exchange, status, headers)((body,))
                    CaseEndpoint.ended(self, exchange, end)
        self.recorder.restore([record for record in records if not isinstance(record, Redone)])
        self._is_replaying = False
        self._source = own if source is None else source

    # --- what is kept -----------------------------------------------------------------------------------------

    def share(self, stored: Stored) -> None:
        """Use ``stored`` as the provider's storage, which all endpoints of a scenario share."""
        self.stored = stored
        self.apart.is_new = stored.is_new

    @property
    def lasting_records(self) -> list[Record | Redone]:
        """All records, and among them the changes of kept responses: the input of ``replay``."""
        records: list[Record | Redone] = [*self.recorder.trace().records]
        for at, changed in reversed(self._changes):
            records.insert(at, changed)
        return records

    def change(self, change: KeptChange) -> None:
        """Change a kept response of this case, as a client has requested.

        This is no exchange of its own: the exchange that created the response has it as it is finally fetched.
        """
        if self._redo(change):  # behind the record of a response that has ended by it
            self._changes.append((len(self.recorder), Redone(change)))

    def _take_in(self, conversation: Conversation) -> None:
        """Note the present content of the stored history that a request names; other requests may have changed it."""
        id = conversation.continues
        if id is None or self._is_replaying:
            return
        stored, known = self.stored.get(id), self._histories.get(id)
        if stored is None:
            if self.stored.is_dropped(id) and not (id in self._histories and known is None):
                self._note_change(KeptChange("drop", id))
            return
        there = len(known.entries) if known else 0
        removed = known.removed if known else frozenset()
        if known is None or len(stored.entries) > there:
            self._note_change(KeptChange("append", id, items=stored.entries[there:]))
        for item in sorted(stored.removed - removed):
            self._note_change(KeptChange("remove", id, item=item))

    def _note_change(self, change: KeptChange) -> None:
        """Note that a stored history has changed."""
        self._changes.append((len(self.recorder), Redone(change)))
        self._redo(change)

    def _redo(self, change: KeptChange) -> bool:
        """Change what is kept; False if this changes nothing."""
        known = self._histories.get(change.id) or StoredHistory([])
        match change.did:
            case "append":
                assert isinstance(known.entries, list)  # noqa: S101 - it grows in place: nobody else has it
                known.entries.extend(change.items)
                self._histories[change.id] = known
            case "remove":
                self._histories[change.id] = StoredHistory(known.entries, known.removed | {change.item})
            case "drop":
                self._histories[change.id] = None
            case _:
                is_changed = self.kept.change(change)
                over, self.kept.over = self.kept.over, []
                for exchange in over:
                    self.ended(exchange, _END_EOF)
                return is_changed
        return True

    def ended(self, exchange: int, end: End) -> None:
        """Note that either side has ended a response. One that is made in the background ends when it is complete."""
        if self.kept.is_made(exchange):
            return
        response = self.recorder.ended(exchange, end)
        if response is not None and end == "closed":
            self._left_by_the_client(exchange, response)
        waiting = self._live.pop(exchange, None)
        if waiting is not None and response is not None:
            self._heard(exchange, *waiting, response.status, response.headers, response.body)

    def _left_by_the_client(self, exchange: int, response: ResponseRecord) -> None:
        """The client closed the connection in the middle of an answer: the part that it missed counts as not sent."""
        reply, (asked, _) = self.replies.get(exchange), self.conversations[exchange]
        if reply is None:
            return
        try:
            got = wire(asked.wire).parse(response.headers.get("content-type", ""), response.body)
        except ValueError:
            return
        self.kept.correct(exchange, reply, got)

    def emitted(self, event: Event) -> None:
        """Record that the loop has emitted ``event``. An event of a tool belongs to the conversation that called it."""
        call_id = event.id if isinstance(event, _OF_TOOLS) else None
        self.recorder.emitted(event, self.apart.number_of(call_id))
        if self.after_event is not None:
            self.after_event(event)

    @property
    def issued(self) -> IssuedState:
        """What has been sent in the main conversation."""
        return self.apart.main.issued

    @property
    def left(self) -> Sequence[str]:
        """The recordings that no request has asked for by now (``Source.left``)."""
        return self._source.left()

    def close(self) -> None:
        """End the case: a response that is still open was abandoned by the client."""
        self.kept.clear()
        for exchange in self.recorder.open:
            self.ended(exchange, "closed")

    def _with_pauses(
        self, speaker: Wire, within: CaseConversation, answer: ResponsePlan | LiveResponse
    ) -> ResponsePlan | LiveResponse:
        """The answer with the pauses in which the caller acts."""
        if self.pauses is None or within.number != MAIN or isinstance(answer, LiveResponse):
            return answer
        self._turns += answer.reply is not None
        kind = answer.headers.get("content-type", "")

        def read(chunks: int) -> Reply:
            return speaker.parse(kind, b"".join(answer.chunks[:chunks]))

        turn = self._turns if answer.reply is not None else 0
        return replace(answer, pauses=self.pauses(within.requests - within.declined, turn, answer.chunks, read))

    def _plan_for(
        self,
        exchange: int,
        speaker: Wire,
        within: CaseConversation,
        conversation: Conversation,
        source_response: SourceResponse | None,
    ) -> ResponsePlan | LiveResponse:
        match source_response:
            case None:
                self.overrun += 1
                return _plain(speaker.refuse(_no_step(self.case), self._identity))
            case HttpErrorStep(connection=str(how)):
                return _no_answer(_END_OF[how])
            case HttpErrorStep() as step:
                answer = _with_date(self._error(speaker, step), step.retry_date)
                plan = _plain(answer if step.body is None else _of_a_proxy(answer, step.body))
                return plan if step.breaks is None else replace(plan, end=_END_OF[step.breaks])
            case TurnStep() as step:
                return self._turn(exchange, speaker, within, conversation, step)
            case RecordedResponse(status, headers, chunks, waits, end, cut):
                self._heard(exchange, within, conversation, status, headers, b"".join(chunks))
                reply = self.replies.get(exchange)
                return ResponsePlan(status, headers, chunks, end, conversation, reply, waits, cut=cut)
            case Unknown() as unknown:
                self.unknown.append((exchange, unknown))
                return _plain(speaker.refuse(_not_recorded(unknown), self._identity))
            case LiveResponse() as live:
                self._live[exchange] = within, conversation
                return live

    def _error(self, speaker: Wire, step: HttpErrorStep) -> ErrorAnswer:
        if step.kind is None or speaker.failure is None:
            return speaker.error(step.status, self._identity, retry_after=step.retry_after)
        return speaker.failure(step.kind, self._identity, retry_after=step.retry_after)

    def _turn(
        self, exchange: int, speaker: Wire, within: CaseConversation, conversation: Conversation, step: TurnStep
    ) -> ResponsePlan:
        turn = step.turn
        if step.uses_results:
            made = made_calls(within.issued.replies)
            turn, unresolved = with_results(turn, made, conversation.messages)
            self.unresolved += [(exchange, step, each) for each in unresolved]
        rendered = speaker.render(turn, self._identity, conversation)
        if self.case.dialect:
            rendered = in_dialect(speaker, rendered, self.case.dialect)
        native = step.native if step.native is not None and step.native.stream is conversation.stream else None
        if rendered.status != 200 and native is None:
            return _plain(_in_words_of(speaker.error(rendered.status, self._identity), rendered))
        frames, end, reply = rendered.frames, _END_EOF, rendered.reply
        if native is not None:
            frames = native.frames
            reply = speaker.parse(rendered.content_type, b"".join(frames))
        frames = self.kept.add(exchange, speaker, conversation, reply, frames, is_cut=step.cut is not None)
        if (over := carrier(speaker, conversation)) is not None:
            frames = over.messages(speaker, frames, step)
        if step.cut is not None:
            after = whole_parts(speaker, turn, rendered, frames, step.cut.parts)
            cut = step.cut if after is None else replace(step.cut, after=after)
            if cut.how == "garbled" and conversation.stream and over is None:
                frames = garbled(frames, cut.after)
            elif cut.how != "garbled" or conversation.stream:
                frames, end = cut_off(frames, cut, whole=over is not None)
            reply = parsed_as_far(speaker, rendered.content_type, b"".join(frames)) if frames else reply
        self.apart.remember(within, conversation, reply)
        self.replies[exchange] = reply
        if conversation.continues in self._histories and not self._is_replaying:
            self.stored.turn(conversation.continues, reply.id)
        head = {
            "content-type": rendered.content_type,
            **speaker.response_headers(self._identity, stream=conversation.stream),
        }
        pieces = tuple(chunks(frames, self._chunking, self.case.seed))
        return ResponsePlan(
            200,
            head,
            pieces,
            end,
            conversation,
            reply,
            apart=self._chunking not in _WHOLE_EVENTS,
            cut=step.cut,
            step=step,
        )

    def _heard(
        self,
        exchange: int,
        within: CaseConversation,
        asked: Conversation,
        status: int,
        headers: Mapping[str, str],
        body: bytes,
    ) -> None:
        """Take in an answer of somebody else, if it is a turn."""
        if not 0 < status < 300:
            return
        try:
            reply = parsed_as_far(wire(asked.wire), headers.get("content-type", ""), body)
        except ValueError:
            return
        self.apart.remember(within, asked, reply)
        self.replies[exchange] = reply


def _script(source: Source) -> ScriptSource | None:
    """The source as a script; None if it is no script."""
    found = getattr(source, "script", None)
    return found if isinstance(found, ScriptSource) else None


class _Answered:
    """Replaces a source that has already answered."""

    def next(self, request: ModelRequest) -> SourceResponse:  # noqa: ARG002 - what it answered is in the record
        return LiveResponse(_nobody)

    def left(self) -> Sequence[str]:
        return ()


async def _nobody() -> NoReturn:
    raise AssertionError("what was answered is not asked again")


_END_EOF: End = "eof"
_END_OF: Final[Mapping[str, Literal["cut", "reset"]]] = {"closed": "cut", "reset": "reset"}
"""How a response ends, by the word that scenarios use for its connection."""
_OF_TOOLS: Final = (ToolStart, ToolArguments, ToolResult, SetCode)
_WHOLE_EVENTS: Final = ("whole", "event")


def _is_new(histories: Mapping[str, StoredHistory | None], id: str) -> bool:
    """Whether, to the knowledge of the case, no request has used a stored history so far."""
    found = histories.get(id)
    return found is not None and is_without_turns(found.entries)


def _in_place(method: str, path: str) -> Route | None:
    """The route of a request that has a history but asks for something else than the model's answer; else None."""
    route = aside_of(method, path)
    return None if route is None or wire(route.wire).in_place is None else route


def _plain(answer: ErrorAnswer) -> ResponsePlan:
    return ResponsePlan(answer.status, answer.headers, (answer.body,))


def _no_answer(end: Literal["cut", "reset"]) -> ResponsePlan:
    """The connection ends before the first byte of an answer."""
    return ResponsePlan(0, {}, (), end, apart=False, cut=Cut(how=end))


def _with_date(answer: ErrorAnswer, date: str) -> ErrorAnswer:
    """The same error with the date until which the client must wait, if there is one: HTTP allows that, too."""
    return ErrorAnswer(answer.status, {**answer.headers, "retry-after": date}, answer.body) if date else answer


def _in_words_of(answer: ErrorAnswer, rendered: Rendered) -> ErrorAnswer:
    """The same error as a script words it."""
    return ErrorAnswer(answer.status, answer.headers, rendered.body)


def _of_a_proxy(answer: ErrorAnswer, body: str) -> ErrorAnswer:
    """The same error with a body that is not the provider's: a page, an object or the beginning of one, or text."""
    kind = {"<": "text/html", "{": "application/json"}.get(body[:1], "text/plain")
    return ErrorAnswer(answer.status, {**answer.headers, "content-type": f"{kind}; charset=utf-8"}, body.encode())


def _not_recorded(unknown: Unknown) -> ProviderAnswer:
    return ProviderAnswer(unknown.why, place=unknown.at)


def _no_step(case: Case) -> ProviderAnswer:
    return ProviderAnswer(f"The scripted model of '{case.scenario}' has no further turn.")
