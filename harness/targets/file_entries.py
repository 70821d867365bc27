"""The entries of a target file: what a user's own loop is, how it is started, and what it declares."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from harness.scenario import CODING_AGENT, PROFILES
from harness.scenario.agent_tools import text_of
from harness.scenario.authored.base import Authored, KnownWire, Slug, Words
from harness.targets.agent import AgentSetup
from harness.targets.agent.entries import (
    ENTRIES,
    Command,
    ModelEntry,
    ModelForm,
    NeutralName,
    ToolMapEntry,
    WorkdirEntry,
    WorkdirForm,
    tools_of,
)
from harness.targets.agent.setup import Workdir
from harness.targets.command.conversation import EventFormat
from harness.targets.declaration import Capability, Declaration
from harness.trace.kinds import EVENTS
from harness.wire import WireName, wire_names

if TYPE_CHECKING:
    ProfileName = str
    EventName = str
else:  # a checker cannot read the names off the tables
    ProfileName = Literal[tuple(PROFILES)]
    EventName = Literal[tuple(EVENTS)]

_Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class TargetFile(Authored):
    """The whole file."""

    one_of = ("command", "python")

    target: Annotated[Slug, Field(description="Its name in reports.")]
    command: Annotated[Command | None, Field(description="The program that runs the loop.")] = None
    python: Annotated[Words | None, Field(description="package.module:function")] = None
    directory: Annotated[Words, Field(description="Where it runs, or is imported from, relative to this file.")] = "."
    wires: Annotated[list[KnownWire] | None, Field(min_length=1, description="The API formats that it speaks.")] = None
    profiles: Annotated[list[ProfileName], Field(description="Contracts that it keeps beside universal.")] = []
    capabilities: Annotated[list[Capability] | None, Field(description="What it can do.")] = None
    emits: Annotated[list[EventName] | None, Field(description="The kinds of events that it emits.")] = None
    events: Annotated[EventFormat, Field(description="The format in which it reports its events.")] = "harness"
    url: Annotated[Words | None, Field(description="Where the command serves AG-UI, with $port for the port.")] = None
    own_tools: Annotated[
        bool, Field(description="With url: it has the tools of the scenarios itself, and is offered none.")
    ] = False
    persistent: Annotated[bool, Field(description="Whether a process runs many cases.")] = False
    environment: Annotated[dict[str, str], Field(description="Variables of a command.")] = {}
    passes: Annotated[list[Words], Field(description="Variables that reach it: secrets, or in a fresh home.")] = []
    model: Annotated[ModelForm | None, Field(description="The model asked for, in every case or by wire.")] = None
    allow_refused: Annotated[list[Words], Field(description="Hosts that it may want to reach; they stay blocked.")] = []
    isolate: Annotated[bool, Field(description="false: it needs a service of this machine; never sealed.")] = True
    extends: Annotated[Words | None, Field(description="A target file, relative to this one, or cli:NAME.")] = None
    timeout: Annotated[float | None, Field(gt=0, le=3600, description="Seconds that a case may take.")] = None
    version: Annotated[Command | None, Field(description="A command that prints the program's version.")] = None
    install: Annotated[Words | None, Field(description="What to type where the program is not there.")] = None
    home: Annotated[Literal["temporary"] | None, Field(description="Each case has a home directory of its own.")] = None
    setup: Annotated[dict[Words, str], Field(description="Files to write into the home directory, by path.")] = {}
    workdir: Annotated[WorkdirForm | None, Field(description="Each case has a work directory of its own.")] = None
    writes: Annotated[
        list[Words], Field(description="Folders that it may write beside its home and work directory.")
    ] = []
    by_wire: Annotated[
        dict[KnownWire, dict[_Word, str]], Field(description="Words for the texts of this file, with their values.")
    ] = {}
    input: Annotated[Literal["case", "nothing"], Field(description="What the program reads on standard input.")] = (
        "case"
    )
    interrupt: Annotated[
        Literal["SIGINT", "SIGTERM"] | None, Field(description="The signal by which a caller cancels its run.")
    ] = None
    again: Annotated[Command | None, Field(description="The command for all runs of a case but the first.")] = None
    compact: Annotated[Command | None, Field(description="The command that compacts the stored conversation.")] = None
    tools: Annotated[
        dict[NeutralName, ToolMapEntry], Field(description="Profile coding-agent: its tools by the neutral ones.")
    ] = {}

    @property
    def declaration(self) -> Declaration:
        """The declaration. A missing entry has the value of a loop that declares nothing."""
        usual = Declaration()
        # An agent cannot be given the tools of universal scenarios.
        universal = {"universal"} if CODING_AGENT not in self.profiles else set()
        return Declaration(
            usual.wires if self.wires is None else frozenset(self.wires),
            frozenset({*universal, *self.profiles}),
            usual.capabilities if self.capabilities is None else frozenset(self.capabilities),
            self._emits,
            allow_refused=frozenset(each.lower() for each in self.allow_refused),
            models=self.models,
            wires_declared=self.wires is not None,
            isolate=self.isolate,
            tools=tools_of(self.tools),
            thoughtless=frozenset(wire for wire, each in self._by_wire if each.thinks is False),
            timeout=self.timeout or 0.0,
            is_server=self.url is not None,
            own_tools=self.own_tools,
        )

    @property
    def _emits(self) -> frozenset[str] | None:
        """The kinds of events that it emits; none if it reads no case, since it does not know our own format."""
        if self.input == "nothing" and self.events == "harness":
            return frozenset()
        return None if self.emits is None else frozenset(self.emits)

    @property
    def models(self) -> tuple[tuple[WireName, str], ...]:
        """Each wire for which the file names a model, with that model."""
        if isinstance(self.model, str):
            return tuple((wire, self.model) for wire in wire_names())
        return tuple((wire, each.name) for wire, each in self._by_wire)

    @property
    def _by_wire(self) -> tuple[tuple[WireName, ModelEntry], ...]:
        models = {} if self.model is None or isinstance(self.model, str) else self.model
        return tuple((wire, ModelEntry(name=each) if isinstance(each, str) else each) for wire, each in models.items())

    def agent(self, words: Mapping[str, str], again: tuple[str, ...], compact: tuple[str, ...]) -> AgentSetup:
        """Where the program runs. ``words`` are known when the file is read, its own ``folder`` among them."""
        folder = Path(words["folder"])
        workdir = self.workdir.compiled(folder) if isinstance(self.workdir, WorkdirEntry) else None
        return AgentSetup(
            self.setup,
            self.home is not None,
            Workdir() if self.workdir == "temporary" else workdir,
            self.by_wire,
            self.input,
            None if self.interrupt is None else signal.Signals[self.interrupt],
            again,
            compact,
            tuple((folder / text_of(each, words)).resolve() for each in self.writes),
        )


ENTRIES_OF_FILE: Mapping[str, type[Authored]] = {"": TargetFile, **ENTRIES}
"""The entry that the last name of a location means."""
