"""What happened in one case: the events that the loop emitted for its user and the exchanges it had with the model.

Facts only, as frozen values. Nothing here judges, and nothing here knows a provider's format: bodies are
bytes. A trace is a list of records in the order in which they happened, so "before" and "after" need no clock:
an exchange is two records, its request and its response, and every event notes how many bytes of the current
response had been handed to the loop when it was emitted (``offset``). So a rule can see that a tool ran
before its arguments had arrived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeVar, get_args

from harness.ground.bounded_json import loads
from harness.ground.cached import cached_property

MAIN = 0
"""The number of the conversation that begins with the case's prompt."""

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
    """A piece of a tool call's arguments, as the user gets it while they arrive: the model's own text."""

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
    """A tool call has ended. ``output`` is a summary for the user, not the result for the model.

    ``ok`` is None if the user does not learn whether it has failed. Perhaps the tool was never run then.
    """

    id: str
    name: str
    output: JsonValue
    ok: bool | None


RAISED = "raised"
"""The kind of a failure that the loop reports by an exception or exit code, if no better kind is known."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The run cannot go on. ``kind`` is a stable word (``turn-limit``, ``stream``, ``http``, ``raised`` ...)."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Final:
    """The run has ended with ``code``.

    ``outcome``: ``completed``, ``truncated`` (the model hit its token limit), ``refused``, ``turn-limit`` (if the
    loop's contract is to stop there, or to demand an answer) or ``deferred`` (calls wait for a decision or result).
    ``text`` is the answer that the run returns; None if it returns no text. ``usage`` has the tokens of the whole run:
    an object with ``input`` and ``output``, and perhaps ``reasoning``, ``cached``, the number of ``requests`` and
    whatever else the loop counts.
    ``history`` is the list of messages that the run returns; the model's have the ``role`` ``assistant``. ``output`` is
    the object that it returns instead of a text: the arguments of an output tool, or the object in the model's text.
    Each is None if the loop does not return it.
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

    ``conversation`` is the conversation of the event: the main one, unless another one has called the tool.
    ``exchange`` is the latest exchange of that conversation.
    """

    event: Event
    exchange: int | None = None
    offset: int = 0
    at: float = 0.0
    conversation: int = 0


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request as it arrived at the model endpoint. ``exchange`` counts from 0 in order of arrival.

    ``path`` is the provider's path, without the harness's case prefix. Header names are lower case; headers that carry
    a credential are recorded as ``[redacted]``. ``conversation`` is the conversation of the case to which the endpoint
    has assigned it: 0 is the main one, None means that it could not be identified. ``connection`` is the number of the
    WebSocket on which it came, from 1; 0 means HTTP. ``lane`` is the name of its stream there. A request over a
    WebSocket is recorded like the same request over HTTP, and so is its response: each sent event is an event of a
    stream. ``follows`` is the exchange from whose answer the first request of a conversation goes on, if that exchange
    is in another conversation of the case.
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

    ``status`` is 0 if the connection ended before the first byte of an answer.
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
        """Whether it is the model's turn, perhaps a broken one, and no HTTP error."""
        return 0 < self.status < 300


CallerDid = Literal["cancel", "say", "compact", "run"]
"""What a caller does: it cancels the run, says something while it runs, or, after a run, lets the loop compact its
history or begins another run."""


@dataclass(frozen=True, slots=True)
class CallerRecord:
    """What the caller of the loop has done at this moment (``harness.scenario.timeline``).

    ``text`` is the user's text; with ``run`` it is the prompt of the run that begins. ``compacted``: the loop was asked
    to compact its history before the run, or does so by itself, because its contract demands it at this length.
    ``resumed``: the run goes on from what the loop has stored, as after the end of its process. The run switches to
    ``model`` and ``wire``; they are empty if both stay, and if no run begins.
    ``ended`` are the ids of calls that the harness has run and whose tools had ended: a loop may report it later.
    ``failed`` are those whose tools have failed. ``answering``: an answer of the model was arriving; it was stopped
    until the cancelled run was over, or until nobody waited for that any longer. ``resolved`` are pairs of a tool and
    the decision about a waiting call of it (``approve``, ``deny``), if that begins the run.
    ``key``: the run has another key than the previous run.
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
"""What happens on a WebSocket beside requests and responses: it is opened, or opening is refused (status 0: no answer);
a request that asks for no output is answered; a request comes before the last answer has ended, while too many other
streams have a request, or while another stream must still go on from a response of this one; input of the client during
a response is accepted; messages are sent that belong to no request of the client; an error is sent that answers no
request; the endpoint closes or breaks the connection; the client has closed or left it."""


@dataclass(frozen=True, slots=True)
class SocketRecord:
    """What has happened on WebSocket number ``connection``.

    ``status`` is the status of a refused opening, ``code`` the close code, ``error`` the code of an error that answers
    no request, ``lane`` the stream of the event. Each is 0 or empty if there is none.
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

    ``type`` is its type, and ``id`` the id of its message, call, step or run. ``owner`` is the run of the subagent that
    has sent it, empty for the agent itself. ``outcome`` is the outcome of a finished run. ``wrong`` says what is wrong
    with its form, and is empty if nothing is. ``calls`` are the ids of calls in the messages that it contains.
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
"""What happens beside requests, responses and events. ``kind`` is the kind of its line in a file. The line has
the members that are not empty, and the member that ``written`` names; None: all members. ``line`` describes it for a
person. ``what`` is one word for it; a ``CallerRecord`` has none."""

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
"""The ``Case.target`` of a program that somebody else has started."""

TEST = "test"
"""The ``Case.target`` of a user's own test that asks a scripted model."""


@dataclass(frozen=True, slots=True)
class Case:
    """Which case the trace is about; ``turn_limit`` and ``profile`` are the contract that the loop was given.

    ``kinds`` says, by name, which tools the loop does not simply run: ``output`` (its arguments are the result of the
    run), ``external`` (somebody else runs it) or ``unapproved`` (it may run once somebody has approved the call).
    ``edits`` are the turns, from 1, at which the caller of a turn-by-turn loop changed the history or took over the
    running of tools; at the turns in ``generated`` it had the tools run. ``emits`` are the kinds of events that the
    loop emits, by their names in files; None if that is not known. Runs of tools are in the trace anyway if the
    harness ran them. ``declines`` are members of request bodies that the endpoint does not serve in this case.
    ``capabilities`` are the capabilities that the target has declared; None if they are not known. ``returns`` is what
    a tool returns, by its name, if the scenario says so. ``inputs`` are the arguments with which the harness has run
    tools, by the ids of the calls, if the loop reports its tools itself and the trace has no events of the harness.
    ``tools`` are the declarations that the loop must offer, by name, each with ``description`` and ``parameters``;
    empty if it brings its own. ``prompt`` are its (role, text) pairs, role ``system`` or ``user``. ``raises`` are the
    tools whose calls all fail in the scenario. ``waited`` are the tools that have waited in vain until another call of
    their turn ends. ``paced``: the endpoint has delivered each piece of a response after the loop had taken the
    previous one. ``server`` is the name of the server that the endpoint plays (``harness.wire.servers``), empty for the
    wire's own provider. ``dialect`` is the wire's dialect in which it streams (``harness.wire.dialects``), empty if it
    streams like the provider. ``transport`` is ``websocket`` if the loop must use WebSockets, and empty for HTTP. A
    file has each of them only if it is not empty.
    ``files`` are the files before the run, each path with its content; None if that is not known.
    ``folders`` are the folders of a program in this run, which differ in another run: ``home``, ``workdir``, and
    ``program`` with its packages; a file has them only if there are any.
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
        """Whether the harness has passed the prompt and the tools to the loop. Otherwise its purpose is unknown."""
        return self.target not in (SERVED, TEST)

    def promises(self, capability: str) -> bool:
        """Whether the loop is judged by ``capability``: it has declared it, or its abilities are not known."""
        return self.capabilities is None or capability in self.capabilities

    def declined(self, body: bytes) -> bool:
        """Whether the endpoint declines a request for its form: the loop must send the same in another form."""
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
        """The conversations of the case in the order in which they began. The main one is first, even without requests.

        None is for requests that could not be identified.
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
        """Whether the loop has tried to open a WebSocket, even if that was refused."""
        return bool(self.every(SocketRecord))

    @cached_property
    def runs(self) -> tuple[range, ...]:
        """Where in ``records`` each run of the loop is. There are several if the caller has begun others."""
        begins = [at for at, record in self.every(CallerRecord) if record.did == "run"]
        return tuple(map(range, (0, *begins), (*begins, len(self.records))))

    @cached_property
    def main(self) -> Trace:
        """The trace of the main conversation alone; this trace if there is no other conversation."""
        return self.of(MAIN)

    def of(self, conversation: int | None) -> Trace:
        """The trace of one conversation alone. Its places differ from those here: ``places_of`` returns them.

        The loop's contract is about the main conversation; another conversation has none.
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
