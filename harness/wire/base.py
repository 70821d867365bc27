"""What every wire does, and the values that cross its border.

A wire is pure: bytes and parsed JSON in, values out. It opens nothing, waits for nothing and draws no random
numbers; ids and signatures come from the ``Identity`` that the caller hands in.

    route     which wire and which request is this? (method and path)
    read      request body and headers -> Conversation
    render    Turn -> the provider's bytes, and the Reply that they say
    parse     the provider's bytes -> Reply; arrivals: when the arguments of its calls came
    violations Conversation + what was Sent -> the rules that the continuation breaks
    strict    the provider's bytes -> where they break one of response_rules: a second reader beside parse
    rules     everything that ``violations`` can say, as one table; models: what holds for some models only
    refuse, error   the provider's own error answers
    write, entries  Conversation -> the request that says it, Messages -> the entries of its history
    returned, answers  Reply, Results -> the Messages by which a client goes on

The other members of ``Wire`` are facts: who provides it, how its streams are framed, what the rules, the targets, the
recorder and the reports must know of it. Whatever differs between wires is read there, and no module outside
``harness.wire`` asks for a wire by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from harness.finding import Finding, Impact, ProviderAnswer
from harness.wire.arrival import Arrival
from harness.wire.auxiliary import Auxiliary, AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.background import Background
from harness.wire.claim import Claim
from harness.wire.dialect import Dialect
from harness.wire.error_answer import ErrorAnswer
from harness.wire.failures import FailureKind
from harness.wire.grammar import Grammar
from harness.wire.identity import Identity
from harness.wire.keeping import Keeping
from harness.wire.lenient import Json
from harness.wire.models import ModelTable
from harness.wire.names import NativeWireName, WireName
from harness.wire.probe_members import ProbeMembers
from harness.wire.provider import Provider
from harness.wire.response_rule import Content, ResponseRule, Strict
from harness.wire.rule import Certainty, WireRule
from harness.wire.same_json import same_json
from harness.wire.sse import SSE
from harness.wire.tool_choice import ToolChoice, choice_by_name
from harness.wire.transport import Transport
from harness.wire.turn import Call, Part, Refusal, Text, ThinkingPart, Turn
from harness.wire.websocket import SocketMode

__all__ = [
    "ENTRY",
    "NO_HEADERS",
    "Answers",
    "Certainty",
    "Claim",
    "Conversation",
    "Demand",
    "ErrorOf",
    "GrowingRead",
    "HeadersOf",
    "IssuedState",
    "Json",
    "Message",
    "NativeWireName",
    "Opaque",
    "ReadRequest",
    "Rendered",
    "Reply",
    "Result",
    "Role",
    "Route",
    "ScriptedWords",
    "StoredHistory",
    "ToolDeclaration",
    "UnreadableRequest",
    "Wire",
    "WireName",
    "WrittenRequest",
    "from_body",
    "messages_before",
    "unresolved",
]

ENTRY: Final = "entry"
"""The kind of an ``Opaque`` that is a whole entry of a request's history (reading never gives one)."""

Role = Literal["system", "user", "assistant", "tool"]

ScriptedWords = Literal["native", "members", "members of a part"]
"""What a script may say in the provider's own words: a whole piece of a turn, members of the response, of a piece."""

_SPOKEN: Final = (Text, Refusal)

NO_HEADERS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Route:
    """A request recognised by its path. Wires that say the model or streaming in the body leave them None.

    ``collection`` is what stands in front of the model where the path names it: ``/v1beta/models``,
    ``/v1/projects/p/locations/l/publishers/google/models``. ``aside`` is what is asked for in place of the model's
    answer, ``""`` for that answer: ``compact``.
    """

    wire: WireName
    model: str | None = None
    stream: bool | None = None
    collection: str = field(default="", compare=False)
    aside: str = ""


