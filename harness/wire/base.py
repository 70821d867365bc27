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

The other members of ``Wire`` are facts: who provides it, how its streams are framed, and what the rules, the targets,
the recorder and the reports must know about it. Code outside ``harness.wire`` reads every difference between wires
there and never asks for a wire by its name.
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
"""What a script may write in the provider's own JSON: a piece of a turn, members of the response, or of a piece."""

_SPOKEN: Final = (Text, Refusal)

NO_HEADERS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Route:
    """A request recognised by its path. ``model`` or ``stream`` is None if the wire has it in the body.

    If the path names the model, ``collection`` is the part before the model: ``/v1beta/models``,
    ``/v1/projects/p/locations/l/publishers/google/models``. ``aside`` names what the client asks for instead of the
    model's answer (``compact``); it is ``""`` if the client asks for that answer.
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
    """The answer to a tool call. ``id`` is the call's id, or ``""`` if the wire or the loop sent none."""

    id: str
    output: str
    name: str = ""
    is_error: bool = False
    is_marked: bool = field(default=False, compare=False)
    """Whether the request itself marks the result as an error or as a success."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A part that the harness carries but does not interpret (an image, a server tool, a citation).

    A writer sends ``native`` unchanged, so an ``Opaque`` can carry whatever must go back verbatim. An ``Opaque`` of
    kind ``ENTRY`` is alone in its message and is a whole entry of the history.
    """

    kind: str
    native: Any


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the history, with its parts in the order of the request.

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
    """A request in neutral words, with the parsed body that it was read from.

    ``messages`` is the history that the model would see. A request that names earlier turns instead of sending them
    (``previous_response_id``, ``item_reference``, Anthropic ``thread: continue``) has ``continues`` set and contains
    only what it sent; ``Wire.resolve`` puts the earlier turns in front of it.

    ``headers`` are the request's headers that the rules of its wire depend on (``anthropic-version``), with names in
    lower case. ``collection`` and ``aside`` come from the route. ``server`` is the name of the server that answers, or
    empty if it is unknown (``harness.wire.servers``). If the request came on a channel, ``connection`` is the number of
    the connection, from 1, and ``lane`` the name of the request's stream on it. ``connection`` is 0 for HTTP.
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
    """A request ready to be posted. ``path`` has no base URL; it includes the query that the wire wants."""

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
    """What the model sent, both as native items of the wire and in neutral words.

    ``items`` are the native pieces that a continuation must give back as they are: Responses output items, Anthropic
    content blocks, Gemini parts (one per streamed part), or the one Chat assistant message. ``complete`` says that the
    terminal event came. ``turn.error`` is the in-stream error, if any. ``container`` is the id of the container in
    which the provider runs the model's code, or ``""`` if the response names none. ``continuation`` is the token with
    which the next request asks to continue a long answer, or ``""``. ``done_calls`` are the ids of calls that the
    provider's own agent has run: their results are among the items, and these calls are not in the turn.
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
    HTTP status: if a script has an error in a stream but the request asked for no stream, the error is an answer with
    its own status.
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
    """A history that the provider stores. An entry is an item that was put there, or the id of the reply of a turn.

    ``removed`` are the ids of items that were removed later.
    """

    entries: Sequence[Json | str] = ()
    removed: frozenset[str] = frozenset()


