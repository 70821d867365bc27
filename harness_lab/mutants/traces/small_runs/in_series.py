"""Words that ``in_series.yaml`` needs besides."""

from __future__ import annotations

from harness.trace import (
    RAISED,
    CallerRecord,
    Event,
    EventRecord,
    Failure,
)
from harness.wire import Text, ThinkingPart
from harness_lab.mutants.traces.conversations import Entry, history_edit, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, place
from harness_lab.mutants.traces.mutant import Edit, draft_edit
from harness_lab.mutants.traces.plain import USER
from harness_lab.mutants.traces.small_runs.acting import (
    acted,
)

_RAISES = Failure(RAISED, "It broke.")


@draft_edit
def reported_at_run(draft: TraceDraft, run: int, event: Event, *, behind: bool = False) -> None:
    """Something is reported in front of the moment at which the caller begins a run, or behind it."""
    draft.records.insert(acted(draft.records, "run", run) + behind, EventRecord(event, None, 0))


@draft_edit
def in_the_next_run(draft: TraceDraft, kind: type[Event], which: int = 0) -> None:
    """An event comes behind the beginning of the next run."""
    record = draft.records.pop(place(draft.records, kind, which))
    draft.records.insert(acted(draft.records, "run", 0) + 1, record)


@history_edit
def in_two_messages(entries: list[Entry], text: str, other: str) -> None:
    """The last text of the model goes back as two messages."""
    at = max(at for at, each in enumerate(entries) if each[0] == "assistant" and isinstance(each[1], Text))
    entries[at : at + 1] = [("assistant", Text(text), "one"), ("assistant", Text(other), "another")]


@rewriting
def thought_as_two_texts(entries: list[Entry]) -> None:
    """The two thoughts go back as two texts."""
    entries[:] = [
        (role, Text(each.text) if isinstance(each, ThinkingPart) else each, where) for role, each, where in entries
    ]


def behind_words(text: str) -> Edit:
    """The user's last words in the last request are followed by others."""
    return rewriting(lambda entries: entries.append(("user", Text(text), "behind")))


def breaks_at_once(draft: TraceDraft) -> None:
    """The first command of a coding agent breaks before it asks, and the caller begins anew with the same words."""
    draft.records[:0] = [EventRecord(_RAISES, None, 0), CallerRecord("run", USER)]


def breaks_behind_its_last_request(draft: TraceDraft) -> None:
    """The last run is over behind its request: its command has broken."""
    draft.records[acted(draft.records, "run", -1) + 3 :] = [EventRecord(_RAISES, None, 0)]


def says_so_twice(draft: TraceDraft) -> None:
    """The record of the compaction says that it is one, as does that of the run behind it."""
    draft.records.insert(acted(draft.records, "run", 0), CallerRecord("compact", compacted=True))