# --- a request, read ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """A tool as it is declared to the model. ``parameters`` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a tool call. ``id`` is the call's id, ``""`` where the wire or the loop sent none."""

    id: str
    output: str
    name: str = ""
    is_error: bool = False
    is_marked: bool = field(default=False, compare=False)
    """Whether the request itself says of the result that it is an error, or that it is none."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A part that the harness carries but does not interpret (an image, a server tool, a citation).

    Written, it is ``native`` as it is, so whatever must go back verbatim can be carried as one; of kind ``ENTRY``,
    alone in its message, it is a whole entry of the history.
    """

    kind: str
    native: Any


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the history, in the order in which the request has it.

    ``at`` is the entry's place in the body in the provider's own spelling: ``messages.2``, ``input[2]``,
    ``contents[2]``.
    """

    role: Role
    parts: tuple[Part | Result | Opaque, ...]
    at: str

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls of the message, in order."""
        return tuple([part for part in self.parts if isinstance(part, Call)])

    @property
    def results(self) -> tuple[Result, ...]:
        """The tool results of the message, in order."""
        return tuple([part for part in self.parts if isinstance(part, Result)])

    @property
    def text(self) -> str:
        """The texts of the message, joined."""
        return "".join([part.text for part in self.parts if isinstance(part, _SPOKEN)])


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request in neutral words, beside the parsed body that it was read from.

    ``messages`` is the history that the model would see. A request that names earlier turns instead of sending
    them (``previous_response_id``, ``item_reference``, Anthropic ``thread: continue``) has ``continues`` set
    and holds only what it sent; ``Wire.resolve`` puts the rest in front of it.

    ``headers`` are those of the request that its wire's rules depend on (``anthropic-version``), names in lower case.
    ``collection`` and ``aside`` are the route's. ``server`` is the name of the server that answers, empty where nobody
    knows it (``harness.wire.servers``). ``connection`` is the number of the connection on which it came, from 1, and
    ``lane`` the name of its stream there, where that was on a channel; 0 where it came over HTTP.
    """

    wire: WireName
    model: str
    stream: bool
    messages: tuple[Message, ...]
    tools: tuple[ToolDeclaration, ...] = ()
    continues: str | None = None
    body: Json = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    collection: str = field(default="", compare=False)
    aside: str = ""
    server: str = field(default="", compare=False)
    connection: int = field(default=0, compare=False)
    lane: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class WrittenRequest:
    """A request ready to be posted. ``path`` has no base URL, and the query that the wire wants."""

    path: str
    body: bytes


class UnreadableRequest(Exception):
    """The body cannot be read at all. ``finding`` says why, and what the provider would answer."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.answered.message)
        self.finding = finding


