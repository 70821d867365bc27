"""Words for what the caller of a loop does, and for what becomes of what the user says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.trace import (
    CallerDid,
    CallerRecord,
    Event,
    Record,
    ToolResult,
    TurnStart,
)
from harness.wire import Result, Text
from harness_lab.mutants.traces.conversations import Entry, history_edit, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, event_record, place, requests
from harness_lab.mutants.traces.mutant import Edit, draft_edit

NEXT = "And after noon?"


def begins(text: str = NEXT, **members: Any) -> tuple[CallerRecord, ...]:
    """The caller begins another run."""
    return (CallerRecord("run", text, **members),)


def acted(records: Sequence[Record], did: CallerDid, which: int) -> int:
    """Where the caller does it."""
    found = [at for at, record in enumerate(records) if isinstance(record, CallerRecord) and record.did == did]
    if not -len(found) <= which < len(found):
        raise NothingToBreak
    return found[which]


@draft_edit
def act(draft: TraceDraft, /, did: CallerDid, which: int = 0, **members: Any) -> None:
    """The caller does it in another way."""
    at = acted(draft.records, did, which)
    draft.records[at] = replace(draft.records[at], **members)


@draft_edit
def without_act(draft: TraceDraft, did: CallerDid, which: int = 0) -> None:
    """The caller does it not."""
    del draft.records[acted(draft.records, did, which)]


@draft_edit
def acting_before(draft: TraceDraft, did: CallerDid, kind: type[Event], which: int, which_act: int = 0) -> None:
    """The caller does it in front of this event."""
    record = draft.records.pop(acted(draft.records, did, which_act))
    draft.records.insert(place(draft.records, kind, which), record)


@draft_edit
def acting_first(draft: TraceDraft, did: CallerDid) -> None:
    """The caller does it before anything else happens."""
    draft.records.insert(0, draft.records.pop(acted(draft.records, did, 0)))


@draft_edit
def twice(draft: TraceDraft, did: CallerDid) -> None:
    """The caller does it once more, right behind."""
    at = acted(draft.records, did, 0)
    draft.records.insert(at, draft.records[at])


def nothing_follows(draft: TraceDraft) -> None:
    """Nothing is seen of the run that the caller begins last, nor that it does."""
    del draft.records[acted(draft.records, "run", -1) :]


@draft_edit
def no_request_follows(draft: TraceDraft, did: CallerDid, *ends: Event) -> None:
    """What the caller does is the last that is seen but for this end of the run."""
    at = acted(draft.records, did, -1)
    last = event_record(draft.records, place(draft.records[:at], TurnStart, -1))
    draft.records[at + 1 :] = [replace(last, event=end) for end in ends]


@history_edit
def put(entries: list[Entry], role: str, made: Any, *, before: type, which: int = -1) -> None:
    """Something more stands in front of a part of the last request."""
    places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, before)]
    if not places:
        raise NothingToBreak
    entries.insert(places[which], (role, made, f"in front of {entries[places[which]][2]}"))  # type: ignore[arg-type]


@rewriting
def say_again(entries: list[Entry]) -> None:
    """The last words of the request stand there once more."""
    entries.append((*entries[-1][:2], "once more"))


@rewriting
def say_first_again(entries: list[Entry]) -> None:
    """The last words of the user's stand at the end once more."""
    found = [each for each in entries if each[0] == "user" and isinstance(each[1], Text)]
    entries.append((*found[-1][:2], "once more"))


@history_edit
def both_in_one(entries: list[Entry], words: str) -> None:
    """The last words of the user's become these, with ``{}`` for what they were."""
    at = max(at for at, each in enumerate(entries) if each[0] == "user" and isinstance(each[1], Text))
    who, old, where = entries[at]
    entries[at] = (who, Text(words.format(old.text)), where)  # type: ignore[union-attr]


@history_edit
def before_results(entries: list[Entry], which: int) -> None:
    """The last words of the user's stand in front of a result."""
    found = [at for at, each in enumerate(entries) if each[0] == "user" and isinstance(each[1], Text)]
    who, text, _ = entries.pop(found[-1])
    results = [at for at, each in enumerate(entries) if isinstance(each[1], Result)]
    entries.insert(results[which], (who, text, "moved"))


def appended(role: str, text: str) -> Edit:
    """The request ends with another text."""
    return rewriting(lambda entries: entries.append((role, Text(text), "appended")))  # type: ignore[arg-type]


def in_request(number: int, edit: Edit) -> Edit:
    """The edit of the last request is made in another one."""

    def change(draft: TraceDraft) -> None:
        at = requests(draft.records)[number]
        left = TraceDraft(draft.case, draft.records[: at + 1])
        edit(left)
        draft.records[at] = left.records[at]

    return change


@rewriting
def only_the_last(entries: list[Entry]) -> None:
    """Of all that is no instruction the last part alone is there."""
    entries[:] = [*(each for each in entries if each[0] == "system"), entries[-1]]


def cancelled_at_the_end(draft: TraceDraft) -> None:
    """The caller cancels at last."""
    draft.records.append(CallerRecord("cancel"))


def cancelled_before_it(draft: TraceDraft) -> None:
    """The caller cancels before it says something."""
    draft.records.insert(acted(draft.records, "say", 0), CallerRecord("cancel"))


def begin_before_result(draft: TraceDraft) -> None:
    """The next run begins in front of the last result."""
    draft.records.insert(place(draft.records, ToolResult, -1), CallerRecord("run", NEXT))


def says_first(text: str, role: str = "assistant") -> Edit:
    """A text of the model's stands in front of the first one."""
    return put(role, Text(text), before=Text)
