"""What every wire does, and the values that cross its border.

A wire is pure: bytes and parsed JSON in, values out. It opens nothing, waits for nothing and draws no random
numbers; ids and signatures come from the ``Identity`` that the caller hands in.

    route     which wire and which request is this? (method and path)
    read      request body and headers -> Conversation
    render    Turn -> the provider's bytes, and the Reply that they say
    parse     the provider's bytes -> Reply; arrivals: when the arguments of its calls came
    violations Conversation + what was Sent -> the rules that the continuation breaks
    rules     everything that ``violations`` can say, as one table; models: what holds for some models only
    refuse, error   the provider's own error answers
    write, entries  Conversation -> the request that says it, Messages -> the entries of its history
    returned, answers  Reply, Results -> the Messages by which a client goes on
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from harness.wire.arrival import Arrival
from harness.wire.identity import Identity
from harness.wire.models import ModelTable
from harness.wire.rule import Level, Violation, WireRule
from harness.wire.turn import Call, Part, Refusal, Text, Turn

__all__ = [
    "ENTRY",
    "HISTORY",
    "NO_HEADERS",
    "Conversation",
    "ErrorAnswer",
    "IssuedState",
    "Json",
    "Level",
    "Message",
    "NativeWireName",
    "Opaque",
    "Rendered",
    "Reply",
    "Result",
    "Role",
    "Route",
    "ToolDeclaration",
    "UnreadableRequest",
    "Violation",
    "Wire",
    "WireName",
    "Written",
]

NativeWireName = Literal["openai-responses", "openai-chat", "anthropic-messages", "gemini-generate"]
"""A wire with tool calls of its own: what a provider's API says by itself."""

WireName = Literal[NativeWireName, "text-tags"]

Json = dict[str, Any]
"""A parsed JSON object of a provider: its shape is the provider's, so its members are not typed here."""

HISTORY: Final[Mapping[WireName, str]] = {
    "openai-responses": "input",
    "openai-chat": "messages",
    "anthropic-messages": "messages",
    "gemini-generate": "contents",
    "text-tags": "messages",
}
"""The member of a request's body that holds its history."""

ENTRY: Final = "entry"
"""The kind of an ``Opaque`` that is a whole entry of a request's history (reading never gives one)."""

Role = Literal["system", "user", "assistant", "tool"]

_SPOKEN: Final = (Text, Refusal)

NO_HEADERS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Route:
    """A request recognised by its path. Wires that say the model or streaming in the body leave them None.

    ``collection`` is what stands in front of the model where the path names it: ``/v1beta/models``,
    ``/v1/projects/p/locations/l/publishers/google/models``.
    """

    wire: WireName
    model: str | None = None
    stream: bool | None = None
    collection: str = field(default="", compare=False)


# --- a request, read ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """A tool as the model is told of it. ``parameters`` is a JSON Schema of type object."""

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
        return tuple([part for part in self.parts if isinstance(part, Call)])

    @property
    def results(self) -> tuple[Result, ...]:
        return tuple([part for part in self.parts if isinstance(part, Result)])

    @property
    def text(self) -> str:
        return "".join([part.text for part in self.parts if isinstance(part, _SPOKEN)])


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request in neutral words, beside the parsed body that it was read from.

    ``messages`` is the history that the model would see. A request that names earlier turns instead of sending
    them (``previous_response_id``, ``item_reference``, Anthropic ``thread: continue``) has ``continues`` set
    and holds only what it sent; ``Wire.resolve`` puts the rest in front of it.

    ``headers`` are those of the request that its wire's rules depend on (``anthropic-version``), names in lower case.
    ``collection`` is the route's.
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


@dataclass(frozen=True, slots=True)
class Written:
    """A request ready to be posted. ``path`` has no base URL, and the query that the wire wants."""

    path: str
    body: bytes


class UnreadableRequest(Exception):
    """The body cannot be read at all. ``violation`` is what the provider would answer."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(violation.message)
        self.violation = violation


# --- a response, written and read --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model sent, in its wire's own items and in neutral words.

    ``items`` are the native pieces that a continuation must give back as they are: Responses output items,
    Anthropic content blocks, Gemini parts (one per streamed part), or the one Chat assistant message.
    ``complete`` says that the terminal event came. ``turn.error`` is the in-stream error, if any.
    """

    wire: WireName
    id: str
    model: str
    items: tuple[Json, ...]
    turn: Turn
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Rendered:
    """A response ready to be sent: SSE frames (each with its blank line) or one JSON document.

    ``terminal`` counts the frames at the end without which the response is not complete (0 for JSON).
    """

    content_type: str
    frames: tuple[bytes, ...]
    reply: Reply
    terminal: int = 1

    @property
    def body(self) -> bytes:
        return b"".join(self.frames)