# --- a response, written and read --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model sent, in its wire's own items and in neutral words.

    ``items`` are the native pieces that a continuation must give back as they are: Responses output items,
    Anthropic content blocks, Gemini parts (one per streamed part), or the one Chat assistant message.
    ``complete`` says that the terminal event came. ``turn.error`` is the in-stream error, if any. ``container`` is the
    id of that in which the provider runs the model's code, ``""`` where the response names none. ``continuation`` is
    the token with which the next request has a long answer continued, ``""`` where there is none. ``done_calls`` are
    the ids of calls that the provider's own agent has run: their results are among the items, and they are not in the
    turn.
    """

    wire: WireName
    id: str
    model: str
    items: tuple[Json, ...]
    turn: Turn
    complete: bool = True
    container: str = ""
    continuation: str = ""
    done_calls: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rendered:
    """A response ready to be sent: the frames of its wire's ``Transport``, or one JSON document.

    ``terminal`` counts the frames at the end without which the response is not complete (0 for JSON). ``status`` is the
    HTTP status: an error that a script has in a stream is an answer of its own where the request asked for none.
    """

    content_type: str
    frames: tuple[bytes, ...]
    reply: Reply
    terminal: int = 1
    status: int = 200

    @property
    def body(self) -> bytes:
        """The whole response: all frames, joined."""
        return b"".join(self.frames)


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """A history that the provider stores: items that were put there, and, for a turn in it, the id of its reply.

    ``removed`` are the ids of items that were taken out again.
    """

    entries: Sequence[Json | str] = ()
    removed: frozenset[str] = frozenset()


class IssuedState:
    """What the model endpoint has issued in one case, in order: the memory that a cassette does not have.

    Each entry is the conversation that was asked, as resolved, and the reply that it got. ``made_anew`` is how many of
    them there were when the user had the history compacted, or went on with another model, last: no later request need
    begin as these did. ``memory`` is what the wire itself keeps from one judgement to the next; nobody else reads it.
    ``evicted`` are the ids of replies that a connection has dropped. ``stored`` are the histories that the provider
    stores under an id of their own, None for one that was deleted. ``compactions`` are the encrypted contents of
    compacted histories by the ids of their items; None where nobody knows which were issued.
    """

    def __init__(self) -> None:
        self.turns: list[tuple[Conversation, Reply]] = []
        self.memory: object = None
        self.made_anew = 0
        self.evicted: set[str] = set()
        self.stored: dict[str, StoredHistory | None] = {}
        self.compactions: Mapping[str, str] | None = None
        self._by_id: dict[str, int] = {}
        self._wires: set[WireName] = set()

    def of(self, wire: WireName) -> IssuedState:
        """What was issued on one wire: the state itself, but where a conversation has switched between wires."""
        if self._wires <= {wire}:
            return self
        own = IssuedState()
        own.evicted, own.stored, own.compactions = self.evicted, self.stored, self.compactions
        for asked, reply in self.turns:
            if asked.wire == wire:
                own.add(asked, reply)
        return own

    def add(self, conversation: Conversation, reply: Reply) -> None:
        """Note a request, resolved, and the reply that was sent to it."""
        if named := reply.id or reply.continuation:  # an answer that broke at once has neither, and nobody names it
            self._by_id[named] = len(self.turns)
        self._wires.add(conversation.wire)
        self.turns.append((conversation, reply))

    def correct(self, reply: Reply, got: Reply) -> None:
        """Note that of a reply the client got only a part."""
        self.turns = [(asked, got if each is reply else each) for asked, each in self.turns]

    def forget(self, reply_id: str) -> None:
        """Note that a client has deleted the reply with this id: no request can go on from it."""
        self._by_id.pop(reply_id, None)

    def failed(self, conversation: Conversation) -> None:
        """Note that a request on a connection got an error: the reply that it goes on from is kept there no longer.

        One that goes on from a reply of another lane drops nothing.
        """
        found = self.find(conversation.continues or "")
        if conversation.connection and found is not None and found[0].lane == conversation.lane:
            self.evicted.add(found[1].id)

    def find(self, reply_id: str) -> tuple[Conversation, Reply] | None:
        """The turn whose reply has this id; where it is not stored, the turn that this token has continued."""
        at = self._by_id.get(reply_id)
        return None if at is None else self.turns[at]

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The replies that were sent, in order."""
        return tuple(reply for _, reply in self.turns)


# --- judgement ---------------------------------------------------------------------------------------------


# --- the wire ----------------------------------------------------------------------------------------------


class ReadRequest(Protocol):
    """Reads a request. Header names are lower case.

    Raises ``UnreadableRequest`` when the body is not what the wire calls a request.
    """

    def __call__(self, route: Route, body: bytes, headers: Mapping[str, str] = NO_HEADERS, /) -> Conversation: ...


class ErrorOf(Protocol):
    """The provider's answer with an HTTP status; ``retry_after`` is in seconds."""

    def __call__(self, status: int, identity: Identity, /, *, retry_after: float | None = None) -> ErrorAnswer: ...


class FailureOf(Protocol):
    """The provider's answer to a request that it cannot serve for this reason; ``retry_after`` is in seconds."""

    def __call__(
        self, kind: FailureKind, identity: Identity, /, *, retry_after: float | None = None
    ) -> ErrorAnswer: ...


class HeadersOf(Protocol):
    """The headers of a successful answer, without framing (length and transfer encoding)."""

    def __call__(self, identity: Identity, /, *, stream: bool) -> Mapping[str, str]: ...


class Answers(Protocol):
    """The messages that follow ``returned``: the results, then the ``user_texts`` that go with them.

    ``results`` name their calls by ``ids``, and their ``output`` is JSON text.
    """

    def __call__(
        self, reply: Reply, ids: Sequence[str], results: Sequence[Result], user_texts: Sequence[str] = (), /
    ) -> tuple[Message, ...]: ...


def from_body(read: Callable[[bytes], Conversation]) -> ReadRequest:
    """``read`` for a wire whose requests say everything in the body."""

    def read_request(
        route: Route,  # noqa: ARG001 - the body says all
        body: bytes,
        headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG001 - no rule of such a wire depends on one
        /,
    ) -> Conversation:
        return read(body)

    return read_request


