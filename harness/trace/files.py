"""Traces as JSON Lines: the first line is the case, every further line one record.

Lossless: text goes out as ASCII JSON, so lone surrogates survive; bodies that are not UTF-8 go out in base64.
A line is complete in itself, so what was written before a crash can be read.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from harness.errors import BadInput
from harness.trace.model import (
    Assistant,
    Case,
    Event,
    Failure,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    Thinking,
    Told,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)

__all__ = ["TraceError", "dump", "dumps", "event_kind", "load", "loads"]

T = TypeVar("T")

FORMAT = 1
"""Version of the file format; a reader refuses one that it does not know."""

_EVENTS: dict[str, type[Event]] = {
    "turnStart": TurnStart,
    "assistant": Assistant,
    "thinking": Thinking,
    "toolStart": ToolStart,
    "setCode": SetCode,
    "toolResult": ToolResult,
    "error": Failure,
    "final": Final,
}
_KINDS = {cls: kind for kind, cls in _EVENTS.items()}


class TraceError(BadInput):
    """A trace file cannot be read."""


def event_kind(event: Event) -> str:
    """The event's name in files and event expressions (``toolStart``)."""
    return _KINDS[type(event)]


# --- writing ----------------------------------------------------------------------------------------------


def dumps(trace: Trace) -> str:
    """The trace as JSON Lines text."""
    lines = [{"trace": FORMAT, **asdict(trace.case)}, *(_record(record) for record in trace.records)]
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def dump(trace: Trace, path: Path) -> None:
    """Write the trace to ``path``."""
    path.write_text(dumps(trace), encoding="ascii")


def _record(record: Record) -> dict[str, Any]:
    if isinstance(record, Told):
        place = {"exchange": record.exchange, "offset": record.offset, "at": record.at}
        return {"event": event_kind(record.event), **_event_members(record.event), "told": place}
    kind = "request" if isinstance(record, RequestRecord) else "response"
    members = {item.name: getattr(record, item.name) for item in fields(record)}
    return {"record": kind, **members, "headers": dict(record.headers), "body": _body(record.body)}


def _event_members(event: Event) -> dict[str, Any]:
    return {item.name: getattr(event, item.name) for item in fields(event)}


def _body(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode("ascii")}


# --- reading ----------------------------------------------------------------------------------------------


def load(path: Path) -> Trace:
    """Read a trace file. Raises ``TraceError`` with file and line for anything that is not one."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TraceError(f"{path}: cannot read the trace: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise TraceError(f"{path}: not a trace: expected JSON Lines text, found bytes that are not UTF-8") from None
    return loads(text, name=str(path))


def loads(text: str, *, name: str = "<trace>") -> Trace:
    """Read JSON Lines text; ``name`` stands in error messages."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise TraceError(f"{name}: empty: expected a trace, whose first line names the case")
    case = _read_case(*lines[0], name)
    return Trace(case, tuple(_read_record(number, line, name) for number, line in lines[1:]))


def _read_object(number: int, line: str, name: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise TraceError(f"{name}:{number}: not JSON: {error}; is the file cut off?") from None
    if not isinstance(value, dict):
        raise TraceError(f"{name}:{number}: expected a JSON object, found {type(value).__name__}")
    return value


def _read_case(number: int, line: str, name: str) -> Case:
    members = _read_object(number, line, name)
    version = members.pop("trace", None)
    if version is None:
        raise TraceError(f"{name}:{number}: not a trace: expected a first line with the member 'trace'")
    if version != FORMAT:
        raise TraceError(f"{name}:{number}: trace format {version!r} is unknown here; this version reads {FORMAT}")
    return _build(Case, members, number, name)


def _read_record(number: int, line: str, name: str) -> Record:
    members = _read_object(number, line, name)
    if "event" in members:
        kind = members.pop("event")
        cls = _EVENTS.get(kind)
        if cls is None:
            raise TraceError(f"{name}:{number}: unknown event {kind!r}; expected one of {', '.join(_EVENTS)}")
        place = members.pop("told", {})
        event = _build(cls, members, number, name)
        return _build(Told, {"event": event, **place}, number, name)
    kind = members.pop("record", None)
    if kind not in ("request", "response"):
        raise TraceError(f"{name}:{number}: expected a member 'event', or 'record' with 'request' or 'response'")
    members["body"] = _read_body(members.get("body"), number, name)
    if kind == "request":
        return _build(RequestRecord, members, number, name)
    return _build(ResponseRecord, {**members, "chunks": tuple(members.get("chunks", ()))}, number, name)


def _read_body(body: Any, number: int, name: str) -> bytes:
    match body:
        case {"text": str(text)}:
            return text.encode("utf-8")
        case {"base64": str(data)}:
            return base64.b64decode(data)
    raise TraceError(f"{name}:{number}: expected 'body' with 'text' or 'base64', found {body!r}")


def _build(cls: type[T], members: dict[str, Any], number: int, name: str) -> T:
    try:
        return cls(**members)
    except TypeError as error:
        raise TraceError(f"{name}:{number}: {str(error).partition(') ')[2] or error}") from None
