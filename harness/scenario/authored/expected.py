"""What must come of a run."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, Tag, model_validator
from pydantic_core import PydanticCustomError

from harness.scenario.authored.base import Authored, Count, Slug, Words, by_shape, one_key
from harness.scenario.model import Outcome

RunForm = Annotated[
    Annotated[Words, Tag("tool name")]
    | Annotated[
        dict[str, dict[str, Any]],
        Field(min_length=1, max_length=1, description="A tool with the exact arguments: {tool: {arguments}}."),
        Tag("short call"),
    ],
    by_shape(lambda value: "short call" if isinstance(value, dict) else "tool name"),
]
"""A run of a tool: on any arguments, or on exactly these."""

SomeWords = Annotated[
    Annotated[Words, Tag("one")] | Annotated[list[Words], Field(min_length=1), Tag("several")],
    by_shape(lambda value: "several" if isinstance(value, list) else "one"),
]


def _each_once(outcomes: list[Outcome]) -> list[Outcome]:
    if len(set(outcomes)) < max(2, len(outcomes)):
        raise PydanticCustomError("outcomes", "outcomes")
    return outcomes


SomeOutcomes = Annotated[
    Annotated[Outcome, Tag("one outcome")]
    | Annotated[
        list[Outcome],
        AfterValidator(_each_once),
        Field(json_schema_extra={"minItems": 2, "uniqueItems": True}),
        Tag("several outcomes"),
    ],
    by_shape(lambda value: "several outcomes" if isinstance(value, list) else "one outcome"),
]


class FinalEntry(Authored):
    """The code at the end of the run, and the text that it returns."""

    equals: Annotated[str | None, Field(description="The code is exactly this; '' for none.")] = None
    contains: Annotated[SomeWords | None, Field(description="The code has this text, or all of these.")] = None
    lacks: Annotated[SomeWords | None, Field(description="The code does not have this text, or any of these.")] = None
    says: Annotated[Words | None, Field(description="The text that the run returns, if it returns one, has this.")] = (
        None
    )
    usage: Annotated[
        dict[str, JsonValue],
        Field(
            min_length=1,
            description="The usage that the run returns, if it returns one, has these members, among others.",
        ),
    ] = {}
    history: Annotated[
        list[dict[str, JsonValue]],
        Field(
            min_length=1,
            description="The history that the run returns, if it returns one: for each message some of its members.",
        ),
    ] = []
    output: Annotated[
        dict[str, JsonValue],
        Field(
            min_length=1,
            description="The output that the run returns in place of a text, if it returns one, has these members.",
        ),
    ] = {}


class ExpectedErrorEntry(Authored):
    """The error that ends the run."""

    kind: Annotated[Slug, Field(description="Its kind: http, stream, turn-limit ...")]
    contains: Annotated[str, Field(description="A part of its message.")] = ""
    lacks: Annotated[SomeWords | None, Field(description="Its message does not have this text, or any of these.")] = (
        None
    )


class SentEntry(Authored):
    """What one request must say. A text counts wherever it stands in the request."""

    request: Annotated[int, Field(ge=1, description="Which request, counted from 1, retries included.")]
    contains: Annotated[SomeWords | None, Field(description="The request has this text, or all of these.")] = None
    lacks: Annotated[SomeWords | None, Field(description="It does not have this text, or any of these.")] = None
    once: Annotated[
        SomeWords | None, Field(description="It has this text, or each of these, exactly once, in this order.")
    ] = None
    values: Annotated[
        dict[Annotated[str, Field(pattern="^/")], JsonValue],
        Field(description="JSON Pointers into its body, each with the value that is there; null also for none."),
    ] = {}
    without: Annotated[
        list[Annotated[str, Field(min_length=1)]],
        Field(description="Names of members that nothing in its body has, not even as null."),
    ] = []
    waits: Annotated[
        list[Annotated[float, Field(ge=0)]] | None,
        Field(
            min_length=1,
            max_length=2,
            description="The seconds from the answer before to this request: the fewest, and perhaps the most.",
        ),
    ] = None


class OfferedEntry(Authored):
    """The tools that one request declares."""

    request: Annotated[int, Field(ge=1, description="Which request, counted from 1, retries included.")]
    tools: Annotated[list[Words], Field(min_length=1, description="Names of tools that it declares.")] = []
    lacks: Annotated[list[Words], Field(min_length=1, description="Names of tools that it does not declare.")] = []


Equals = Annotated[JsonValue, Field(description="The value is this JSON; null, too.")]
Contains = Annotated[SomeWords | None, Field(description="The value has this text, or all of these.")]
Lacks = Annotated[SomeWords | None, Field(description="The value does not have this text, or any of these.")]


class ValueEntry(Authored):
    """What a JSON value is, or says."""

    may_be_null = frozenset({"equals"})
    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    equals: Equals = None
    members: Annotated[
        dict[str, JsonValue],
        Field(
            min_length=1,
            description="The value is an object with these members, among others; null also for one that is not there.",
        ),
    ] = {}
    contains: Contains = None
    lacks: Lacks = None

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("asks_nothing", "asks nothing")
        return self


class FileEntry(Authored):
    """What a file of the work directory says when the case has ended."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    equals: Annotated[str | None, Field(description="The file is exactly this text.")] = None
    contains: Contains = None
    lacks: Lacks = None

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("asks_nothing", "asks nothing")
        return self


