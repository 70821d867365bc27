"""What happened in one case: the events that the loop emitted for its user and the exchanges it had with the model.

Facts only, as frozen values. Nothing here judges, and nothing here knows a provider's format: bodies are
bytes. A trace is a list of records in the order in which they happened, so "before" and "after" need no clock:
an exchange is two records, its request and its response, and every event notes how many bytes of the current
response had been handed to the loop when it was emitted (``offset``). That is what lets a rule say that a tool ran
before its arguments had arrived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeVar, get_args

from harness.ground.bounded_json import loads
from harness.ground.cached import cached_property

MAIN = 0
"""The number of the conversation that the prompt of the case began."""

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


# --- events: what the loop reports to its user -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnStart:
    """The loop asks the model for turn ``turn`` (1 is the first)."""

    turn: int


@dataclass(frozen=True, slots=True)
class Assistant:
    """A piece of the model's text, as received. ``id`` is the same for all pieces of one turn."""

    text: str
    id: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of the model's thinking, as received. ``id`` is the same for all pieces of one turn."""

    text: str
    id: str


@dataclass(frozen=True, slots=True)
class ToolStart:
    """A tool call has begun; ``input`` is a summary of its arguments and may be incomplete."""

    id: str
    name: str
    input: JsonValue = None


@dataclass(frozen=True, slots=True)
class ToolArguments:
    """A piece of the arguments of a tool call, as the user gets it while they arrive: text, as the model writes it."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class SetCode:
    """The whole code as the user shall see it now.

    ``id`` is the tool call that it previews or results from. ``preview`` says that the arguments are still
    arriving and that the tool has not run.
    """

    code: str
    id: str | None = None
    preview: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool call has ended. ``output`` is a summary for the user, not what the model is sent.

    ``ok`` is None where the user does not learn whether it has failed. Perhaps the tool was never run then.
    """

    id: str
    name: str
    output: JsonValue
    ok: bool | None


RAISED = "raised"
"""The kind of a failure that the loop reports by raising, or by its exit code, and that has no better name."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The run cannot go on. ``kind`` is a stable word (``turn-limit``, ``stream``, ``http``, ``raised`` ...)."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Final:
    """The run has ended with ``code``.

    ``outcome``: ``completed``, ``truncated`` (the model hit its token limit), ``refused``, ``turn-limit`` (where the
    loop's contract is to stop there, or to demand an answer) or ``deferred`` (calls wait for somebody's word).
    ``text`` is what the run returns as its answer; None where it returns no text. ``usage`` are the tokens of the whole
    run, an object with ``input`` and ``output``, and perhaps ``reasoning``, ``cached``, the number of ``requests`` and
    whatever else the loop counts.
    ``history`` is the list of messages that the run returns, the model's with ``role`` as ``assistant``. ``output`` is
    what it returns in place of a text: the arguments of an output tool, or the object that the model's text is. Each
    is None where the loop returns no such thing.
    """

    code: str
    outcome: str = "completed"
    text: str | None = None
    usage: JsonValue = None
    history: JsonValue = None
    output: JsonValue = None


Event = TurnStart | Assistant | Thinking | ToolStart | ToolArguments | SetCode | ToolResult | Failure | Final


# --- records: the lines of a trace ------------------------------------------------------------------------

End = Literal["eof", "cut", "reset", "closed"]
"""How a response ended: complete, cut by the server, reset by the server, or closed early by the client."""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event as it was emitted: while exchange ``exchange`` (None before the first) had delivered ``offset`` bytes.

    ``conversation`` is the one that the event is about: the main one, but for tools that another one has called.
    ``exchange`` is the latest of that conversation.
    """

    event: Event
    exchange: int | None = None
    offset: int = 0
    at: float = 0.0
    conversation: int = 0


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request as it arrived at the model endpoint. ``exchange`` counts from 0 in order of arrival.

    ``path`` is as the provider would see it, without the harness's case prefix. Header names are lower case;
    headers that carry a credential are recorded as ``[redacted]``. ``conversation`` says to which conversation of the
    case the endpoint has assigned it: 0 is the main one, None could not be identified. ``connection`` is the number of
    the WebSocket on which it came, from 1, and ``lane`` the name of its stream there; 0: it came over HTTP. What came
    over a WebSocket is recorded as the request that says the same over HTTP, and so is its response: each event that
    was sent is an event of a stream. ``follows`` is the exchange whose answer the first request of a conversation goes
    on from, where that is in another conversation of the case.
    """

    exchange: int
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float = 0.0
    conversation: int | None = 0
    connection: int = 0
    lane: str = ""
    follows: int | None = None


@dataclass(frozen=True, slots=True)
class ResponseRecord:
    """The answer to a request, recorded when it ended. ``chunks`` are the lengths of the pieces as delivered.

    ``status`` is 0 where the connection has ended before the first byte of an answer.
    """

    exchange: int
    status: int
    headers: Mapping[str, str]
    body: bytes
    chunks: tuple[int, ...] = ()
    end: End = "eof"
    at: float = 0.0

    @property
    def is_turn(self) -> bool:
        """Whether it is an answer, and no HTTP error: the model's turn, perhaps a broken one."""
        return 0 < self.status < 300