class GrowingRead:
    """``from_body`` for a wire that need not read anew what a request has in common with an earlier one.

    ``read`` is given the body, and an earlier conversation of the same wire where there is one. It answers the same
    with it and without.
    """

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[bytes, Conversation | None], Conversation]) -> None:
        self._read = read

    def __call__(
        self,
        route: Route,  # noqa: ARG002 - the body says all
        body: bytes,
        headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG002 - no rule of such a wire depends on one
        /,
    ) -> Conversation:
        """``ReadRequest``."""
        return self._read(body, None)

    def after(self, before: Conversation | None, body: bytes) -> Conversation:
        """The request, which may begin as ``before`` does."""
        return self._read(body, before)


def messages_before(history: Sequence[Any], before: Conversation | None, member: str) -> tuple[Message, ...]:
    """The messages of an earlier conversation, where a history begins with all of its entries; else none.

    For wires that read each entry of ``member`` as one message, whatever follows it.
    """
    earlier = None if before is None else before.body.get(member)
    if before is None or not isinstance(earlier, list) or not same_json(history[: len(earlier)], earlier):
        return ()
    return before.messages


def unresolved(conversation: Conversation, issued: IssuedState) -> Conversation:  # noqa: ARG001 - the signature of resolve
    """``resolve`` for a wire whose requests carry their whole history."""
    return conversation


@dataclass(frozen=True, slots=True)
class Demand:
    """What the rule ``continuation/WIRE`` says of every request; ``impact`` is that of breaking it."""

    statement: str
    why: str
    source: str
    impact: Impact = "invalid"


def _unclaimed(body: Json, headers: Mapping[str, str]) -> Claim:  # noqa: ARG001 - the signature of claim
    return Claim.NONE


def _canonical(body: Any) -> Any:
    return body


def _as_it_is(recorded: Json) -> Json:
    return recorded


def _nowhere(method: str, path: str) -> Route | None:  # noqa: ARG001 - the signature of route
    """``aside`` for a wire that has nothing of the kind."""
    return None


def _no_answer(request: AuxiliaryRequest) -> AuxiliaryAnswer | None:  # noqa: ARG001 - the signature of auxiliary
    return None


def _not_found(method: str, path: str) -> ProviderAnswer:  # noqa: ARG001 - the signature of unknown_path
    return ProviderAnswer("Not Found", 404)


def _nothing_more(item: Json) -> tuple[str, ...]:  # noqa: ARG001 - the signature of beyond_parts
    return ()


def _always(body: Json) -> bool:  # noqa: ARG001 - the signature of asks_for_usage
    return True


def _no_wait(body: Json) -> float | None:  # noqa: ARG001 - the signature of wait_in_error
    return None


def _false(value: Any) -> bool:  # noqa: ARG001 - the signature of a predicate
    return False