FileForm = Annotated[
    Annotated[Literal["absent"], Tag("no file")] | Annotated[FileEntry, Tag("a file")],
    by_shape(lambda value: "a file" if isinstance(value, dict) else "no file"),
]


class ReportedEntry(Authored):
    """What the user is shown of one call."""

    tool: Annotated[
        Words, Field(description="The tool of the toolResult event. Named again, it is the next one of this tool.")
    ]
    ok: Annotated[bool | None, Field(description="Whether it is reported as ok.")] = None
    input: Annotated[ValueEntry | None, Field(description="The input of its toolStart event.")] = None
    output: Annotated[ValueEntry | None, Field(description="The output of its toolResult event.")] = None


class ResultEntry(Authored):
    """What goes back to the model as the result of one call."""

    one_of = ("call", "tool")
    may_be_null = frozenset({"equals"})
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    call: Annotated[int | None, Field(ge=1, description="Which call of the run, counted from 1.")] = None
    tool: Annotated[
        Words | None, Field(description="Instead: the next call of this tool that no entry before is about.")
    ] = None
    equals: Equals = None
    contains: Contains = None
    lacks: Lacks = None
    failed: Annotated[
        bool | Literal["unless_ran"] | None,
        Field(
            description="Whether it is marked as a failure, on wires that mark failures; 'unless_ran': exactly where "
            "the tool was not run."
        ),
    ] = None


class ExpectEntry(Authored):
    """The expectations of the run. What is not named is not asked; rules that hold for every run are not repeated."""

    outcome: Annotated[SomeOutcomes, Field(description="How the run ends, or a list of ends that are all right.")]
    turns: Annotated[Count | None, Field(description="How many model turns the endpoint answers.")] = None
    requests: Annotated[Count | None, Field(description="How many requests arrive, retries included.")] = None
    events: Annotated[Words | None, Field(description="An event expression; see docs/scenarios.md.")] = None
    sent: Annotated[list[SentEntry], Field(min_length=1, description="What certain requests must say.")] = []
    offered: Annotated[
        list[OfferedEntry], Field(min_length=1, description="Which tools certain requests declare.")
    ] = []
    reported: Annotated[
        list[ReportedEntry],
        Field(min_length=1, description="What the user is shown of certain calls."),
    ] = []
    results: Annotated[
        list[ResultEntry], Field(min_length=1, description="What goes back to the model as the results of calls.")
    ] = []
    ran: Annotated[
        list[RunForm], Field(min_length=1, description="Tools that are run; {tool: arguments} for exact arguments.")
    ] = []
    not_ran: Annotated[
        list[RunForm],
        Field(min_length=1, description="Tools that are not run; {tool: arguments} for not on exactly these."),
    ] = []
    files: Annotated[
        dict[Words, FileForm],
        Field(
            min_length=1,
            description="Profile 'coding-agent': files of the work directory at the end, by path; 'absent' for none.",
        ),
    ] = {}
    final: Annotated[FinalEntry | None, Field(description="The code at the end.")] = None
    error: Annotated[ExpectedErrorEntry | None, Field(description="The error that ends the run.")] = None

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The allowed outcomes of the run; the file may name one or a list."""
        return tuple(self.outcome) if isinstance(self.outcome, list) else (self.outcome,)

    @model_validator(mode="after")
    def _asked_of_every_outcome(self) -> Self:
        if self.error is not None and not {"failed", "turn-limit"}.issuperset(self.outcomes):
            raise PydanticCustomError("error_outcome", "error outcome", {"outcomes": self.outcomes})
        if self.final is not None and "failed" in self.outcomes:
            raise PydanticCustomError("final_outcome", "final outcome", {"outcomes": self.outcomes})
        return self
