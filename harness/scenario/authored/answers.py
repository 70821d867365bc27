"""What the model sends: turns, and answers that are none."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from harness.scenario.authored.base import Authored, Count, Words, by_shape, one_key
from harness.scenario.authored.expected import SentEntry
from harness.wire.failures import FailureKind
from harness.wire.turn import Deltas, ErrorKind


class ThinkingEntry(Authored):
    """Thinking in one of its forms."""

    one_of = ("text", "redacted", "omitted")
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    text: Annotated[Words | None, Field(description="Thinking that is sent as text, with its signature.")] = None
    redacted: Annotated[Literal[True] | None, Field(description="Only an opaque blob is sent.")] = None
    omitted: Annotated[Literal[True] | None, Field(description="A signature without the text.")] = None


ThinkingForm = Annotated[
    Annotated[Words, Tag("plain")] | Annotated[ThinkingEntry, Tag("form")],
    by_shape(lambda value: "form" if isinstance(value, dict) else "plain"),
]


ArgumentsForm = Annotated[
    Annotated[dict[str, Any], Tag("object")] | Annotated[str, Tag("raw text")],
    by_shape(lambda value: "object" if isinstance(value, dict) else "raw text"),
]


class CallEntry(Authored):
    """A tool call in its long form."""

    name: Annotated[Words, Field(description="The tool that is called.")]
    arguments: Annotated[
        ArgumentsForm, Field(description="An object, or the raw JSON text exactly as the model writes it.")
    ]
    id: Annotated[
        Words | None, Field(description="The call's id; 'none' sends it without one. Left out: a fresh id.")
    ] = None
    invalid: Annotated[
        Literal[True] | None, Field(description="The call breaks the tool's schema, or names no tool, deliberately.")
    ] = None


ShortCall = Annotated[
    dict[str, dict[str, Any]],
    Field(
        min_length=1,
        max_length=1,
        description="A call in its short form: {tool: {arguments}}.",
        json_schema_extra={"propertyNames": {"not": {"const": "name"}}},
    ),
]

CallForm = Annotated[
    Annotated[ShortCall, Tag("short call")] | Annotated[CallEntry, Tag("call")],
    by_shape(lambda value: "call" if isinstance(value, dict) and "name" in value else "short call"),
]


class PartEntry(Authored):
    """One part of a turn; the list of parts keeps the order."""

    one_of = ("thinking", "text", "refusal", "call", "native")
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    thinking: Annotated[ThinkingForm | None, Field(description="Thinking.")] = None
    text: Annotated[Words | None, Field(description="Text for the user.")] = None
    refusal: Annotated[Words | None, Field(description="The model declines, in these words.")] = None
    call: Annotated[CallForm | None, Field(description="A tool call.")] = None
    native: Annotated[
        dict[str, Any] | None,
        Field(
            min_length=1,
            description="A piece that only the one wire of the scenario has, whole and in the provider's words: a "
            "server tool's use or result, an output item of its own.",
        ),
    ] = None
    members: Annotated[
        dict[str, Any] | None,
        Field(
            min_length=1,
            description="Beside 'text' or 'call': what the one wire of the scenario adds to it (citations, a caller).",
        ),
    ] = None

    @model_validator(mode="after")
    def _members_of_something(self) -> Self:
        if self.members is not None and self.text is None and self.call is None:
            raise PydanticCustomError("members_alone", "members alone", {})
        return self


class UsageEntry(Authored):
    """Tokens, as the provider would bill them."""

    input: Annotated[Count, Field(description="Tokens of the request.")] = 64
    output: Annotated[Count, Field(description="Tokens of the answer, thinking included.")] = 32
    reasoning: Annotated[Count, Field(description="Tokens of thinking.")] = 0
    cached: Annotated[Count, Field(description="Tokens of the request that came from a cache.")] = 0


class StreamErrorEntry(Authored):
    """An error that arrives inside a stream that began well."""

    kind: Annotated[ErrorKind, Field(description="What went wrong.")] = "overloaded"
    message: Annotated[str, Field(description="The provider's words; left out: the wire's own.")] = ""


class CutEntry(Authored):
    """The connection breaks."""

    one_of = ("after", "after_parts")
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    after: Annotated[Count | None, Field(description="How many SSE events are delivered before.")] = None
    after_parts: Annotated[
        Count | None,
        Field(description="How many parts of the turn are delivered whole before, and nothing of the next one."),
    ] = None
    how: Annotated[
        Literal["cut", "reset", "garbled", "close", "limit"],
        Field(
            description="Closed without the end of the body, a TCP reset, or an event that is no JSON, behind which "
            "the body ends. Of a WebSocket also: closed with a code, or ended because it has lasted too long. Over "
            "HTTP both are a cut, and over a WebSocket so is an event that is no JSON."
        ),
    ] = "cut"
    code: Annotated[
        int, Field(ge=1000, le=4999, description="The code with which a WebSocket is closed, beside 'how: close'.")
    ] = 1011


RefusalForm = Annotated[
    Annotated[Literal["closed"], Tag("no answer")] | Annotated[int, Field(ge=400, le=599), Tag("status")],
    by_shape(lambda value: "no answer" if isinstance(value, str) else "status"),
]
"""The status of an upgrade that is refused; or the connection is closed without an answer, as a proxy may do."""


class SocketEntry(Authored):
    """What happens to the WebSocket around a turn; over HTTP nothing does."""

    refuse: Annotated[
        RefusalForm | None,
        Field(
            description="Opening a connection before the turn is refused with this HTTP status, or without an answer."
        ),
    ] = None
    hangs: Annotated[
        Literal[True] | None, Field(description="Opening a connection before the turn is never answered.")
    ] = None
    times: Annotated[
        int | None, Field(ge=1, le=100, description="So many times; left out: whenever one is opened before the turn.")
    ] = None
    compresses: Annotated[
        Literal[True] | None,
        Field(
            description="Messages of a connection that is opened before the turn are compressed, where that is offered."
        ),
    ] = None
    forgets: Annotated[
        Literal[True] | None,
        Field(description="A request that goes on from an earlier response is refused once: it is not found."),
    ] = None
    unknown_event: Annotated[
        Literal[True] | None, Field(description="An event of a type that no client knows is among those of the turn.")
    ] = None
    other_stream: Annotated[
        Literal[True] | None, Field(description="Events of another stream are among those of the turn.")
    ] = None
    steerable: Annotated[
        Literal[True] | None,
        Field(
            description="The turn takes what the client says while it arrives; it ends then, and the next turn follows."
        ),
    ] = None
    limit: Annotated[
        Literal[True] | None,
        Field(description="Behind the turn comes the error that the connection has lasted too long."),
    ] = None
    close: Annotated[
        int | None,
        Field(
            ge=1000, le=4999, description="Behind the turn the connection is closed with this code; 1006: without one."
        ),
    ] = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        refused = self.refuse is not None or self.hangs is not None
        if self.model_fields_set <= {"times"} or (self.times is not None and not refused):
            expected = "what happens to the WebSocket ('times' beside 'refuse' or 'hangs')"
            raise PydanticCustomError("nothing_happens", "nothing happens", {"expected": expected})
        return self


NativeForm = Annotated[
    Annotated[dict[str, Any], Tag("event")] | Annotated[Words, Tag("data")],
    by_shape(lambda value: "event" if isinstance(value, dict) else "data"),
]
"""An event: a JSON object, or data that is none, such as ``[DONE]``."""

Repetitions = Annotated[int, Field(ge=1, le=100, description="This entry, so many times in a row.")]


class TurnEntry(Authored):
    """A model turn. The order of the keys does not matter: thinking, text, refusal, calls is the order sent."""

    thinking: Annotated[ThinkingForm | None, Field(description="What the model thinks first.")] = None
    text: Annotated[Words | None, Field(description="Text for the user.")] = None
    refusal: Annotated[Words | None, Field(description="The model declines, in these words.")] = None
    calls: Annotated[list[CallForm] | None, Field(min_length=1, description="Tool calls, in order.")] = None
    parts: Annotated[
        list[PartEntry] | None,
        Field(min_length=1, description="The parts in any order, instead of thinking, text, refusal and calls."),
    ] = None
    stop: Annotated[
        Literal["end", "tool_calls", "max_tokens", "refusal", "content_filter", "pause"] | None,
        Field(description="Why the model stops. Left out: refusal, tool_calls or end, by the content of the turn."),
    ] = None
    usage: Annotated[UsageEntry, Field(description="Token counts.")] = UsageEntry()
    error: Annotated[StreamErrorEntry | None, Field(description="An error instead of the end of the stream.")] = None
    ending: Annotated[Literal["eof"] | None, Field(description="The stream closes without its terminal event.")] = None
    cut: Annotated[CutEntry | None, Field(description="The connection breaks in mid-stream.")] = None
    socket: Annotated[SocketEntry | None, Field(description="What happens to the WebSocket around the turn.")] = None
    deltas: Annotated[Deltas, Field(description="How text and arguments are split into deltas.")] = "token"
    members: Annotated[
        dict[str, Any] | None,
        Field(
            min_length=1,
            description="What the response has beside its parts, for the one wire of the scenario: a container, "
            "grounding metadata, annotations.",
        ),
    ] = None
    native: Annotated[
        list[NativeForm] | None,
        Field(
            min_length=1,
            description="Instead of all the others: the answer in the provider's own words, for the one wire of the "
            "scenario. The events of its stream, or with 'stream: false' one document.",
        ),
    ] = None
    repeat: Repetitions = 1

    @model_validator(mode="after")
    def _parts_alone(self) -> Self:
        beside = self.model_fields_set & {"thinking", "text", "refusal", "calls"}
        if self.parts is not None and beside:
            raise PydanticCustomError("parts_alone", "parts alone", {"beside": sorted(beside)})
        return self

    @model_validator(mode="after")
    def _native_alone(self) -> Self:
        beside = self.model_fields_set - {"native", "cut", "socket", "repeat"}
        if self.native is not None and beside:
            raise PydanticCustomError("native_alone", "native alone", {"beside": sorted(beside)})
        return self

    @model_validator(mode="after")
    def _one_fault(self) -> Self:
        faults = sorted(self.model_fields_set & {"error", "ending", "cut"})
        if len(faults) > 1:
            raise PydanticCustomError("one_fault", "one fault", {"faults": faults})
        return self


WaitForm = Annotated[
    Annotated[Words, Tag("date")] | Annotated[float, Field(ge=0), Tag("seconds")],
    by_shape(lambda value: "date" if isinstance(value, str) else "seconds"),
]
"""Seconds, in the provider's own form; or what the header says in their place, which HTTP allows to be a date."""


