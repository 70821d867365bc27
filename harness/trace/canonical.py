"""The form in which two runs of the same case compare equal.

Ids are renamed in order of appearance, clocks, request ids and padding are dropped, chunk boundaries and byte
offsets are left out (they belong to the variation, not to the behaviour). What is left is a list of plain JSON
values that can be compared, stored as a snapshot or shown as a diff.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from harness.trace.files import event_kind
from harness.trace.model import Record, RequestRecord, Told, Trace

__all__ = ["canonical"]

# Members whose values a provider invents afresh for every response, on any of the four wires.
_ID_KEYS = frozenset(
    {
        "id",
        "call_id",
        "item_id",
        "tool_call_id",
        "tool_use_id",
        "response_id",
        "previous_response_id",
        "previous_message_id",
        "request_id",
        "responseId",
        "encrypted_content",
        "signature",
        "data",
        "thoughtSignature",
        "thought_signature",
    }
)
_DROPPED = frozenset({"created", "created_at", "completed_at", "obfuscation", "system_fingerprint"})


def canonical(trace: Trace) -> list[Any]:
    """The trace as comparable JSON values, one per record."""
    names = _Names()
    return [_record(record, names) for record in trace.records]


class _Names:
    """Stable names for ids, given in order of appearance. Base64 alphabets compare equal."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __call__(self, value: str) -> str:
        if not value:
            return value
        key = value.replace("-", "+").replace("_", "/").rstrip("=")
        return self._names.setdefault(key, f"id-{len(self._names) + 1}")


def _record(record: Record, names: _Names) -> Any:
    if isinstance(record, Told):
        members = asdict(record.event)
        if members.get("id") is not None:
            members["id"] = names(members["id"])
        return {"event": event_kind(record.event), **members}
    if isinstance(record, RequestRecord):
        body = _renamed(_json(record.body), names)
        return {"request": record.exchange, "method": record.method, "path": record.path, "body": body}
    body = [_renamed(value, names) for value in _documents(record.body)]
    return {"response": record.exchange, "status": record.status, "end": record.end, "body": body}


def _documents(body: bytes) -> Iterator[Any]:
    """The JSON documents of a response body: its SSE data lines, or the one document that it is."""
    lines = [line[5:].strip() for line in re.split(rb"\r\n|\n|\r", body) if line.startswith(b"data:")]
    yield from map(_json, lines or [body])


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.decode("utf-8", "backslashreplace")


def _renamed(value: Any, names: _Names) -> Any:
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: names(item) if key in _ID_KEYS and isinstance(item, str) else _renamed(item, names)
        for key, item in value.items()
        if key not in _DROPPED
    }
