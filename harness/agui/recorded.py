"""A recorded stream of AG-UI as a trace, without the requests of its loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from harness.agui.lines import DataLines
from harness.agui.reader import AgUiReader
from harness.agui.types import TYPES
from harness.trace import CallerRecord, Case, EventRecord, Record, Trace
from harness.wire import wire_names


@dataclass(frozen=True, slots=True)
class RecordedStream:
    """The trace of a stream. ``lines`` has the line of the stream for each record. ``passed_over`` counts the events of
    unknown types."""

    trace: Trace
    lines: tuple[int, ...]
    passed_over: Mapping[str, int]

    def line(self, at: int) -> int:
        """The line of the stream for the record at ``at``; the last line for a place behind the last record."""
        return self.lines[min(at, len(self.lines) - 1)]


def recorded(data: bytes, name: str) -> RecordedStream:
    """Read a stream. ``name`` is the name of its case. Raises ``NoStream`` if it is no stream of AG-UI.

    Each run that starts after another has ended is a run of the trace. Nothing in a stream depends on a wire, so its
    case has the first wire.
    """
    lines = DataLines()
    reader = AgUiReader()
    records: list[Record] = []
    places: list[int] = []
    unknown: Counter[str] = Counter()
    ended = False
    for line, text in [*lines.feed(data), *lines.close()]:
        for read in reader.read(text):
            type = read.record.type
            begins = [CallerRecord("run")] if ended and type == "RUN_STARTED" else []
            ended = type == "RUN_FINISHED" or (ended and not begins)
            unknown.update([type] if type and type not in TYPES else [])
            new: list[Record] = [*begins, read.record, *map(EventRecord, read.events)]
            records += new
            places += [line] * len(new)
    case = Case(name, name, wire_names()[0], target="", source="ag-ui")
    return RecordedStream(Trace(case, tuple(records)), tuple(places), unknown)
