"""What a target file says about a program's surroundings and tools, as a person writes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, JsonValue, Tag

from harness.scenario.agent_tools import AGENT_TOOLS, AgentTool
from harness.scenario.authored.base import Authored, KnownWire, Words, by_shape
from harness.targets.agent.setup import Workdir

if TYPE_CHECKING:
    NeutralName = str
else:  # a checker cannot read the names off the table
    NeutralName = Literal[tuple(AGENT_TOOLS)]

Command = Annotated[
    Annotated[Words, Tag("text")] | Annotated[list[Words], Field(min_length=1), Tag("words")],
    by_shape(lambda value: "words" if isinstance(value, list) else "text"),
]
"""A program with its arguments: a text that is split as a shell does it, or a list of words."""


class ModelEntry(Authored):
    """The model of the cases on one wire."""

    name: Annotated[Words, Field(description="The model that the program asks for.")]
    thinks: Annotated[
        bool | None, Field(description="false: it never thinks, and no case is run whose scripted model does.")
    ] = None


_OneModel = Annotated[
    Annotated[Words, Tag("a name")] | Annotated[ModelEntry, Tag("a model")],
    by_shape(lambda value: "a model" if isinstance(value, dict) else "a name"),
]

ModelForm = Annotated[
    Annotated[Words, Tag("text")] | Annotated[dict[KnownWire, _OneModel], Field(min_length=1), Tag("mapping")],
    by_shape(lambda value: "mapping" if isinstance(value, dict) else "text"),
]


class WorkdirEntry(Authored):
    """The work directory of each case."""

    template: Annotated[Words | None, Field(description="A folder to copy, relative to this file.")] = None
    git: Annotated[bool, Field(description="Whether it is a git repository with one commit.")] = False

    def compiled(self, folder: Path) -> Workdir:
        """The work directory as a ``Workdir``. The folder of its template is relative to ``folder``."""
        return Workdir(None if self.template is None else folder / self.template, self.git)


WorkdirForm = Annotated[
    Annotated[Literal["temporary"], Tag("an empty one")] | Annotated[WorkdirEntry, Tag("a work directory")],
    by_shape(lambda value: "a work directory" if isinstance(value, dict) else "an empty one"),
]


class ToolMapEntry(Authored):
    """The tool of the agent that does the same as a neutral tool."""

    name: Annotated[Words, Field(description="Its name, as the agent declares it to the model.")]
    arguments: Annotated[
        dict[str, JsonValue],
        Field(description="Its arguments; $NAME is an argument of the neutral tool, $workdir the work directory."),
    ]


ENTRIES: dict[str, type[Authored]] = {
    "a model": ModelEntry,
    "a work directory": WorkdirEntry,
    **dict.fromkeys(AGENT_TOOLS, ToolMapEntry),
}
"""The entry that the last name of a location in a target file means."""


def tools_of(entries: dict[Any, ToolMapEntry]) -> tuple[tuple[str, AgentTool], ...]:
    """The tools of the agent by their neutral names."""
    return tuple((name, AgentTool(each.name, each.arguments)) for name, each in entries.items())