CallerDid = Literal["cancel", "say", "compact", "run"]
"""What a caller does: it cancels the run, says something while it runs, or, when a run has ended, has the loop compact
its history, or begins another run."""


@dataclass(frozen=True, slots=True)
class CallerRecord:
    """What the caller of the loop has done at this moment (``harness.scenario.timeline``).

    ``text`` is what the user said; with ``run`` it is the prompt of the run that begins. ``compacted``: the loop was
    asked to compact its history before it, or does so by itself, since its contract says so of one this long.
    ``resumed``: that run goes on from what the loop has stored, as after the end of its process. ``model`` and ``wire``
    are those to which the run switches, empty where both stay, and where no run begins.
    ``ended`` are the ids of the calls whose tools had come to their end, as far as the harness has run them: a loop may
    report it later. ``failed`` are those of them whose tools have failed. ``answering``: an answer of the model was on
    its way, and stopped there until a cancelled run was over, or nobody waited for that any longer. ``resolved`` are
    pairs of a tool and what becomes of a call of it that waits (``approve``, ``deny``), where that begins the run.
    ``key``: the run has another key than the one before.
    """

    did: CallerDid
    text: str = ""
    compacted: bool = False
    resumed: bool = False
    model: str = ""
    wire: str = ""
    ended: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    answering: bool = False
    resolved: tuple[tuple[str, str], ...] = ()
    key: bool = False
    at: float = 0.0

    kind: ClassVar[str] = "caller"
    written: ClassVar[str | None] = None

    @property
    def line(self) -> str:
        """The record as a person would describe it."""
        return f"the caller: {self.did}" + (f": {self.text}" if self.text else "")


SocketDid = Literal[
    "open",
    "refuse",
    "warm-up",
    "early",
    "crowded",
    "overtaken",
    "steer",
    "stray",
    "error",
    "close",
    "cut",
    "left",
]
"""What happens on a WebSocket beside requests and responses: it is opened, or that is refused (status 0: not answered);
a request that nothing is to be generated for is answered; a request comes before the answer to the last one has ended,
while too many other streams have one, or while another stream still is to go on from a response of this one; what a
client says to a response is accepted; messages are sent that belong to no request of the client's; an error is sent
that answers no request; the endpoint closes the connection, or breaks it; the client has closed or left it."""


@dataclass(frozen=True, slots=True)
class SocketRecord:
    """What has happened on WebSocket number ``connection``.

    ``status`` is that with which opening it was refused, ``code`` the close code, ``error`` the code of an error that
    answers no request, ``lane`` the stream that it is about; 0 and empty where there is none.
    """

    connection: int
    did: SocketDid
    status: int = 0
    code: int = 0
    error: str = ""
    lane: str = ""
    at: float = 0.0

    kind: ClassVar[str] = "socket"
    written: ClassVar[str | None] = "at"

    @property
    def what(self) -> str:
        """What has happened, in one word."""
        return self.did

    @property
    def line(self) -> str:
        """The record as a person would describe it."""
        return f"websocket {self.connection}: {self.did} {self.status or self.code or self.error or ''}".rstrip()


@dataclass(frozen=True, slots=True)
class AgUiRecord:
    """An event of the protocol AG-UI, from which events of the trace were read (``harness.agui``).

    ``type`` is its type, and ``id`` that of the message, call, step or run that it is about. ``owner`` is the run of
    the subagent that has sent it, empty for the agent itself. ``outcome`` is that of a run that has finished.
    ``wrong`` says what is wrong with its form, and is empty where nothing is. ``calls`` are the ids of calls in
    messages that it brings.
    """

    type: str
    id: str = ""
    owner: str = ""
    outcome: str = ""
    wrong: str = ""
    calls: tuple[str, ...] = ()
    at: float = 0.0

    kind: ClassVar[str] = "ag-ui"
    written: ClassVar[str | None] = "type"
    line: ClassVar[str] = ""

    @property
    def what(self) -> str:
        """What has happened, in one word."""
        return self.type


