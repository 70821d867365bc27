"""The form in which two runs of the same case compare equal.

Names replace what a provider or a loop invents for every run: ids and signatures. They are numbered in order of
appearance, so an id in the wrong place is still visible. Clocks and padding are masked. Chunk boundaries, byte
offsets and headers are left out: they belong to the variation and the transport, not to the behaviour. Everything
else stays, above all the contents of tool arguments, tool results and schemas, whatever their keys are called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any, Literal

from harness.ground.bounded_json import SHALLOW, is_deeper, loads
from harness.trace.kinds import event_kind
from harness.trace.model import (
    BesideRecord,
    CallerRecord,
    EventRecord,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
    Trace,
)

_IDS = frozenset(
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
        "toolUseId",
    }
)
_SIGNATURES = frozenset({"encrypted_content", "signature", "thoughtSignature", "thought_signature", "redactedContent"})
# Kinds of block whose member "data" is a signature; elsewhere it is an image or a file.
_SIGNED_DATA = frozenset({"redacted_thinking", "reasoning.encrypted"})
_MASKED = frozenset({"created", "created_at", "completed_at", "createTime", "obfuscation", "system_fingerprint"})

# Objects under these keys are the tool's or the user's own. (A list under "input" is a Responses history.)
_FOREIGN = frozenset(
    {"input", "args", "arguments", "parameters", "parametersJsonSchema", "input_schema", "schema", "metadata"}
)

_SHORTEST = 8
_WORD = re.compile(rf"[\w-]{{{_SHORTEST},}}")
_CUT = re.compile(r"[\w+/-]{4,}(?=…)")


def canonical(trace: Trace) -> list[str]:
    """One line of JSON per record; two runs behaved alike if their lines are equal."""
    return [json.dumps(value, sort_keys=True) for value in canonical_values(trace)]


def canonical_values(trace: Trace, *, bodies_of_responses: bool = True) -> Iterator[dict[str, Any]]:
    """The values of the lines of ``canonical``. Without the bodies of responses it takes half the time."""
    data = [_data(record) for record in trace.records]
    names = _names(trace, data)  # names first: an event may quote an id whose response is recorded after it
    for record, each in zip(trace.records, data, strict=True):
        is_needed = bodies_of_responses or not isinstance(record, ResponseRecord)
        yield _record(record, each if is_needed else None, names)


def naming(trace: Trace) -> Callable[[str], str]:
    """A function that replaces ids in a text about this trace with their names in ``canonical``.

    If ``…`` cuts off an id or a signature, the text keeps only its kind.
    """
    return _names(trace, [_data(record) for record in trace.records]).quoted


class _Names:
    """Names for ids and signatures, in order of appearance."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self._signatures: dict[str, str] = {}

    def id(self, value: str) -> str:
        return self._ids.setdefault(value, f"id-{len(self._ids) + 1}") if value else value

    def signature(self, value: str) -> str:
        """The name of a signature, in either base64 alphabet: google-genai does not send back the one that it got."""
        key = value.replace("-", "+").replace("_", "/").rstrip("=")
        return self._signatures.setdefault(key, f"signature-{len(self._signatures) + 1}") if value else value

    def inside(self, text: str) -> str:
        """The text with names for the ids that it quotes, like error messages do. A short id might be any word."""
        return text if len(text) < _SHORTEST else _WORD.sub(lambda word: self._ids.get(word[0], word[0]), text)

    def quoted(self, text: str) -> str:
        """The same for a text that may quote only the beginning of an id or of a signature."""
        return _CUT.sub(lambda word: self._begun(word[0]), self.inside(text))

    def _begun(self, word: str) -> str:
        known = {"id": self._ids, "signature": self._signatures}
        return next((kind for kind, values in known.items() if any(each.startswith(word) for each in values)), word)


def _data(record: Record) -> Any:
    """The content of a record: the members of an event, the body of a request, the documents of a response."""
    if isinstance(record, EventRecord):
        members = {field.name: getattr(record.event, field.name) for field in fields(record.event)}
        if isinstance(record.event, Final) and record.event.output is None:
            del members["output"]  # most runs return a text
        return {name: "nested too deeply" if is_deeper(value, SHALLOW) else value for name, value in members.items()}
    if isinstance(record, CallerRecord):
        return {name: value for name, value in asdict(record).items() if name not in ("did", "at") and value}
    if isinstance(record, BesideRecord):
        return {name: value for name, value in asdict(record).items() if name != "at" and value}
    return _json(record.body) if isinstance(record, RequestRecord) else list(_documents(record.body))


