"""The simplest ways to break what was emitted: an event lost, emitted twice, altered, moved; another contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import Event, EventRecord, Failure, Final, SetCode
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, event_record, insert, place, places
from harness_lab.mutants.traces.mutant import Edit, draft_edit


@draft_edit
def drop(draft: TraceDraft, /, kind: type[Event], which: int = 0, **members: Any) -> None:
    """One event of this kind is never emitted."""
    del draft.records[place(draft.records, kind, which, **members)]


@draft_edit
def repeat(draft: TraceDraft, /, kind: type[Event], which: int = 0, **members: Any) -> None:
    """One event of this kind is emitted twice."""
    at = place(draft.records, kind, which, **members)
    draft.records.insert(at, draft.records[at])


@draft_edit
def alter(draft: TraceDraft, /, kind: type[Event], which: int = 0, **members: Any) -> None:
    """One event of this kind says something else."""
    change(draft.records, place(draft.records, kind, which), **members)


def emit_last(*events: Event) -> Edit:
    """Something is emitted behind all the rest."""
    return lambda draft: insert(draft.records, len(draft.records), *events)


@draft_edit
def end_as(draft: TraceDraft, end: Final | Failure) -> None:
    """The run ends in another way than it does; a final without code has the code that was set last."""
    records = draft.records
    at = max(places(records, Final) + places(records, Failure), default=None)
    if at is None:
        raise NothingToBreak
    new = replace(end, code=end.code or _code_before(draft, at)) if isinstance(end, Final) else end
    records[at] = replace(event_record(records, at), event=new)


@draft_edit
def stop_before(draft: TraceDraft, /, kind: type[Event], which: int, end: Final | Failure, **members: Any) -> None:
    """The run ends before this event, which is not emitted."""
    at = place(draft.records, kind, which, **members)
    insert(draft.records, at, end)
    del draft.records[at + 1 :]


def _code_before(draft: TraceDraft, at: int) -> str:
    """The code that was set last before ``at``, previews aside."""
    events = [record.event for record in draft.records[:at] if isinstance(record, EventRecord)]
    codes = [event.code for event in events if isinstance(event, SetCode) and not event.preview]
    return codes[-1] if codes else ""
