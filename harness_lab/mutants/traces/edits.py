"""The simplest ways to break what was emitted: an event lost, emitted twice, altered, moved; another contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import Event, EventRecord, Failure, Final, SetCode
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, event_record, insert, place, places
from harness_lab.mutants.traces.mutant import Edit


def drop(kind: type[Event], which: int = 0, **members: Any) -> Edit:
    """One event of this kind is never emitted."""

    def edit(draft: TraceDraft) -> None:
        del draft.records[place(draft.records, kind, which, **members)]

    return edit


def repeat(kind: type[Event], which: int = 0, **members: Any) -> Edit:
    """One event of this kind is emitted twice."""

    def edit(draft: TraceDraft) -> None:
        at = place(draft.records, kind, which, **members)
        draft.records.insert(at, draft.records[at])

    return edit


def alter(kind: type[Event], which: int = 0, **members: Any) -> Edit:
    """One event of this kind says something else."""

    def edit(draft: TraceDraft) -> None:
        change(draft.records, place(draft.records, kind, which), **members)

    return edit


def emit_last(*events: Event) -> Edit:
    """Something is emitted behind all the rest."""
    return lambda draft: insert(draft.records, len(draft.records), *events)


def end_as(end: Final | Failure) -> Edit:
    """The run ends in another way than it does; a final without code has the code that was set last."""

    def edit(draft: TraceDraft) -> None:
        records = draft.records
        at = max(places(records, Final) + places(records, Failure), default=None)
        if at is None:
            raise NothingToBreak
        new = replace(end, code=end.code or _code_before(draft, at)) if isinstance(end, Final) else end
        records[at] = replace(event_record(records, at), event=new)

    return edit


def stop_before(kind: type[Event], which: int, end: Final | Failure, **members: Any) -> Edit:
    """The run ends before this event, which is not emitted."""

    def edit(draft: TraceDraft) -> None:
        at = place(draft.records, kind, which, **members)
        insert(draft.records, at, end)
        del draft.records[at + 1 :]

    return edit


def judged_by(**members: Any) -> Edit:
    """The loop had been given another contract: members of the case."""

    def edit(draft: TraceDraft) -> None:
        draft.case = replace(draft.case, **members)

    return edit


def _code_before(draft: TraceDraft, at: int) -> str:
    """The code that was set last before ``at``, previews aside."""
    events = [record.event for record in draft.records[:at] if isinstance(record, EventRecord)]
    codes = [event.code for event in events if isinstance(event, SetCode) and not event.preview]
    return codes[-1] if codes else ""
