"""A trace, for somebody to change: its case and its records, and where in them things are."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from harness.trace import (
    AgUiRecord,
    CallerRecord,
    Case,
    Event,
    EventRecord,
    Record,
    RequestRecord,
    ResponseRecord,
    SocketRecord,
    Trace,
)

_Numbered = TypeVar("_Numbered", bound=Record)
_Reported = TypeVar("_Reported", bound=Event)


class NothingToBreak(Exception):
    """The trace holds nothing that this edit could change."""


@dataclass(slots=True)
class TraceDraft:
    """The case says what the loop has to keep to, the records what it did."""

    case: Case
    records: list[Record]

    @classmethod
    def of(cls, trace: Trace) -> TraceDraft:
        """A copy, so that the trace stays as it is."""
        return cls(trace.case, list(trace.records))

    @property
    def trace(self) -> Trace:
        """What is judged."""
        return Trace(self.case, tuple(self.records))


# --- where things are ---------------------------------------------------------------------------------------


def places(records: Sequence[Record], kind: type[Event], /, **members: Any) -> list[int]:
    """Where the events of this kind with these members are."""
    return [
        at
        for at, record in enumerate(records)
        if isinstance(record, EventRecord)
        and isinstance(record.event, kind)
        and all(getattr(record.event, name) == value for name, value in members.items())
    ]


def place(records: Sequence[Record], kind: type[Event], which: int = 0, /, **members: Any) -> int:
    """Where one of them is: 0 the first, -1 the last. Raises ``NothingToBreak``."""
    found = places(records, kind, **members)
    if not -len(found) <= which < len(found):
        raise NothingToBreak
    return found[which]


def event_record(records: Sequence[Record], at: int) -> EventRecord:
    """The record of the event that is known to be at ``at``."""
    record = records[at]
    if not isinstance(record, EventRecord):
        raise TypeError(f"record {at} is no event")
    return record


def requests(records: Sequence[Record]) -> list[int]:
    """Where the requests are."""
    return [at for at, record in enumerate(records) if isinstance(record, RequestRecord)]


def numbered(records: Sequence[Record], kind: type[_Numbered], number: int) -> tuple[int, _Numbered]:
    """The record of this kind with this number (from 0, or from the end), behind its place."""
    return [(at, record) for at, record in enumerate(records) if isinstance(record, kind)][number]


def reported(records: Sequence[Record], kind: type[_Reported], which: int = 0) -> tuple[int, EventRecord, _Reported]:
    """The record of an event of this kind, and the event, behind their place. Raises ``NothingToBreak``."""
    at = place(records, kind, which)  # type: ignore[arg-type] # a type of events
    record = event_record(records, at)
    assert isinstance(record.event, kind)  # noqa: S101 - what place() looks for
    return at, record, record.event


# --- what is done to them -----------------------------------------------------------------------------------


def change(records: list[Record], at: int, **members: Any) -> None:
    """Change members of the event at ``at``."""
    record = event_record(records, at)
    records[at] = replace(record, event=replace(record.event, **members))


def insert(records: list[Record], at: int, *events: Event) -> None:
    """Emit ``events`` at ``at``, at the moment of the event before them."""
    before = next(record for record in reversed(records[:at]) if isinstance(record, EventRecord))
    records[at:at] = [replace(before, event=event) for event in events]


def rewrite(records: list[Record], number: int, edit: Callable[[Any], None]) -> None:
    """Change the JSON body of request ``number`` (from 0, or from the end)."""
    at, request = numbered(records, RequestRecord, number)
    body = json.loads(request.body)
    edit(body)
    records[at] = replace(request, body=json.dumps(body).encode())


def send_again(records: list[Record], number: int, status: int = 529, times: int = 1) -> None:
    """Request ``number`` is answered with an HTTP error so many times, and each time sent again."""
    for _ in range(times):
        at, request = numbered(records, RequestRecord, number)
        head = {"content-type": "application/json"}
        refused = ResponseRecord(request.exchange, status, head, b"{}", at=request.at)
        records[at:] = [request, refused, *(later(each) for each in records[at:])]


def later(record: Record, by: int = 1) -> Record:
    """The record, where so many exchanges have come before it."""
    if isinstance(record, CallerRecord | SocketRecord | AgUiRecord) or record.exchange is None:
        return record
    return replace(record, exchange=record.exchange + by)