class IssuedState:
    """What the model endpoint has issued in one case, in order: the memory that a cassette does not have.

    Each entry is the conversation that was asked, as resolved, and the reply that it got. ``memory`` is what the wire
    itself keeps from one judgement to the next; nobody else reads it.
    """

    def __init__(self) -> None:
        self.turns: list[tuple[Conversation, Reply]] = []
        self.memory: object = None
        self._by_id: dict[str, int] = {}

    def add(self, conversation: Conversation, reply: Reply) -> None:
        self._by_id[reply.id] = len(self.turns)
        self.turns.append((conversation, reply))

    def find(self, reply_id: str) -> tuple[Conversation, Reply] | None:
        """The turn whose reply has this id."""
        at = self._by_id.get(reply_id)
        return None if at is None else self.turns[at]

    @property
    def replies(self) -> tuple[Reply, ...]:
        return tuple(reply for _, reply in self.turns)


# --- judgement ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """A complete HTTP error answer as the provider sends it. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Wire(Protocol):
    """A provider API's wire format. Implementations are stateless and shared by all cases."""

    name: WireName

    rules: tuple[WireRule, ...]
    """What the provider demands, in the order of the wire's own numbers."""

    models: ModelTable
    """What holds for some models only."""

    def route(self, method: str, path: str) -> Route | None:
        """Recognise a request of this wire. ``path`` has no case prefix and may have a query."""

    def read(self, route: Route, body: bytes, headers: Mapping[str, str] = NO_HEADERS) -> Conversation:
        """Read a request. Header names are lower case.

        Raises ``UnreadableRequest`` when the body is not what the wire calls a request.
        """

    def resolve(self, conversation: Conversation, sent: IssuedState) -> Conversation:
        """Put the turns that the request only names in front of it; unchanged when it names none or an unknown one."""

    def violations(self, conversation: Conversation, sent: IssuedState) -> list[Violation]:
        """Every rule that this request breaks, in the order in which the provider would complain."""

    def render(self, turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
        """The provider's answer to ``conversation`` that says ``turn``; streamed if the request asked for it."""

    def parse(self, content_type: str, body: bytes) -> Reply:
        """Read a response body, streamed or not, complete or cut. Raises ``ValueError`` when it is none."""

    def arrivals(self, content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
        """How the calls of a response arrived, in order; None when its bytes do not show it.

        ``arguments`` has the JSON text of each call as ``parse`` reads it. In a response that is no stream all of them
        arrive with its last byte.
        """

    def refuse(self, violation: Violation, identity: Identity) -> ErrorAnswer:
        """The answer to a request that breaks a rule."""

    def error(self, status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
        """The provider's answer with this HTTP status; ``retry_after`` is in seconds."""

    def response_headers(self, identity: Identity, *, stream: bool) -> Mapping[str, str]:
        """The headers of a successful answer, without framing (length and transfer encoding)."""

    settings: Json
    """What a client that lets the model call tools asks for beside the conversation: members of a request's body."""

    def write(self, conversation: Conversation) -> Written:
        """The request that says ``conversation``, as it was read and not as resolved: the inverse of ``read``.

        Members of ``conversation.body`` that neutral words do not say (``settings``) are sent as they are; those that
        they do say are written anew. Half a surrogate pair, which no provider reads, is sent as U+FFFD.
        """

    def entries(self, messages: Sequence[Message]) -> list[Json]:
        """The entries of a request's history that say ``messages``.

        A system message that the request says elsewhere (``system``, ``systemInstruction``, ``instructions``) is
        none. A message of one ``Opaque`` part of kind ``ENTRY`` is that part's ``native``.
        """

    def returned(self, reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:
        """The messages that send ``reply`` back: as it came, but for what the provider refuses to take back.

        ``ids`` has one unique id per call, in order: the call's own wherever that is usable.
        """

    def answers(
        self, reply: Reply, ids: Sequence[str], results: Sequence[Result], said: Sequence[str] = ()
    ) -> tuple[Message, ...]:
        """The messages that follow ``returned``: the results, then what the user ``said`` beside them.

        ``results`` name their calls by ``ids``, and their ``output`` is JSON text.
        """
