"""Words that ``agui.yaml`` needs besides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.trace import (
    AgUiRecord,
    Assistant,
    Event,
    EventRecord,
    Failure,
    Final,
    ToolArguments,
    ToolResult,
    ToolStart,
)
from harness_lab.mutants.traces.draft import TraceDraft, insert, places
from harness_lab.mutants.traces.mutant import draft_edit


def over_agui(draft: TraceDraft) -> None:
    """The same in events of AG-UI, each in front of what was read from it."""
    events: list[Any] = [AgUiRecord("RUN_STARTED", "run-1")]
    for record in draft.records:
        if isinstance(record, EventRecord):
            events += _in_agui(record.event)
        events.append(record)
    draft.records[:] = events


def _in_agui(event: Event) -> Iterator[AgUiRecord]:
    match event:
        case Assistant(_, id):
            yield from (AgUiRecord(f"TEXT_MESSAGE_{part}", id) for part in ("START", "CONTENT", "END"))
        case ToolStart(id):
            yield from (AgUiRecord(f"TOOL_CALL_{part}", id) for part in ("START", "ARGS", "END"))
        case ToolResult(id):
            yield AgUiRecord("TOOL_CALL_RESULT", id)
        case Final():
            yield AgUiRecord("RUN_FINISHED", "run-1")
        case Failure():
            yield AgUiRecord("RUN_ERROR")


def _at(draft: TraceDraft, type: str, which: int = 0) -> int:
    """Where an event of this type is."""
    found = [at for at, each in enumerate(draft.records) if isinstance(each, AgUiRecord) and each.type == type]
    return found[which]


@draft_edit
def agui_without(draft: TraceDraft, type: str, which: int = 0) -> None:
    """An event of this type does not come."""
    del draft.records[_at(draft, type, which)]


@draft_edit
def agui_behind(draft: TraceDraft, type: str, *records: AgUiRecord, which: int = 0) -> None:
    """Something comes behind an event of this type."""
    at = _at(draft, type, which) + 1
    draft.records[at:at] = records


@draft_edit
def agui_before(draft: TraceDraft, type: str, *records: AgUiRecord, which: int = 0) -> None:
    """Something comes in front of an event of this type."""
    at = _at(draft, type, which)
    draft.records[at:at] = records


@draft_edit
def agui_again(draft: TraceDraft, type: str, which: int = 0) -> None:
    """An event of this type comes twice."""
    at = _at(draft, type, which)
    draft.records.insert(at, draft.records[at])


@draft_edit
def agui_about(draft: TraceDraft, type: str, id: str) -> None:
    """An event of this type is about something else."""
    at = _at(draft, type)
    record = draft.records[at]
    assert isinstance(record, AgUiRecord)  # noqa: S101 - what _at() looks for
    draft.records[at] = replace(record, id=id)


@draft_edit
def agui_only(draft: TraceDraft, *records: AgUiRecord) -> None:
    """These are all events of AG-UI."""
    draft.records[:] = [*records, *(each for each in draft.records if not isinstance(each, AgUiRecord))]


@draft_edit
def agui_arguments(draft: TraceDraft, *pieces: str) -> None:
    """The arguments of the call, as the user gets them."""
    for at in places(draft.records, ToolStart):
        insert(draft.records, at + 1, *(ToolArguments("call_1", piece) for piece in pieces))