def _names(trace: Trace, data: Sequence[Any]) -> _Names:
    """The names of all ids and signatures in the trace."""
    names = _Names()
    for record, each in zip(trace.records, data, strict=True):
        if not isinstance(record, EventRecord):
            _name_all(each, names)
        elif each.get("id") is not None:
            names.id(each["id"])
    return names


def _record(record: Record, data: Any, names: _Names) -> dict[str, Any]:
    if isinstance(record, EventRecord):
        event = {"event": event_kind(record.event), **_foreign(data, names)}
        if data.get("history") is not None:
            event["history"] = _renamed_value(data["history"], names)  # as in the requests: short ids of calls, too
        if data.get("id") is not None:
            event["id"] = names.id(data["id"])
        return event
    if isinstance(record, CallerRecord):
        ids = {"ended": [*map(names.id, record.ended)], "failed": [*map(names.id, record.failed)]}
        return {"caller": record.did, **data, **{key: named for key, named in ids.items() if named}}
    if isinstance(record, BesideRecord):
        return {record.kind: record.what, **data, **({"id": names.id(data["id"])} if "id" in data else {})}
    body = _renamed_value(data, names)
    if isinstance(record, RequestRecord):
        path = names.inside(record.path)
        over = {"connection": record.connection, "lane": record.lane} if record.connection else {}
        return {"request": record.exchange, "method": record.method, "path": path, **over, "body": body}
    return {"response": record.exchange, "status": record.status, "end": record.end, "body": body}


def _documents(body: bytes) -> Iterator[Any]:
    """The contents of a response body: event names and JSON documents of a stream, even a cut one; or its document."""
    lines = [line for line in re.split(rb"\r\n|\n|\r", body) if line.startswith((b"data:", b"event:"))]
    for line in lines:
        if not line.startswith(b"data:"):
            yield line.decode("utf-8", "backslashreplace")
        elif line is lines[-1] and not body.endswith((b"\n", b"\r")):
            yield "cut inside an event"  # half an id has no name, and how much of it came is the variation's doing
        else:
            yield _json(line[5:])
    if not lines:
        yield _json(body)


def _json(text: bytes) -> Any:
    try:
        return loads(text, SHALLOW)
    except ValueError:
        return text.decode("utf-8", "backslashreplace")


def _name_all(value: Any, names: _Names) -> None:
    """Name the invented values in a provider's own JSON."""
    if isinstance(value, list):
        for item in value:
            _name_all(item, names)
    elif isinstance(value, dict):
        # Sorted, because the order of members says nothing and must not number the names.
        for key in sorted(value):
            item = value[key]
            match _kind(key, item, value):
                case "id":
                    names.id(item)
                case "signature":
                    names.signature(item)
                case "own":
                    _name_all(item, names)


def _renamed_value(value: Any, names: _Names) -> Any:
    """A provider's own JSON with names for invented values."""
    if isinstance(value, list):
        return [_renamed_value(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _member(key, item, value, names) for key, item in value.items()}
    return names.inside(value) if isinstance(value, str) else value


def _member(key: str, item: Any, parent: dict[str, Any], names: _Names) -> Any:
    match _kind(key, item, parent):
        case "id":
            return names.id(item)
        case "signature":
            return names.signature(item)
        case "masked":
            return "masked"
        case "foreign":
            return _foreign(item, names)
        case "own":
            return _renamed_value(item, names)


def _kind(key: str, item: Any, parent: dict[str, Any]) -> Literal["own", "foreign", "masked", "id", "signature"]:
    """What kind of value a member of a provider's own JSON has."""
    if key in _MASKED:
        return "masked"
    if isinstance(item, str):
        if key in _IDS:
            return "id"
        signed = key in _SIGNATURES or (key == "data" and parent.get("type") in _SIGNED_DATA)
        return "signature" if signed else "foreign"
    if isinstance(item, dict) and (key in _FOREIGN or (key == "response" and "name" in parent)):
        return "foreign"
    return "own"


def _foreign(value: Any, names: _Names) -> Any:
    """JSON of a tool or a user, or a plain value: nothing is hidden, only quoted ids are named."""
    if isinstance(value, str):
        return names.inside(value) if len(value) >= _SHORTEST else value
    if isinstance(value, list):
        return [_foreign(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _foreign(item, names) for key, item in value.items()}
    return value