class HttpErrorEntry(Authored):
    """An HTTP error in the provider's own form, or what a proxy says in its place, perhaps with status 200; or no
    answer at all."""

    one_of = ("status", "kind", "connection")
    model_config = ConfigDict(
        json_schema_extra={
            **one_key(one_of),
            "dependentRequired": {"breaks": ["body"]},
            "if": {"required": ["status"], "properties": {"status": {"type": "integer", "maximum": 399}}},
            "then": {"required": ["body"], "properties": {"status": {"const": 200}}},
        }
    )

    status: Annotated[
        int | None, Field(ge=200, le=599, description="The HTTP status: 400 or more, or 200 beside a body.")
    ] = None
    kind: Annotated[
        FailureKind | None,
        Field(description="What went wrong; status, type, code and text are those of the provider."),
    ] = None
    connection: Annotated[
        Literal["closed", "reset"] | None,
        Field(description="No answer comes: the connection is closed, or reset, before the first byte of one."),
    ] = None
    retry_after: Annotated[
        WaitForm | None, Field(description="Seconds that the client is asked to wait, or the date of the header.")
    ] = None
    body: Annotated[
        Words | None,
        Field(description="What a proxy sends in place of the provider's own body: a page, an object, or plain text."),
    ] = None
    breaks: Annotated[
        Literal["closed", "reset"] | None,
        Field(description="Behind this body the connection is closed, or reset, before the response has ended."),
    ] = None

    @model_validator(mode="after")
    def _is_no_turn(self) -> Self:
        if self.status is not None and self.status < 400 and (self.status != 200 or self.body is None):
            raise PydanticCustomError("success", "success", {"status": self.status})
        return self

    @model_validator(mode="after")
    def _breaks_in_a_body(self) -> Self:
        if self.breaks is not None and self.body is None:
            complaint = ("'breaks' beside a 'body'", "no body that it could break in", "add 'body', or remove 'breaks'")
            raise PydanticCustomError("said", "nothing that breaks", {"said": complaint})
        return self

    @model_validator(mode="after")
    def _says_nothing(self) -> Self:
        if self.connection is not None and (self.retry_after is not None or self.body is not None):
            complaint = ("'connection' by itself", "what an answer says", "remove 'retry_after' and 'body'")
            raise PydanticCustomError("said", "no answer says anything", {"said": complaint})
        return self


class HttpEntry(Authored):
    """An answer that is no model turn."""

    http: Annotated[HttpErrorEntry, Field(description="The endpoint answers with this HTTP error, or not at all.")]
    repeat: Repetitions = 1


StepEntry = Annotated[
    Annotated[TurnEntry, Tag("turn")] | Annotated[HttpEntry, Tag("http step")],
    by_shape(lambda value: "http step" if isinstance(value, dict) and "http" in value else "turn"),
]


class SideEntry(Authored):
    """A conversation beside the main one, and the answers to it."""

    says: Annotated[Words, Field(description="A text in its system prompt or in what its user says: its mark.")]
    model: Annotated[
        list[StepEntry],
        Field(min_length=1, description="Its answers, one per request; then a built-in model answers."),
    ]
    sent: Annotated[
        list[SentEntry],
        Field(min_length=1, description="What certain of its requests must say, where the loop begins it."),
    ] = []
