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
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, event_record, place, requests
from harness_lab.mutants.traces.mutant import Edit

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


def act(did: CallerDid, which: int = 0, **members: Any) -> Edit:
    """The caller does it in another way."""

    def edit(draft: TraceDraft) -> None:
        at = acted(draft.records, did, which)
        draft.records[at] = replace(draft.records[at], **members)

    return edit


def without_act(did: CallerDid, which: int = 0) -> Edit:
    """The caller does it not."""

    def edit(draft: TraceDraft) -> None:
        del draft.records[acted(draft.records, did, which)]

    return edit


def acting_before(did: CallerDid, kind: type[Event], which: int, which_act: int = 0) -> Edit:
    """The caller does it in front of this event."""

    def edit(draft: TraceDraft) -> None:
        record = draft.records.pop(acted(draft.records, did, which_act))
        draft.records.insert(place(draft.records, kind, which), record)

    return edit


def acting_first(did: CallerDid) -> Edit:
    """The caller does it before anything else happens."""

    def edit(draft: TraceDraft) -> None:
        draft.records.insert(0, draft.records.pop(acted(draft.records, did, 0)))

    return edit


def twice(did: CallerDid) -> Edit:
    """The caller does it once more, right behind."""

    def edit(draft: TraceDraft) -> None:
        at = acted(draft.records, did, 0)
        draft.records.insert(at, draft.records[at])

    return edit


def nothing_follows(draft: TraceDraft) -> None:
    """Nothing is seen of the run that the caller begins last, nor that it does."""
    del draft.records[acted(draft.records, "run", -1) :]


def no_request_follows(did: CallerDid, *ends: Event) -> Edit:
    """What the caller does is the last that is seen but for this end of the run."""

    def edit(draft: TraceDraft) -> None:
        at = acted(draft.records, did, -1)
        last = event_record(draft.records, place(draft.records[:at], TurnStart, -1))
        draft.records[at + 1 :] = [replace(last, event=end) for end in ends]

    return edit


def put(role: str, made: Any, *, before: type, which: int = -1) -> Edit:
    """Something more stands in front of a part of the last request."""

    def change(entries: list[Entry]) -> None:
        places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, before)]
        if not places:
            raise NothingToBreak
        entries.insert(places[which], (role, made, f"in front of {entries[places[which]][2]}"))  # type: ignore[arg-type]

    return rewriting(change)


@rewriting
def say_again(entries: list[Entry]) -> None:
    """The last words of the request stand there once more."""
    entries.append((*entries[-1][:2], "once more"))


@rewriting
def say_first_again(entries: list[Entry]) -> None:
    """The last words of the user's stand at the end once more."""
    found = [each for each in entries if each[0] == "user" and isinstance(each[1], Text)]
    entries.append((*found[-1][:2], "once more"))


def both_in_one(words: str) -> Edit:
    """The last words of the user's become these, with ``{}`` for what they were."""

    def change(entries: list[Entry]) -> None:
        at = max(at for at, each in enumerate(entries) if each[0] == "user" and isinstance(each[1], Text))
        who, old, where = entries[at]
        entries[at] = (who, Text(words.format(old.text)), where)  # type: ignore[union-attr]

    return rewriting(change)


def before_results(which: int) -> Edit:
    """The last words of the user's stand in front of a result."""

    def change(entries: list[Entry]) -> None:
        found = [at for at, each in enumerate(entries) if each[0] == "user" and isinstance(each[1], Text)]
        who, text, _ = entries.pop(found[-1])
        results = [at for at, each in enumerate(entries) if isinstance(each[1], Result)]
        entries.insert(results[which], (who, text, "moved"))

    return rewriting(change)


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


def only_the_last(draft: TraceDraft) -> None:
    """Of all that is no instruction the last part alone is there."""

    def change(entries: list[Entry]) -> None:
        entries[:] = [*(each for each in entries if each[0] == "system"), entries[-1]]

    rewriting(change)(draft)


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
