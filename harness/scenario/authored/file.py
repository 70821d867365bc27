"""The whole file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from harness.scenario.authored.answers import SideEntry, StepEntry
from harness.scenario.authored.base import Authored, KnownWire, Slug, Words, by_shape
from harness.scenario.authored.caller import CallerEntry, RoundEntry
from harness.scenario.authored.expected import ExpectEntry
from harness.scenario.authored.inputs import PromptForm, SkillEntry, ToolForm
from harness.scenario.authored.timeline import TimelineEntry
from harness.scenario.model import PROFILES, Suite
from harness.wire.channels import CHANNELS, TRANSPORTS
from harness.wire.chunking import Chunking

if TYPE_CHECKING:
    ProfileName = str
    TransportName = str
else:  # a checker cannot read the names off the tables
    ProfileName = Literal[tuple(PROFILES)]
    TransportName = Literal[TRANSPORTS]

WireForm = Annotated[
    Annotated[Literal["all", "native"], Tag("a set of wires")]
    | Annotated[list[KnownWire], Field(min_length=1), Tag("some wires")],
    by_shape(lambda value: "some wires" if isinstance(value, list) else "a set of wires"),
]

ChunkingForm = Annotated[
    Annotated[Literal["all"], Tag("all chunkings")]
    | Annotated[list[Chunking], Field(min_length=1), Tag("some chunkings")],
    by_shape(lambda value: "some chunkings" if isinstance(value, list) else "all chunkings"),
]


DialectForm = Annotated[
    Annotated[Literal["all"], Tag("all dialects")]
    | Annotated[list[Slug], Field(min_length=1, max_length=500), Tag("some dialects")],
    by_shape(lambda value: "some dialects" if isinstance(value, list) else "all dialects"),
]


class VaryEntry(Authored):
    """What is varied: the scenario runs once for every value."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    chunking: Annotated[
        ChunkingForm | None, Field(description="How the bytes are cut on their way; 'all' for every way.")
    ] = None
    dialect: Annotated[
        DialectForm | None,
        Field(
            description="The dialects in which its streams are sent, too, each on the wires that have it; "
            "'all' for every one (docs/dialects.md)."
        ),
    ] = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_fields_set:
            complaint = ("the keys chunking or dialect", "neither of them", "add one, or remove 'vary'")
            raise PydanticCustomError("said", "nothing is varied", {"said": complaint})
        return self


class ScenarioFile(Authored):
    """A scenario: a prompt, tools, a scripted model, and what must come of it."""

    scenario: Annotated[Slug, Field(description="Its name, unique over all files.")]
    profile: Annotated[ProfileName, Field(description="The contract that it belongs to.")]
    suite: Annotated[
        Suite | None, Field(description="Profile 'universal' only: the suite that it belongs to; left out: core.")
    ] = None
    summary: Annotated[Words, Field(description="Why it exists, in one sentence.")]
    wires: Annotated[
        WireForm, Field(description="The wires it runs on; 'native' for those with tool calls of their own.")
    ] = "all"
    transport: Annotated[
        TransportName | None,
        Field(
            description="The only transport on which it has cases; those on "
            + "; those on ".join(f"{name} run with '--transport {name}'" for name in CHANNELS)
            + "."
        ),
    ] = None
    stream: Annotated[bool, Field(description="false asks the provider for whole responses.")] = True
    plays: Annotated[
        Words | None,
        Field(
            description="The model that the case asks for, of the one wire of the scenario; left out: the wire's own."
        ),
    ] = None
    turn_limit: Annotated[int | None, Field(ge=0, description="Left out: the profile's.")] = None
    answer_schema: Annotated[
        dict[str, Any] | None,
        Field(description="The JSON Schema of the object that the last text is; profile 'pydantic-ai' or 'resilient'."),
    ] = None
    prompt: Annotated[PromptForm, Field(description="What the model is asked: a text, or messages.")]
    tools: Annotated[
        list[ToolForm], Field(max_length=500, description="Canonical names, or tools of this scenario.")
    ] = []
    options: Annotated[
        list[str], Field(description="What the user was given to choose from: the codes that retrieve_option reads.")
    ] = []
    skills: Annotated[dict[str, SkillEntry], Field(min_length=1, description="Skills by name; profile 'hugind'.")] = {}
    resolve: Annotated[
        list[RoundEntry],
        Field(min_length=1, description="What becomes of calls that wait, once for every time the run is deferred."),
    ] = []
    caller: Annotated[
        list[CallerEntry], Field(min_length=1, description="What the caller does between turns; profile 'tool-runner'.")
    ] = []
    timeline: Annotated[
        list[TimelineEntry],
        Field(min_length=1, max_length=100, description="What the caller does while the loop runs, and after a run."),
    ] = []
    model: Annotated[list[StepEntry], Field(min_length=1, description="The endpoint's answers, one per request.")]
    side: Annotated[
        list[SideEntry],
        Field(min_length=1, description="Conversations that the loop may begin beside the main one, such as a title."),
    ] = []
    subagents: Annotated[
        list[SideEntry],
        Field(min_length=1, description="Conversations that the loop must begin beside the main one."),
    ] = []
    files: Annotated[
        dict[Words, str],
        Field(
            min_length=1,
            max_length=100,
            description="Profile 'coding-agent': files in the work directory when the agent begins, by path.",
        ),
    ] = {}
    expect: Annotated[ExpectEntry, Field(description="The expectations of the run.")]
    vary: Annotated[VaryEntry | None, Field(description="What is varied.")] = None
