"""What the caller does while the loop runs, and when a run has ended."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, Tag

from harness.scenario.authored.base import Authored, KnownWire, Words, by_shape, one_key
from harness.scenario.authored.caller import RoundEntry

_Number = Annotated[int, Field(ge=1)]


class WhenEntry(Authored):
    """A moment of a run."""

    turn: Annotated[_Number | None, Field(description="An answer of the model, counted from 1 over all runs.")] = None
    call: Annotated[_Number | None, Field(description="A call of that turn: it has begun to run.")] = None
    ended: Annotated[Literal[True] | None, Field(description="The call has ended.")] = None
    characters: Annotated[
        _Number | None, Field(description="So many of the turn's text, or of the call's arguments, were sent.")
    ] = None
    thinking: Annotated[_Number | None, Field(description="So many characters of the turn's thinking were sent.")] = (
        None
    )
    request: Annotated[_Number | None, Field(description="A request, counted from 1: it has arrived.")] = None
    file: Annotated[
        Words | None,
        Field(description="Profile 'coding-agent': a file of this path is there, in the work directory."),
    ] = None


WhenForm = Annotated[
    Annotated[Literal["end"], Tag("the end of a run")] | Annotated[WhenEntry, Tag("a moment of a run")],
    by_shape(lambda value: "a moment of a run" if isinstance(value, dict) else "the end of a run"),
]


class CallerActEntry(Authored):
    """What the user says, or decides about calls that wait, and how the loop goes on."""

    one_of = ("say", "resolve")
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    say: Annotated[Words | None, Field(description="A message of the user.")] = None
    resolve: Annotated[RoundEntry | None, Field(description="What becomes of the calls that wait for approval.")] = None
    compact: Annotated[
        Literal[True] | None, Field(description="Before that, the loop is asked to compact its history.")
    ] = None
    resume: Annotated[
        Literal[True] | None, Field(description="The process has ended: the loop goes on from what it has stored.")
    ] = None
    model: Annotated[Words | None, Field(description="The model of the run that begins.")] = None
    wire: Annotated[KnownWire | None, Field(description="The wire of the run that begins.")] = None
    key: Annotated[
        Literal["another"] | None, Field(description="From the run that begins on, the user has another key.")
    ] = None


DoForm = Annotated[
    Annotated[Literal["cancel"], Tag("cancel")] | Annotated[CallerActEntry, Tag("say")],
    by_shape(lambda value: "say" if isinstance(value, dict) else "cancel"),
]


class TimelineEntry(Authored):
    """One thing that the caller does."""

    when: Annotated[WhenForm, Field(description="'end' of a run, or a moment of it.")]
    do: Annotated[DoForm, Field(description="'cancel', or what the user says or decides.")]
