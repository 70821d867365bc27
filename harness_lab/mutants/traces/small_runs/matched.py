"""Words that ``matched.yaml`` needs besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import (
    AgUiRecord,
    Assistant,
    CallerRecord,
    Final,
    ResponseRecord,
    SocketRecord,
)
from harness.wire import Result
from harness_lab.mutants.traces.conversations import Entry, history_edit, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, requests
from harness_lab.mutants.traces.edits import alter
from harness_lab.mutants.traces.mutant import draft_edit
from harness_lab.mutants.traces.small_runs.changes import (
    emit,
)


@history_edit
def results_become(entries: list[Entry], *members: dict[str, Any]) -> None:
    """The last results of the last request have other members; what each says is exchanged before."""
    found = [(at, each) for at, (_, each, _) in enumerate(entries) if isinstance(each, Result)][-len(members) :]
    outputs = [each.output for _, each in reversed(found)]
    for (at, each), output, other in zip(found, outputs, members, strict=True):
        who, _, where = entries[at]
        entries[at] = (who, replace(each, **{"output": output, **other}), where)


@rewriting
def exchanged_places(entries: list[Entry]) -> None:
    """The last two results change places."""
    places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, Result)]
    one, other = places[-2:]
    entries[one], entries[other] = entries[other], entries[one]


def nameless(draft: TraceDraft) -> None:
    """No answer names its model."""
    for at, record in enumerate(draft.records):
        if isinstance(record, ResponseRecord):
            draft.records[at] = replace(record, body=record.body.replace(b'"model":"gpt-5.2"', b'"model":""'))


def first_of_all(draft: TraceDraft) -> None:
    """The caller says something before all else, which is no run."""
    draft.records.insert(0, CallerRecord("say", "Well."))


def answered_last(draft: TraceDraft) -> None:
    """The answer of the first run ends behind all else, and the second run has no end."""
    at = next(at for at, each in enumerate(draft.records) if isinstance(each, ResponseRecord))
    draft.records.append(draft.records.pop(at))


_LIMIT = "websocket_connection_limit_reached"


def in_pieces(draft: TraceDraft) -> None:
    """The last text is emitted in two pieces, and what the run returns is not known."""
    alter(Assistant, 0, text="Yes, without the Web")(draft)
    emit(Assistant, 0, Assistant("Socket.", "text-2"), behind=True)(draft)
    alter(Final, 0, text=None)(draft)


def fails_first(draft: TraceDraft) -> None:
    """The run fails in front of its last request, which it sends all the same."""
    at = requests(draft.records)[-1]
    draft.records.insert(at, draft.records.pop())


@draft_edit
def socket_error(draft: TraceDraft, connection: int, *, behind_the_end: bool = False) -> None:
    """A WebSocket has lasted too long, when all else has happened."""
    at = len(draft.records) - (not behind_the_end)
    draft.records.insert(at, SocketRecord(connection, "error", error=_LIMIT))


def from_events(draft: TraceDraft) -> None:
    """What is reported was read from events of AG-UI."""
    draft.records.insert(0, AgUiRecord("RUN_STARTED", "run-1"))
