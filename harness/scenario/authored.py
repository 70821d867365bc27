"""A scenario file as a person writes it: the keys, their short forms, and what each is for.

These models are the one source of the format: they check files, and ``schema.py`` exports them as the JSON Schema
that editors use. Nothing outside this package sees them. ``checking.py`` puts their errors into words.

Forms that are told apart by their shape carry a ``Tag``; the tags appear in error locations and lead nowhere in
the file, which ``Document.place`` passes over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, JsonValue, Tag, model_validator
from pydantic_core import PydanticCustomError

from harness.scenario.model import Outcome
from harness.scenario.tools import CANONICAL
from harness.wire import WireName
from harness.wire.chunking import Chunking
from harness.wire.turn import Deltas, ErrorKind

__all__ = [
    "NOTHING",
    "Authored",
    "CallEntry",
    "CutEntry",
    "ExpectEntry",
    "ExpectedErrorEntry",
    "FinalEntry",
    "HttpEntry",
    "HttpErrorEntry",
    "PartEntry",
    "PromptEntry",
    "ScenarioFile",
    "ShortCall",
    "StreamErrorEntry",
    "ThinkingEntry",
    "ToolEntry",
    "TurnEntry",
    "UsageEntry",
    "VaryEntry",
]


class _Nothing:
    """Stands for a key without a value, so that no field takes it for one that is absent."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


class Authored(BaseModel):
    """Base of all entries: no unknown keys, no conversions, no empty keys.

    A field that is None was not written: null is refused, in files here and in the exported schema there.
    ``one_of`` names keys of which an entry must have exactly one; ``may_be_null`` those for which null is a value.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    one_of: ClassVar[tuple[str, ...]] = ()
    may_be_null: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _no_empty_keys(cls, data: Any) -> Any:
        if not isinstance(data, dict) or None not in data.values():
            return data
        return {key: NOTHING if value is None and key not in cls.may_be_null else value for key, value in data.items()}

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = self.model_fields_set.intersection(self.one_of)
        if self.one_of and len(given) != 1:
            raise PydanticCustomError("one_of", "one of", {"keys": list(self.one_of), "given": sorted(given)})
        return self


def _one_key(names: tuple[str, ...]) -> dict[str, Any]:
    """The JSON Schema form of ``one_of``."""
    return {"oneOf": [{"required": [name]} for name in names]}


def _by_shape(tag: Callable[[Any], str]) -> Discriminator:
    return Discriminator(tag)


Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$")]
Words = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]


# --- what the model sends ---------------------------------------------------------------------------------


class ThinkingEntry(Authored):
    """Thinking in one of its forms."""

    one_of = ("text", "redacted", "omitted")
    model_config = ConfigDict(json_schema_extra=_one_key(one_of))

    text: Annotated[Words | None, Field(description="Thinking that is sent as text, with its signature.")] = None
    redacted: Annotated[Literal[True] | None, Field(description="Only an opaque blob is sent.")] = None
    omitted: Annotated[Literal[True] | None, Field(description="A signature without the text.")] = None


ThinkingForm = Annotated[
    Annotated[Words, Tag("plain")] | Annotated[ThinkingEntry, Tag("form")],
    _by_shape(lambda value: "form" if isinstance(value, dict) else "plain"),
]


ArgumentsForm = Annotated[
    Annotated[dict[str, Any], Tag("object")] | Annotated[str, Tag("raw text")],
    _by_shape(lambda value: "object" if isinstance(value, dict) else "raw text"),
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
        Literal[True] | None, Field(description="The call breaks the tool's schema, or names no tool, on purpose.")
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
    _by_shape(lambda value: "call" if isinstance(value, dict) and "name" in value else "short call"),
]


class PartEntry(Authored):
    """One part of a turn; the list of parts keeps the order."""

    one_of = ("thinking", "text", "refusal", "call")
    model_config = ConfigDict(json_schema_extra=_one_key(one_of))

    thinking: Annotated[ThinkingForm | None, Field(description="Thinking.")] = None
    text: Annotated[Words | None, Field(description="Text for the user.")] = None
    refusal: Annotated[Words | None, Field(description="The model declines, in these words.")] = None
    call: Annotated[CallForm | None, Field(description="A tool call.")] = None


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

    after: Annotated[Count, Field(description="How many SSE events are delivered before.")]
    how: Annotated[
        Literal["cut", "reset"], Field(description="Closed without the end of the body, or a TCP reset.")
    ] = "cut"


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
        Field(description="Why the model stops. Left out: refusal, tool_calls or end, by what the turn holds."),
    ] = None
    usage: Annotated[UsageEntry, Field(description="Token counts.")] = UsageEntry()
    error: Annotated[StreamErrorEntry | None, Field(description="An error instead of the end of the stream.")] = None
    ending: Annotated[Literal["eof"] | None, Field(description="The stream closes without its terminal event.")] = None
    cut: Annotated[CutEntry | None, Field(description="The connection breaks in mid-stream.")] = None
    deltas: Annotated[Deltas, Field(description="How text and arguments are split into deltas.")] = "token"
    repeat: Repetitions = 1

    @model_validator(mode="after")
    def _parts_alone(self) -> Self:
        beside = self.model_fields_set & {"thinking", "text", "refusal", "calls"}
        if self.parts is not None and beside:
            raise PydanticCustomError("parts_alone", "parts alone", {"beside": sorted(beside)})
        return self

    @model_validator(mode="after")
    def _one_fault(self) -> Self:
        faults = sorted(self.model_fields_set & {"error", "ending", "cut"})
        if len(faults) > 1:
            raise PydanticCustomError("one_fault", "one fault", {"faults": faults})
        return self


class HttpErrorEntry(Authored):
    """An HTTP error in the provider's own form."""

    status: Annotated[int, Field(ge=400, le=599, description="The HTTP status.")]
    retry_after: Annotated[float | None, Field(ge=0, description="Seconds that the client is asked to wait.")] = None