class IssuedState:
    """What the model endpoint has issued in one case, in order: the memory that a cassette does not have.

    Each entry is a resolved conversation and the reply that it got. ``made_anew`` is the number of entries at the last
    time that the user compacted the history or changed the model: later requests need not begin like these entries.
    ``memory`` is what the wire itself keeps from one judgement to the next; nobody else reads it. ``evicted`` are the
    ids of replies that a connection has dropped. ``stored`` are the histories that the provider stores under their own
    ids; a deleted one is None. ``compactions`` are the encrypted contents of compacted histories by the ids of their
    items; it is None if nobody knows which were issued.
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
        """What was issued on one wire. This is the state itself unless a conversation has switched between wires."""
        if self._wires <= {wire}:
            return self
        own = IssuedState()
        own.evicted, own.stored, own.compactions = self.evicted, self.stored, self.compactions
        for asked, reply in self.turns:
            if asked.wire == wire:
                own.add(asked, reply)
        return own

    def add(self, conversation: Conversation, reply: Reply) -> None:
        """Note a resolved request and the reply to it."""
        if named := reply.id or reply.continuation:  # an answer that broke at once has neither, and nobody names it
            self._by_id[named] = len(self.turns)
        self._wires.add(conversation.wire)
        self.turns.append((conversation, reply))

    def correct(self, reply: Reply, got: Reply) -> None:
        """Note that the client got only a part of a reply. What was remembered of the whole reply is forgotten."""
        self.memory = None
        self.turns = [(asked, got if each is reply else each) for asked, each in self.turns]

    def forget(self, reply_id: str) -> None:
        """Note that a client has deleted the reply with this id: no request can continue from it."""
        self._by_id.pop(reply_id, None)

    def failed(self, conversation: Conversation) -> None:
        """Note that a request on a connection got an error. The connection drops the reply that the request continues.

        A request that continues a reply of another lane drops nothing.
        """
        found = self.find(conversation.continues or "")
        if conversation.connection and found is not None and found[0].lane == conversation.lane:
            self.evicted.add(found[1].id)

    def find(self, reply_id: str) -> tuple[Conversation, Reply] | None:
        """The turn whose reply has this id, or, if the wire stores none, the turn that this token has continued."""
        at = self._by_id.get(reply_id)
        return None if at is None else self.turns[at]

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The replies that were sent, in order."""
        return tuple(reply for _, reply in self.turns)


# --- judgement ---------------------------------------------------------------------------------------------


# --- the wire ----------------------------------------------------------------------------------------------


class ReadRequest(Protocol):
    """Reads a request. Header names are in lower case.

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

    ``results`` refer to their calls by ``ids``, and their ``output`` is JSON text.
    """

    def __call__(
        self, reply: Reply, ids: Sequence[str], results: Sequence[Result], user_texts: Sequence[str] = (), /
    ) -> tuple[Message, ...]: ...


def from_body(read: Callable[[bytes], Conversation]) -> ReadRequest:
    """``Wire.read`` for a wire whose requests have everything in the body."""

    def read_request(
        route: Route,  # noqa: ARG001 - the body says all
        body: bytes,
        headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG001 - no rule of such a wire depends on one
        /,
    ) -> Conversation:
        return read(body)

    return read_request


class GrowingRead:
    """``from_body`` for a wire that need not read again what a request shares with an earlier one.

    ``read`` gets the body and an earlier conversation of the same wire, or None. Its result does not depend on the
    earlier conversation.
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
    """The messages of an earlier conversation if a history begins with all of its entries; else none.

    For wires that read each entry of ``member`` as one message, whatever comes after the entry.
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
    """What the rule ``continuation/WIRE`` demands of every request; ``impact`` is the impact of breaking it."""

    statement: str
    why: str
    source: str
    impact: Impact = "invalid"


