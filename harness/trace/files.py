"""Traces as JSON Lines: the first line is the case, every further line one record.

Lossless: lone surrogates survive, and bodies that are not UTF-8 go out in base64. A line is complete in itself, so
what was written before a crash can be read.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from harness.trace.kinds import event_kind
from harness.trace.model import (
    MAIN,
    BesideRecord,
    Event,
    EventRecord,
    Record,
    RequestRecord,
    ResponseRecord,
    Trace,
)
from harness.trace.parsing import FORMAT, Pairing, TraceError, read_case, read_record

__all__ = ["TraceError", "dump", "dumps", "event_kind", "event_members", "load", "loads"]

# Two halves of a surrogate pair that nobody joined: as escapes they would be read back as one character. They go
# out raw, which makes the line no UTF-8 in the strict sense; that such a text is none is what the trace shows.
_UNJOINED = re.compile("[\ud800-\udbff][\udc00-\udfff]")


# --- writing ----------------------------------------------------------------------------------------------


def dumps(trace: Trace) -> str:
    """The trace as JSON Lines text."""
    case = asdict(trace.case)
    for name in ("server", "dialect", "folders", "transport"):
        if not case[name]:
            del case[name]
    lines = [{"trace": FORMAT, **case}, *map(_record, trace.records)]
    return "".join([_line(line) + "\n" for line in lines])


def dump(trace: Trace, path: Path) -> None:
    """Write the trace to ``path``."""
    path.write_bytes(dumps(trace).encode("utf-8", "surrogatepass"))


def _line(value: dict[str, Any]) -> str:
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if raw.isascii() or _UNJOINED.search(raw):
        return raw
    return json.dumps(value, separators=(",", ":"))


def _record(record: Record) -> dict[str, Any]:
    if isinstance(record, EventRecord):
        place = {"exchange": record.exchange, "offset": record.offset, "at": record.at, **_conversation(record)}
        return {**event_members(record.event), "told": place}
    if isinstance(record, BesideRecord):
        there = _members(record).items()
        written = {name: value for name, value in there if value or record.written in (name, None)}
        return {"record": record.kind, **written}
    kind = "request" if isinstance(record, RequestRecord) else "response"
    members = {**_members(record), "headers": dict(record.headers), "body": _body(record.body)}
    members.pop("conversation", None)
    for name in ("connection", "lane"):
        if not members.get(name):  # as the trace of what came over HTTP has always been
            members.pop(name, None)
    return {"record": kind, **members, **_conversation(record)}


def _conversation(record: EventRecord | RequestRecord | ResponseRecord) -> dict[str, int | None]:
    """Written where it is not the main one, so that the trace of most cases stays as short as it was."""
    number = MAIN if isinstance(record, ResponseRecord) else record.conversation
    return {} if number == MAIN else {"conversation": number}


def event_members(event: Event) -> dict[str, Any]:
    """The event as its line has it, but for the member ``told``, which says where in the trace it belongs."""
    return {"event": event_kind(event), **_members(event)}


def _members(value: Event | Record) -> dict[str, Any]:
    return {item.name: getattr(value, item.name) for item in fields(value)}


def _body(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode("ascii")}


# --- reading ----------------------------------------------------------------------------------------------


def load(path: Path) -> Trace:
    """Read a trace file. Raises ``TraceError`` with file and line for anything that is not one."""
    try:
        text = path.read_bytes().decode("utf-8", "surrogatepass")
    except OSError as error:
        raise TraceError(f"{path}: cannot read the trace: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise TraceError(f"{path}: not a trace: expected JSON Lines text, found bytes that are not UTF-8") from None
    return loads(text, name=str(path))


def loads(text: str, *, name: str = "<trace>") -> Trace:
    """Read JSON Lines text; ``name`` stands in error messages. Raises ``TraceError`` with every line that is wrong."""
    # Not splitlines, which would also cut at a U+2028 inside a string.
    lines = [(f"{name}:{number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise TraceError(f"{name}: empty: expected a trace, whose first line names the case")
    case = read_case(*lines[0])
    records: list[Record] = []
    problems: list[str] = []
    pairing = Pairing()
    for place, line in lines[1:]:
        try:
            record = read_record(place, line)
            if not problems:  # a line that could not be read may be the request that the next one lacks
                pairing.add(record, place)
            records.append(record)
        except TraceError as error:
            problems += error.problems
    if problems:
        raise TraceError(*problems)
    return Trace(case, tuple(records))