def thoughtless(conversation: Conversation, text: str) -> ThinkingPart | None:  # noqa: ARG001 - a model never thinks
    """``Wire.thinks`` of a wire that does not say when its models think."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wire:
    """A provider API's wire format: its functions and the facts about it. Stateless, shared by all cases."""

    name: WireName

    label: str
    """The name in a few letters, for the columns of reports."""

    rule_prefix: str
    """The letters with which the ids of its rules begin (``ANT``)."""

    rules: tuple[WireRule, ...]
    """What the provider demands, in the order of the wire's own numbers."""

    models: ModelTable
    """What applies to some models only."""

    provider: Provider
    """Who serves the wire."""

    default_model: str
    """The model that a case asks for. The name matters: Chat refuses tools for newer reasoning models (OAC-14)."""

    history: str
    """The member of a request's body that has its history."""

    grammar: Grammar
    """What its requests and responses are made of."""

    settings: Json
    """What a client that lets the model call tools asks for beside the conversation: members of a request's body."""

    # --- functions ------------------------------------------------------------------------------------------

    route: Callable[[str, str], Route | None]
    """Recognises a request of this wire by method and path, which has no case prefix and may have a query."""

    path: Callable[[Route], str]
    """The path by which recordings know a request: without what servers of the wire put in front of it."""

    read: ReadRequest

    resolve: Callable[[Conversation, IssuedState], Conversation] = unresolved
    """Puts the turns that a request only names in front of it; unchanged when it names none or an unknown one."""

    violations: Callable[[Conversation, IssuedState], list[Finding]]
    """Every rule that a request breaks, in the order in which the provider would complain."""

    render: Callable[[Turn, Identity, Conversation], Rendered]
    """The provider's answer to a conversation that says a turn; streamed if the request asked for it."""

    parse: Callable[[str, bytes], Reply]
    """Reads a response body by its content type, streamed or not, complete or cut.

    Raises ``ValueError`` when it is none.
    """

    arrivals: Callable[[str, bytes, Sequence[str]], tuple[Arrival, ...] | None]
    """How the calls of a response arrived, in order; None when its bytes do not show it.

    It is given the content type, the body, and the JSON text of each call's arguments as ``parse`` reads it. In a
    response that is no stream all of them arrive with its last byte.
    """

    refuse: Callable[[ProviderAnswer, Identity], ErrorAnswer]
    """The answer to a request that breaks a rule."""

    error: ErrorOf

    response_headers: HeadersOf

    write: Callable[[Conversation], WrittenRequest]
    """The request that says a conversation, as it was read and not as resolved: the inverse of ``read``.

    Members of ``Conversation.body`` that neutral words do not say (``settings``) are sent as they are; those that they
    do say are written anew. Half a surrogate pair, which no provider reads, is sent as U+FFFD.
    """

    entries: Callable[[Sequence[Message]], list[Json]]
    """The entries of a request's history that say some messages.

    A system message that the request says elsewhere (``system``, ``systemInstruction``, ``instructions``) is none. A
    message of one ``Opaque`` part of kind ``ENTRY`` is that part's ``native``.
    """

    returned: Callable[[Reply, Sequence[str]], tuple[Message, ...]]
    """The messages that send a reply back: as it came, but for what the provider refuses to take back.

    The second argument has one unique id per call, in order: the call's own wherever that is usable.
    """

    answers: Answers

    # --- functions that most wires need not have ------------------------------------------------------------

    claim: Callable[[Json, Mapping[str, str]], Claim] = _unclaimed
    """How surely a body, with headers whose names are lower case, is a request of this wire."""

    elsewhere: Callable[[str, str], Route | None] = _nowhere
    """Recognises, as ``route`` does, a request for the model's answer in a form that the endpoint does not speak.

    It is read and judged where it was recorded.
    """

    aside: Callable[[str, str], Route | None] = _nowhere
    """Recognises, as ``route`` does, a request that has a history and asks for something else than the model's answer.

    The endpoint serves it where the wire has ``in_place``.
    """

    echoed: Callable[[str, bytes, Sequence[str]], tuple[Message, ...]] | None = None
    """As ``returned``, by a client that keeps every member of an answer, whether it knows it or not.

    It is given the content type, the body and the ids. None: ``returned`` keeps them all.
    """

    auxiliary: Auxiliary = _no_answer
    """The answer to a request that is no conversation, such as one for the list of models, or for a response that was
    issued; None for any other request. Of several wires the one that claims it most surely answers."""

    unknown_path: Callable[[str, str], ProviderAnswer] = _not_found
    """What the provider answers where it has nothing at a path, by the method and the path."""

    in_place: Callable[[Conversation, Identity], Json] | None = None
    """What is answered to a request of which ``aside`` is the route, as resolved: a compacted history."""

    canonical: Callable[[Any], Any] = _canonical
    """The one form of a request's JSON value in which all spellings that the provider reads alike are equal."""

    from_client: Callable[[Json], Json] = _as_it_is
    """The body of a request or a response in the words of the official SDK, as tracers in a client's process record it.

    Members that are for the SDK alone are left out; a body in the provider's own words stays as it is.
    """

    failure: FailureOf | None = None
    """The answer to a request that it cannot serve; None: that of ``error`` with the status that most send."""

    background: Background | None = None
    """How responses are made in the background; None where none are."""

    keeping: Keeping | None = None
    """How responses that were issued are asked for by their ids; None where the provider keeps none."""

    tool_choice: Callable[[Json], ToolChoice] = choice_by_name
    """What a request's body leaves to the model where tools are concerned."""

    thinks: Callable[[Conversation, str], ThinkingPart | None] = thoughtless
    """What the model that is asked sends of its thinking in front of what it says, as the provider would for this
    request: with the text where that is shown. None where it does not think, or nothing of it reaches the client."""

    never_thinks: Callable[[str], bool] = _false
    """Whether it is known of a model that it never thinks."""

    begins_answer: Callable[[Json], bool] = _false
    """Whether a JSON object is a whole response of this wire, or the event with which a streamed one begins.

    It decides over files of which nothing else is known, so it must not be true of anything else.
    """

    probe: ProbeMembers | None = None
    """What a probe of a server of this wire asks for; None: no server of it is probed."""

    wait_in_error: Callable[[Json], float | None] = _no_wait
    """After how many seconds to ask again, where the body of an error says it and no header does."""

    strict: Strict | None = None
    """Where a response breaks one of ``response_rules``; None where nobody has written the strict reader yet.

    It is a second reader: ``parse`` stays tolerant.
    """

    beyond_parts: Callable[[Json], tuple[str, ...]] = _nothing_more
    """What a native item of an answer has that no neutral part says, by its name: a search of the provider, a source.

    Members without content are none.
    """

    asks_for_usage: Callable[[Json], bool] = _always
    """Whether the tokens are to be counted in the answer to a request's body."""

    dialects: Mapping[str, Dialect] = field(default_factory=dict)
    """How servers stream otherwise than the provider, by name."""

    declined: Mapping[str, Callable[[Wire], Wire]] = field(default_factory=dict)
    """The members of requests that a server may decline, and how the wire is changed on a server that does."""

    demand: Demand | None = None
    """What the wire demands of requests; None: what its provider accepts."""

    # --- facts ----------------------------------------------------------------------------------------------

    response_rules: tuple[ResponseRule, ...] = ()
    """What its servers must send, in the order of the wire's own numbers."""

    lacks: Mapping[Content, str] = field(default_factory=dict)
    """What none of its responses can say, each with where that is known from: a gateway to it must lose that."""

    transport: Transport = SSE
    """How its streamed responses are framed."""

    event_name: str = "type"
    """The member of an event by whose value it is named in a stream of SSE."""

    channels: Mapping[str, SocketMode] = field(default_factory=dict)
    """What it says on channels beside HTTP, by their names (``harness.wire.channels``)."""

    on_request: bool = False
    """Whether a run has cases on it only where its name is asked for, or the target speaks no other wire."""

    dialect_of: WireName | None = None
    """The wire whose paths, errors and rules it has: a dialect is recognised only where a case names it."""

    naming_history: tuple[str, ...] = ()
    """Members of a body that name earlier turns in place of the history."""

    thinking_model: str = ""
    """The model that a script plays which thinks, where the provider's own models never send their thoughts."""

    minds_server: bool = False
    """Whether its rules look at ``Conversation.server``, which is not set for other wires."""

    model_member: str = "model"
    """The member of a body that names the model, where one does: clients' own words for a request may, too."""

    model_in_path: bool = False
    """Whether a request says in its path, and not in the body, which model it asks and whether to stream."""

    declares_tools: bool = True
    """Whether a request declares the tools. Where it does not, they are described in the prompt."""

    has_skills: bool = False
    """Whether the prompt offers skills to the model, which it may activate."""

    custom_tools: bool = False
    """Whether a tool may be of the type ``custom``, whose input is any text."""

    call_ids: Literal["required", "optional", "none"] = "required"
    """Whether a call has an id; ``optional``: calls without one are paired with results by name and place."""

    keeps_thinking_mode: bool = False
    """Whether a turn that was begun with thinking is gone on with in thinking, until its calls are answered."""

    marks_failures: bool = False
    """Whether a result has a flag that says whether the tool failed."""

    texts_between_results: bool = False
    """Whether the provider accepts a message between the results of a turn."""

    container: str = ""
    """The member of a request's body that names the container in which the provider runs the model's code."""

    cache_marks: frozenset[str] = frozenset()
    """The members that say where what the provider may cache ends."""

    scripted: frozenset[ScriptedWords] = frozenset()
    """What a script may say in the provider's own words."""

    can_pause: bool = False
    """Whether an answer can go on in the next request (the stop ``pause``)."""

    goes_on_by_token: bool = False
    """Whether such an answer is a long one, and a token says it in the request that has it continued."""

    object_arguments: bool = False
    """Whether a call has an object for its arguments, so that no text at all is an empty one."""

    whole_arguments: bool = False
    """Whether the arguments of a call are a JSON value of the response, and never text that arrives in pieces."""

    documents_need_valid_arguments: bool = False
    """Whether only a stream can carry arguments that are no JSON."""

    @property
    def native(self) -> bool:
        """Whether it has tool calls of its own, as a provider's API says them."""
        return self.dialect_of is None