class HttpEntry(Authored):
    """An answer that is no model turn."""

    http: Annotated[HttpErrorEntry, Field(description="The endpoint answers with this HTTP error.")]
    repeat: Repetitions = 1


StepEntry = Annotated[
    Annotated[TurnEntry, Tag("turn")] | Annotated[HttpEntry, Tag("http step")],
    _by_shape(lambda value: "http step" if isinstance(value, dict) and "http" in value else "turn"),
]


# --- what the loop is given -------------------------------------------------------------------------------


class PromptEntry(Authored):
    """One message of the prompt."""

    one_of = ("system", "user")
    model_config = ConfigDict(json_schema_extra=_one_key(one_of))

    system: Annotated[Words | None, Field(description="What the system prompt says.")] = None
    user: Annotated[Words | None, Field(description="What the user says.")] = None


class ToolEntry(Authored):
    """A tool of this scenario alone."""

    one_of = ("returns", "raises")
    may_be_null = frozenset({"returns"})
    model_config = ConfigDict(json_schema_extra=_one_key(one_of))

    name: Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$", description="The name the model calls.")]
    description: Annotated[Words, Field(description="What the model is told of it.")]
    parameters: Annotated[dict[str, Any], Field(description="JSON Schema of its arguments, of type object.")]
    returns: Annotated[JsonValue, Field(description="The result of every call.")] = None
    raises: Annotated[Words | None, Field(description="Every call fails with this message.")] = None


# --- what must come of it ---------------------------------------------------------------------------------

SomeWords = Annotated[
    Annotated[Words, Tag("one")] | Annotated[list[Words], Field(min_length=1), Tag("several")],
    _by_shape(lambda value: "several" if isinstance(value, list) else "one"),
]


class FinalEntry(Authored):
    """The code at the end of the run."""

    equals: Annotated[str | None, Field(description="The code is exactly this; '' for none.")] = None
    contains: Annotated[SomeWords | None, Field(description="The code has this text, or all of these.")] = None
    lacks: Annotated[SomeWords | None, Field(description="The code does not have this text, or any of these.")] = None