BesideRecord = CallerRecord | SocketRecord | AgUiRecord
"""What happens beside requests, responses and events. ``kind`` is the kind of its line in a file, which has the members
that are not empty, and the one that ``written`` names; None: all of them. ``line`` says what it is in words
for a person, and, but for what a caller does, ``what`` in one word."""

BESIDE: Mapping[str, type[BesideRecord]] = {each.kind: each for each in (CallerRecord, SocketRecord, AgUiRecord)}
"""These records by the kinds of their lines."""

WORDS: Mapping[str, tuple[str, ...]] = {
    name: get_args(each) for name, each in (("CallerDid", CallerDid), ("SocketDid", SocketDid), ("End", End))
}
"""The words that a member may have, by the name of its type."""

Record = EventRecord | RequestRecord | ResponseRecord | BesideRecord

_Kind = TypeVar("_Kind", bound=Record)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP request with its response (None while the answer is missing) and their places in the trace."""

    request: RequestRecord
    response: ResponseRecord | None
    request_at: int
    response_at: int | None


SERVED = "served"
"""What ``Case.target`` calls a program that somebody else has started."""

TEST = "test"
"""What ``Case.target`` calls the test of somebody that asks a scripted model."""


@dataclass(frozen=True, slots=True)
class Case:
    """Which case the trace is about; ``turn_limit`` and ``profile`` are the contract that the loop was given.

    ``kinds`` says, by name, which tools the loop does not simply run: ``output`` (its arguments are the result of the
    run), ``external`` (somebody else runs it) or ``unapproved`` (it may run once somebody has approved the call).
    ``edits`` are the turns, from 1, at which the caller of a turn-by-turn loop took the history, or the running of its
    tools, into its own hands; at those of ``generated`` it had the tools run itself. ``emits`` are the kinds of events
    that the loop emits, by their names in files; None where that is not known. Runs of tools stand in the
    trace all the same where the harness ran them. ``declines`` are members of request bodies that the endpoint does not
    serve in this case. ``capabilities`` are those that the target has declared; None where that is not known.
    ``returns`` is what a tool says when it is run, by its name, where the scenario says so. ``inputs`` is what the
    harness has run tools on, by the ids of the calls, where the loop reports its tools itself and the trace has no
    events of the harness's. ``tools`` are the declarations that the loop was given to offer, by name, each with
    ``description`` and ``parameters``; empty where it brings its own. ``prompt`` are the (role, text) pairs that it was
    given, role ``system`` or ``user``. ``raises`` are the tools of which the scenario has every call fail; ``waited``
    those that have waited in vain for another call of their turn to end. ``paced``: the endpoint has delivered each
    piece of a response after the loop had taken the one before. ``server`` is the name of the server that the endpoint
    plays (``harness.wire.servers``), empty where it is the wire's own provider; ``dialect`` that of the wire's dialect
    in which it streams (``harness.wire.dialects``), empty where it streams as the provider does; ``transport`` is
    ``websocket`` where the loop is to ask over WebSockets, and empty for HTTP. A file has each only where there is one.
    ``files`` are those that were there before the run, each with its content by its path; None where that is not known.
    ``folders`` are those of a program in this run, which another run has elsewhere: ``home``, ``workdir``, and
    ``program``, where its packages are; a file has them only where there are any.
    """

    id: str
    scenario: str
    wire: str
    target: str = "reference"
    source: str = "script"
    profile: str = "universal"
    chunking: str = "whole"
    seed: int = 0
    turn_limit: int | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    edits: tuple[int, ...] = ()
    generated: tuple[int, ...] = ()
    emits: tuple[str, ...] | None = None
    declines: tuple[str, ...] = ()
    capabilities: tuple[str, ...] | None = None
    returns: Mapping[str, JsonValue] = field(default_factory=dict)
    inputs: Mapping[str, JsonValue] = field(default_factory=dict)
    tools: Mapping[str, JsonValue] = field(default_factory=dict)
    prompt: tuple[tuple[str, str], ...] = ()
    raises: tuple[str, ...] = ()
    paced: bool = False
    waited: tuple[str, ...] = ()
    server: str = ""
    files: Mapping[str, str] | None = None
    dialect: str = ""
    folders: Mapping[str, str] = field(default_factory=dict)
    transport: str = ""

    @property
    def is_handed(self) -> bool:
        """Whether the harness has handed the prompt and the tools to the loop. Else nobody knows what it is for."""
        return self.target not in (SERVED, TEST)

    def promises(self, capability: str) -> bool:
        """Whether the loop is judged by ``capability``: it has declared it, or its abilities are not known."""
        return self.capabilities is None or capability in self.capabilities

    def declined(self, body: bytes) -> bool:
        """Whether the endpoint declines a request for its form: the loop is to ask the same in another."""
        if not self.declines:
            return False
        try:
            members = loads(body)
        except ValueError:
            return False
        return isinstance(members, dict) and not members.keys().isdisjoint(self.declines)


@dataclass(frozen=True)
class Trace:
    """The ordered records of one case; the only input of the rules."""

    case: Case
    records: tuple[Record, ...] = field(default=())

    @cached_property
    def _by_kind(self) -> Mapping[type[Any], tuple[tuple[int, Any], ...]]:
        kinds: dict[type[Record], list[tuple[int, Record]]] = {}
        for at, record in enumerate(self.records):
            kinds.setdefault(type(record), []).append((at, record))
        return {kind: tuple(found) for kind, found in kinds.items()}

    def every(self, kind: type[_Kind]) -> tuple[tuple[int, _Kind], ...]:
        """Every record of this kind with its index in ``records``."""
        return self._by_kind.get(kind, ())

    @property
    def events(self) -> tuple[tuple[int, EventRecord], ...]:
        """Every event with its index in ``records``."""
        return self.every(EventRecord)

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges in the order in which their requests arrived."""
        return tuple(self._pair())

    @cached_property
    def conversations(self) -> tuple[int | None, ...]:
        """The conversations of the case in the order in which they began, the main one first, asked or not.

        None stands for the requests that could not be identified.
        """
        asked = [record.conversation for _, record in self.every(RequestRecord)]
        return tuple(dict.fromkeys((MAIN, *asked)))

    def places_of(self, conversation: int | None) -> tuple[int, ...]:
        """Where in ``records`` the requests, responses and events of one conversation are."""
        asked = {record.exchange for _, record in self.every(RequestRecord) if record.conversation == conversation}

        def is_part(record: Record) -> bool:
            if isinstance(record, BesideRecord):
                return conversation == MAIN
            return record.conversation == conversation if isinstance(record, EventRecord) else record.exchange in asked

        return tuple(at for at, record in enumerate(self.records) if is_part(record))

    @property
    def connects(self) -> bool:
        """Whether the loop has asked for a WebSocket, which it may have been refused."""
        return bool(self.every(SocketRecord))

    @cached_property
    def runs(self) -> tuple[range, ...]:
        """Where in ``records`` each run of the loop is. There are several where the caller has begun others."""
        begins = [at for at, record in self.every(CallerRecord) if record.did == "run"]
        return tuple(map(range, (0, *begins), (*begins, len(self.records))))

    @cached_property
    def main(self) -> Trace:
        """The trace of the main conversation alone; this one where there is no other."""
        return self.of(MAIN)

    def of(self, conversation: int | None) -> Trace:
        """The trace of one conversation alone. Its places are others than here: ``places_of`` gives them.

        The contract that the loop was given is that of the main conversation: for another one there is none.
        """
        if self.conversations == (conversation,):
            return self
        case = self.case
        if conversation != MAIN:
            case = replace(case, profile="universal", turn_limit=None, edits=(), generated=(), emits=())
            case = replace(case, tools={}, prompt=())
        return Trace(case, tuple([self.records[at] for at in self.places_of(conversation)]))

    @cached_property
    def served(self) -> tuple[Exchange, ...]:
        """The exchanges without those whose request was declined for its form."""
        if not self.case.declines:
            return self.exchanges
        return tuple(exchange for exchange in self.exchanges if not self.case.declined(exchange.request.body))

    def _pair(self) -> Iterator[Exchange]:
        answers = {record.exchange: (at, record) for at, record in self.every(ResponseRecord)}
        for at, record in self.every(RequestRecord):
            answer_at, answer = answers.get(record.exchange, (None, None))
            yield Exchange(record, answer, at, answer_at)
