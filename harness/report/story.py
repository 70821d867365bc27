"""A trace as a person would describe it, one line per event, so that two runs can be compared side by side."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from itertools import groupby

from harness.trace import (
    Assistant,
    BesideRecord,
    Event,
    EventRecord,
    Failure,
    Final,
    RequestRecord,
    SetCode,
    Thinking,
    ToolArguments,
    ToolResult,
    ToolStart,
    Trace,
)
from harness.trace.kinds import event_kind

_PIECES = (Assistant, Thinking, ToolArguments)

_LONGEST = 100
"""Characters of a line; what is longer is shortened in its middle, because texts differ at either end."""


def story(trace: Trace) -> list[str]:
    """The events in order. Text that came in pieces is one line; ids are left out."""
    return list(_lines(trace))


def changes(old: Trace, new: Trace) -> list[str]:
    """How the second run differs from the first: lines with ``-`` and ``+``, and the lines around them."""
    diff = difflib.unified_diff(story(old), story(new), "before", "now", n=2, lineterm="")
    return list(diff)[2:]


def _lines(trace: Trace) -> Iterator[str]:
    for piece_of, records in groupby(trace.records, _piece_kind):
        if piece_of is None:
            yield from filter(None, map(_line, records))
        else:
            yield _short(f"{piece_of}: {''.join(map(_piece, records))}")


def _piece_kind(record: object) -> str | None:
    """The kind of an event that is a piece of a longer text; None for other records."""
    event = record.event if isinstance(record, EventRecord) else None
    return event_kind(event) if isinstance(event, _PIECES) else None


def _piece(record: object) -> str:
    event = record.event if isinstance(record, EventRecord) else None
    return event.text if isinstance(event, _PIECES) else ""


def _line(record: object) -> str:
    if isinstance(record, RequestRecord):
        return f"request {record.exchange + 1}"
    if isinstance(record, EventRecord):
        return _short(_event(record.event))
    if isinstance(record, BesideRecord):
        return _short(record.line)
    status = getattr(record, "status", None)
    if status == 0:
        return "not answered: the connection has ended"
    return "" if status == 200 else f"answered with HTTP status {status}"


def _event(event: Event) -> str:
    match event:
        case ToolStart(_, name, value):
            return f"toolStart {name} {json.dumps(value, ensure_ascii=False)}"
        case ToolResult(_, name, output, ok):
            return f"toolResult {name} {_word(ok)} {json.dumps(output, ensure_ascii=False)}"
        case SetCode(code, _, preview):
            return f"setCode {'(preview) ' if preview else ''}{len(code)} characters"
        case Failure(kind, message):
            return f"error {kind}: {message}"
        case Final(code, outcome):
            return f"final {outcome}" + (f", {len(code)} characters of code" if code else "")
    return ""


def _word(ok: bool | None) -> str:
    return "ended" if ok is None else "ok" if ok else "failed"


def _short(line: str) -> str:
    line = " ".join(line.split())
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[:half]} … {line[-half:]}"