class ExpectedErrorEntry(Authored):
    """The error that ends the run."""

    kind: Annotated[Slug, Field(description="Its kind: http, stream, turn-limit ...")]
    contains: Annotated[str, Field(description="A part of its message.")] = ""


class ExpectEntry(Authored):
    """What must come of the run. What is not named is not asked; rules that hold for every run are not repeated."""

    outcome: Annotated[Outcome, Field(description="How the run ends.")]
    turns: Annotated[Count | None, Field(description="How many model turns the endpoint answers.")] = None
    requests: Annotated[Count | None, Field(description="How many requests arrive, retries included.")] = None
    events: Annotated[Words | None, Field(description="An event expression; see docs/scenarios.md.")] = None
    final: Annotated[FinalEntry | None, Field(description="The code at the end.")] = None
    error: Annotated[ExpectedErrorEntry | None, Field(description="The error that ends the run.")] = None

    @model_validator(mode="after")
    def _error_needs_failure(self) -> Self:
        if self.error is not None and self.outcome not in ("failed", "turn-limit"):
            raise PydanticCustomError("error_outcome", "error outcome", {"outcome": self.outcome})
        if self.final is not None and self.outcome in ("failed", "turn-limit"):
            raise PydanticCustomError("final_outcome", "final outcome", {"outcome": self.outcome})
        return self


# --- the file ---------------------------------------------------------------------------------------------

WireForm = Annotated[
    Annotated[Literal["all", "native"], Tag("a set of wires")]
    | Annotated[list[WireName], Field(min_length=1), Tag("some wires")],
    _by_shape(lambda value: "some wires" if isinstance(value, list) else "a set of wires"),
]

ChunkingForm = Annotated[
    Annotated[Literal["all"], Tag("all chunkings")]
    | Annotated[list[Chunking], Field(min_length=1), Tag("some chunkings")],
    _by_shape(lambda value: "some chunkings" if isinstance(value, list) else "all chunkings"),
]

PromptForm = Annotated[
    Annotated[Words, Tag("user prompt")] | Annotated[list[PromptEntry], Field(min_length=1), Tag("messages")],
    _by_shape(lambda value: "messages" if isinstance(value, list) else "user prompt"),
]

if TYPE_CHECKING:
    CanonicalName = str
else:  # a checker cannot read the names off the table, which is where a new tool is entered
    CanonicalName = Literal[tuple(CANONICAL)]

ToolForm = Annotated[
    Annotated[CanonicalName, Tag("canonical tool")] | Annotated[ToolEntry, Tag("tool")],
    _by_shape(lambda value: "tool" if isinstance(value, dict) else "canonical tool"),
]


class VaryEntry(Authored):
    """What is varied: the scenario runs once for every value."""

    chunking: Annotated[ChunkingForm, Field(description="How the bytes are cut on their way; 'all' for every way.")]


class ScenarioFile(Authored):
    """A scenario: a prompt, tools, a scripted model, and what must come of it."""

    scenario: Annotated[Slug, Field(description="Its name, unique over all files.")]
    profile: Annotated[
        Literal["universal", "screenshot-to-code"], Field(description="The contract that it belongs to.")
    ]
    summary: Annotated[Words, Field(description="Why it exists, in one sentence.")]
    wires: Annotated[
        WireForm, Field(description="The wires it runs on; 'native' for those with tool calls of their own.")
    ] = "all"
    stream: Annotated[bool, Field(description="false asks the provider for whole responses.")] = True
    turn_limit: Annotated[int | None, Field(ge=1, description="Left out: the profile's.")] = None
    prompt: Annotated[PromptForm, Field(description="What the model is asked: a text, or messages.")]
    tools: Annotated[list[ToolForm], Field(description="Canonical names, or tools of this scenario.")] = []
    options: Annotated[
        list[str], Field(description="What the user was given to choose from: the codes that retrieve_option reads.")
    ] = []
    model: Annotated[list[StepEntry], Field(min_length=1, description="The endpoint's answers, one per request.")]
    expect: Annotated[ExpectEntry, Field(description="What must come of the run.")]
    vary: Annotated[VaryEntry | None, Field(description="What is varied.")] = None