def _no_claim(body: Json, headers: Mapping[str, str]) -> Claim:  # noqa: ARG001 - the signature of claim
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
    """``Wire.thinks`` for a wire that does not know when its models think."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wire:
    """A provider API's wire format: its functions and the facts about it. Stateless, shared by all cases."""

    name: WireName

    label: str
    """A short name, for the columns of reports."""

    rule_prefix: str
    """The prefix of the ids of its rules (``ANT``)."""

    rules: Sequence[WireRule]
    """What the provider demands, in the order of the wire's own numbers."""

    models: ModelTable
    """Facts about some models only."""

    provider: Provider
    """Who serves the wire."""

    default_model: str
    """The model that a case asks for. The name matters: Chat refuses tools for newer reasoning models (OAC-14)."""

    history: str
    """The member of a request's body that contains the history."""

    grammar: Grammar
    """How its requests and responses are built."""

    settings: Json
    """Members of a request's body, beside the conversation, that a client sends when it lets the model call tools."""

    # --- functions ------------------------------------------------------------------------------------------

    route: Callable[[str, str], Route | None]
    """Recognises a request of this wire by method and path. The path has no case prefix and may have a query."""

    path: Callable[[Route], str]
    """The path under which recordings keep a request, without the prefix that servers of the wire add."""

    read: ReadRequest

    resolve: Callable[[Conversation, IssuedState], Conversation] = unresolved
    """Puts the turns that a request only names in front of it. Unchanged if it names none or an unknown one."""

    violations: Callable[[Conversation, IssuedState], list[Finding]]
    """Every rule that a request breaks, in the order in which the provider would report them."""

    render: Callable[[Turn, Identity, Conversation], Rendered]
    """The provider's answer to a conversation, with this turn; streamed if the request asked for a stream."""

    parse: Callable[[str, bytes], Reply]
    """Reads a response body by its content type: streamed or not, complete or cut off.

    Raises ``ValueError`` if it is no response body.
    """

    arrivals: Callable[[str, bytes, Sequence[str]], tuple[Arrival, ...] | None]
    """How the calls of a response arrived, in order; None if its bytes do not show it.

    It gets the content type, the body, and the JSON text of each call's arguments as ``parse`` reads it. Without
    streaming, all arguments arrive with the last byte of the response.
    """

    refuse: Callable[[ProviderAnswer, Identity], ErrorAnswer]
    """The answer to a request that breaks a rule."""

    error: ErrorOf

    response_headers: HeadersOf

    write: Callable[[Conversation], WrittenRequest]
    """The request for a conversation as it was read, not as resolved: the inverse of ``read``.

    Members of ``Conversation.body`` that have no neutral form (``settings``) are sent unchanged; all others are written
    again from the neutral form. Half a surrogate pair, which no provider reads, is sent as U+FFFD.
    """

    entries: Callable[[Sequence[Message]], list[Json]]
    """The entries of a request's history for these messages.

    A system message makes no entry if the request has it elsewhere (``system``, ``systemInstruction``,
    ``instructions``). The entry of a message with one ``Opaque`` part of kind ``ENTRY`` is that part's ``native``.
    """

    returned: Callable[[Reply, Sequence[str]], tuple[Message, ...]]
    """The messages that send a reply back as it came, without what the provider refuses to take back.

    The second argument has one unique id per call, in order: the call's own id if it is usable.
    """

    answers: Answers

    # --- functions that most wires need not have ------------------------------------------------------------

    claim: Callable[[Json, Mapping[str, str]], Claim] = _no_claim
    """How surely a body and headers (names in lower case) are a request of this wire."""

    elsewhere: Callable[[str, str], Route | None] = _nowhere
    """Like ``route``, for a request for the model's answer in a form that the endpoint does not speak.

    Such a request is read and judged only in recordings.
    """

    aside: Callable[[str, str], Route | None] = _nowhere
    """Like ``route``, for a request that has a history and asks for something other than the model's answer.

    The endpoint serves it if the wire has ``in_place``.
    """

    echoed: Callable[[str, bytes, Sequence[str]], tuple[Message, ...]] | None = None
    """Like ``returned``, for a client that keeps every member of an answer, even unknown ones.

    It gets the content type, the body and the ids. None: ``returned`` already keeps all members.
    """

    auxiliary: Auxiliary = _no_answer
    """The answer to a request that is no conversation, such as a request for the list of models or for an issued
    response; None for any other request. If several wires answer, the answer with the surest claim counts."""

    unknown_path: Callable[[str, str], ProviderAnswer] = _not_found
    """What the provider answers to a method and path that it does not know."""

    in_place: Callable[[Conversation, Identity], Json] | None = None
    """The answer to a resolved request that ``aside`` recognises: a compacted history."""

    canonical: Callable[[Any], Any] = _canonical
    """The canonical form of a request's JSON value: spellings that the provider reads alike have the same form."""

    from_client: Callable[[Json], Json] = _as_it_is
    """The provider's form of a body in the words of the official SDK, as tracers in a client's process record it.
    Members that only the SDK uses are left out; a body in the provider's own words is unchanged.
    """

    failure: FailureOf | None = None
    """The answer to a request that it cannot serve; None: the answer of ``error`` with the usual status."""

    background: Background | None = None
    """How responses are made in the background; None if the provider makes none."""

    keeping: Keeping | None = None
    """How clients ask for issued responses by their ids; None if the provider keeps none."""

    tool_choice: Callable[[Json], ToolChoice] = choice_by_name
    """What a request's body lets the model decide about tools."""

    thinks: Callable[[Conversation, str], ThinkingPart | None] = thoughtless
    """The thinking that the provider would send for this request in front of the model's answer, with the text if it is
    shown. None if the model does not think, or if nothing of its thinking reaches the client."""

    never_thinks: Callable[[str], bool] = _false
    """Whether a model is known never to think."""

    begins_answer: Callable[[Json], bool] = _false
    """Whether a JSON object is a whole response of this wire, or the first event of a streamed one.

    It classifies files about which nothing else is known, so it must not be true for anything else.
    """

    probe: ProbeMembers | None = None
    """What a probe asks a server of this wire for; None: no server of this wire is probed."""

    wait_in_error: Callable[[Json], float | None] = _no_wait
    """After how many seconds to ask again, if the body of an error says so and no header does."""

    strict: Strict | None = None
    """Reports where a response breaks one of ``response_rules``; None if the strict reader is not written yet.

    It is a second reader: ``parse`` stays tolerant.
    """

    beyond_parts: Callable[[Json], tuple[str, ...]] = _nothing_more
    """What a native item of an answer contains beyond neutral parts, by name: a search of the provider, a source.

    Members without content are none.
    """

    asks_for_usage: Callable[[Json], bool] = _always
    """Whether a request's body asks for token counts in the answer."""

    dialects: Mapping[str, Dialect] = field(default_factory=dict)
    """How servers stream differently from the provider, by name."""

    declined: Mapping[str, Callable[[Wire], Wire]] = field(default_factory=dict)
    """The members of requests that a server may decline, each with a function that adapts the wire to such a server."""

    demand: Demand | None = None
    """What the wire demands of requests; None: what its provider accepts."""

    # --- facts ----------------------------------------------------------------------------------------------

    response_rules: tuple[ResponseRule, ...] = ()
    """The rules for what its servers send, in the order of the wire's own numbers."""

    lacks: Mapping[Content, str] = field(default_factory=dict)
    """Content that its responses cannot express, with the source of this fact: a gateway to the wire must lose it."""

    transport: Transport = SSE
    """How its streamed responses are framed."""

    event_name: str = "type"
    """The member of an event whose value is the event's name in an SSE stream."""

    channels: Mapping[str, SocketMode] = field(default_factory=dict)
    """How it speaks on channels beside HTTP, by their names (``harness.wire.channels``)."""

    on_request: bool = False
    """Whether a run has cases on it only if the user names this wire, or if the target speaks no other wire."""

    dialect_of: WireName | None = None
    """The wire whose paths, errors and rules it shares. A dialect is recognised only if a case names it."""

    naming_history: tuple[str, ...] = ()
    """Members of a body that name earlier turns instead of sending the history."""

    thinking_model: str = ""
    """The model for a script that thinks, if the provider's own models never send their thinking."""

    minds_server: bool = False
    """Whether its rules look at ``Conversation.server``, which is not set for other wires."""

    model_member: str = "model"
    """The member that names the model, in a body or in a client's own form of a request."""

    model_in_path: bool = False
    """Whether the path of a request, and not its body, names the model and says whether to stream."""

    declares_tools: bool = True
    """Whether a request declares the tools. If not, the prompt describes them."""

    has_skills: bool = False
    """Whether the prompt offers skills to the model, which it may activate."""

    custom_tools: bool = False
    """Whether a tool may have the type ``custom``, which takes any text as its input."""

    call_ids: Literal["required", "optional", "none"] = "required"
    """Whether a call has an id; ``optional``: calls without one are paired with results by name and place."""

    keeps_thinking_mode: bool = False
    """Whether a turn that began with thinking keeps thinking switched on until its calls are answered."""

    marks_failures: bool = False
    """Whether a result has a flag that says whether the tool failed."""

    texts_between_results: bool = False
    """Whether the provider accepts a message between the results of a turn."""

    container: str = ""
    """The member of a request's body that names the container in which the provider runs the model's code."""

    cache_marks: frozenset[str] = frozenset()
    """The members that mark the end of what the provider may cache."""

    scripted: frozenset[ScriptedWords] = frozenset()
    """What a script may write in the provider's own JSON."""

    can_pause: bool = False
    """Whether an answer can go on in the next request (the stop ``pause``)."""

    goes_on_by_token: bool = False
    """Whether such an answer is a long one that the next request continues by a token."""

    object_arguments: bool = False
    """Whether a call's arguments are an object, so that an empty text counts as an empty object."""

    whole_arguments: bool = False
    """Whether a call's arguments are a JSON value in the response, and never text that arrives in pieces."""

    documents_need_valid_arguments: bool = False
    """Whether only a stream can carry arguments that are not JSON."""

    @property
    def native(self) -> bool:
        """Whether it has native tool calls, as a provider's API has them."""
        return self.dialect_of is None
