"""OTLP in JSON: spans and log records, with ids in hex (the specification) or in base64 (as protobuf writes them)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.spans.elements import Element
from harness.spans.model import NO_SCOPE, Scope, TraceSpan

_HEX: Final = re.compile(r"(?:0x)?([0-9a-fA-F]{16}|[0-9a-fA-F]{32})")
_ERROR: Final = (2, "2", "STATUS_CODE_ERROR", "ERROR")


def is_span(value: Any) -> bool:
    """Whether a value is a span of OTLP."""
    return isinstance(value, dict) and _either(value, "spanId", "span_id") is not None


def span_of(element: Element) -> TraceSpan | None:
    """The span of an element; None if it is no span."""
    value = element.value
    if not is_span(value):
        return None
    status = value.get("status")
    return TraceSpan(
        trace=same_id(_either(value, "traceId", "trace_id")),
        id=same_id(_either(value, "spanId", "span_id")),
        parent=same_id(_either(value, "parentSpanId", "parent_span_id")),
        name=str(value.get("name") or ""),
        attributes=attributes(value.get("attributes")),
        scope=scope_of(element.scope),
        began=_number(_either(value, "startTimeUnixNano", "start_time_unix_nano")),
        ended=_number(_either(value, "endTimeUnixNano", "end_time_unix_nano")),
        failed=isinstance(status, dict) and status.get("code") in _ERROR,
        dropped=_number(_either(value, "droppedAttributesCount", "dropped_attributes_count")),
        events=tuple(_events(value.get("events"))),
        place=element.place,
    )


def log_of(element: Element) -> TraceSpan | None:
    """A log record about a span; None for a record that belongs to no span."""
    value = element.value
    if not is_span(value):
        return None
    stated = attributes(value.get("attributes"))
    body = plain(value.get("body"))
    if isinstance(body, dict):
        stated = {**body, **stated}
    name = _either(value, "eventName", "event_name") or stated.get("event.name") or ""
    return TraceSpan(
        trace=same_id(_either(value, "traceId", "trace_id")),
        id=same_id(_either(value, "spanId", "span_id")),
        parent="",
        name=str(name),
        attributes=stated,
        scope=scope_of(element.scope),
        began=_number(_either(value, "timeUnixNano", "time_unix_nano")),
        dropped=_number(_either(value, "droppedAttributesCount", "dropped_attributes_count")),
        is_log=True,
        place=element.place,
    )


def same_id(value: Any) -> str:
    """An id in one canonical spelling."""
    text = str(value or "")
    if found := _HEX.fullmatch(text):
        return found[1].lower()
    try:
        return base64.b64decode(text, validate=True).hex() if len(text) in (12, 24) else text
    except (binascii.Error, ValueError):
        return text


def attributes(value: Any) -> dict[str, Any]:
    """Attributes as a mapping: OTLP has a list of keys with typed values, other exports a mapping already."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return {}
    return {str(each.get("key")): plain(each.get("value")) for each in value if isinstance(each, dict)}


def plain(value: Any) -> Any:
    """The plain value of a typed OTLP value."""
    if not isinstance(value, dict):
        return value
    for name, read in _KINDS.items():
        if name in value:
            return read(value[name])
    return None


def _integer(value: Any) -> Any:
    try:
        return int(value)
    except (TypeError, ValueError):
        return value


def _array(value: Any) -> Any:
    items = value.get("values") if isinstance(value, dict) else value
    return [plain(each) for each in items] if isinstance(items, list) else []


def _mapping(value: Any) -> Any:
    return attributes(value.get("values") if isinstance(value, dict) else value)


def _same(value: Any) -> Any:
    return value


_KINDS: Final[Mapping[str, Any]] = {
    "stringValue": _same,
    "intValue": _integer,
    "doubleValue": _same,
    "boolValue": _same,
    "arrayValue": _array,
    "kvlistValue": _mapping,
    "bytesValue": _same,
    "string_value": _same,
    "int_value": _integer,
    "double_value": _same,
    "bool_value": _same,
    "array_value": _array,
    "kvlist_value": _mapping,
}


def _events(value: Any) -> Sequence[Mapping[str, Any]]:
    found = value if isinstance(value, list) else []
    return [
        {"name": str(each.get("name") or ""), **attributes(each.get("attributes"))}
        for each in found
        if isinstance(each, dict)
    ]


def scope_of(value: Any) -> Scope:
    """The scope that a value names; ``NO_SCOPE`` if it names none."""
    if not isinstance(value, dict) or not value.get("name"):
        return NO_SCOPE
    return Scope(str(value["name"]), str(value.get("version") or ""))


def _either(value: Mapping[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _number(value: Any) -> int:
    try:
        return max(0, int(value or 0))
    except (TypeError, ValueError):
        return 0
