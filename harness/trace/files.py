"""Traces as JSON Lines: the first line is the case, every further line one record.

The form is lossless: lone surrogates survive, and bodies that are not UTF-8 are written in base64. Each line is
complete, so whatever was written before a crash can be read.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, Final

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
    case = _members(trace.case)
    for name in ("server", "dialect", "folders", "transport"):
        if not case[name]:
            del case[name]
    head = _line(lambda encode: encode({"trace": FORMAT, **case}))
    return "\n".join([head, *map(_record_line, trace.records), ""])


def dump(trace: Trace, path: Path) -> None:
    """Write the trace to ``path``."""
    path.write_bytes(dumps(trace).encode("utf-8", "surrogatepass"))


_Encode = Callable[[Any], str]
_raw: Final[_Encode] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_escaped: Final[_Encode] = json.JSONEncoder(separators=(",", ":")).encode

_OBJECTS: Final = frozenset({"body", "told"})
"""Members of a record that are objects with keys of this format."""


def _line(written: Callable[[_Encode], str]) -> str:
    raw = written(_raw)
    return raw if raw.isascii() or _UNJOINED.search(raw) else written(_escaped)


def _record_line(record: Record) -> str:
    members = _record(record)
    return _line(lambda encode: _object(members, encode))


def _object(members: dict[str, Any], encode: _Encode) -> str:
    """The JSON of members with keys of this format. ``encode`` writes only the values.

    Most values are texts and numbers, and some are long lists of numbers. It is faster to write them one by one.
    """
    return "{" + ",".join([f'"{name}":{_value(name, value, encode)}' for name, value in members.items()]) + "}"


def _value(name: str, value: Any, encode: _Encode) -> str:
    kind = type(value)
    if kind is int or (kind is float and isfinite(value)):
        return repr(value)
    if name == "chunks" and value:
        return _numbers(value)
    return _object(value, encode) if name in _OBJECTS else encode(value)


def _numbers(values: tuple[int, ...]) -> str:
    """A list of the lengths of a response's pieces: few different numbers, each thousands of times."""
    if values.count(values[0]) == len(values):
        return "[" + f"{values[0]}," * (len(values) - 1) + f"{values[0]}]"
    written = {number: str(number) for number in set(values)}
    return "[" + ",".join(map(written.__getitem__, values)) + "]"


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
        if not members.get(name):  # traces over HTTP have always been like that
            members.pop(name, None)
    if members.get("follows") is None:
        members.pop("follows", None)
    return {"record": kind, **members, **_conversation(record)}


def _conversation(record: EventRecord | RequestRecord | ResponseRecord) -> dict[str, int | None]:
    """The conversation, if it is not the main one, so that most traces stay short."""
    number = MAIN if isinstance(record, ResponseRecord) else record.conversation
    return {} if number == MAIN else {"conversation": number}


def event_members(event: Event) -> dict[str, Any]:
    """The event as its line has it, but for the member ``told``, which says where in the trace it belongs."""
    return {"event": event_kind(event), **_members(event)}


def _members(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in _names(value.__class__)}


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))


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
