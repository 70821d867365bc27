"""Rows of a store's own export: a span of Phoenix or of the SDK's console, an observation of Langfuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from harness.spans.elements import Element
from harness.spans.model import Scope, TraceSpan
from harness.spans.otlp import attributes, same_id, scope_of

_KIND: Final = "openinference.span.kind"
_LANGFUSE_TYPES: Final = frozenset(
    ["SPAN", "EVENT", "GENERATION", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "EVALUATOR", "GUARDRAIL"]
)


def row_of(element: Element) -> TraceSpan | None:
    """A span of Phoenix, as its API returns it or as a row of its table; also one that an SDK's console has printed.

    None for a value that is none.
    """
    row = element.value
    if not isinstance(row, dict):
        return None
    context = row.get("context")
    ids = context if isinstance(context, dict) else _below(row, "context")
    if not ids.get("span_id"):
        return None
    status = row.get("status")
    failed = row.get("status_code") or (status.get("status_code") if isinstance(status, dict) else "")
    scope = row.get("instrumentation_scope") or row.get("scope")
    return TraceSpan(
        trace=same_id(ids.get("trace_id")),
        id=same_id(ids.get("span_id")),
        parent=same_id(row.get("parent_id")),
        name=str(row.get("name") or ""),
        attributes=_attributes(row),
        scope=scope_of(scope),
        began=_time(row.get("start_time")),
        ended=_time(row.get("end_time")),
        failed=failed == "ERROR",
        place=element.place,
    )


def observation_of(element: Element) -> TraceSpan | None:
    """An observation of Langfuse as a span with the attributes that Langfuse's own spans have.

    None for a value that is none.
    """
    row = element.value
    kind = row.get("type") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(kind, str) or kind not in _LANGFUSE_TYPES or "id" not in row:
        return None
    metadata = row.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    scope = metadata.get("scope")
    found = {
        "langfuse.observation.type": str(kind).lower(),
        "langfuse.observation.input": row.get("input"),
        "langfuse.observation.output": row.get("output"),
        "langfuse.observation.model.name": row.get("model"),
    }
    other = metadata.get("attributes")
    return TraceSpan(
        trace=str(row.get("traceId") or ""),
        id=str(row["id"]),
        parent=str(row.get("parentObservationId") or ""),
        name=str(row.get("name") or ""),
        attributes={**(other if isinstance(other, dict) else {}), **{k: v for k, v in found.items() if v is not None}},
        scope=scope_of(scope) if isinstance(scope, dict) else Scope("langfuse"),
        began=_time(row.get("startTime")),
        ended=_time(row.get("endTime")),
        failed=row.get("level") == "ERROR",
        place=element.place,
    )


def _attributes(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes of a row: under one member or in separate columns, with whole names or level by level."""
    found = row.get("attributes")
    flat = dict(_flat(attributes(found) if isinstance(found, dict | list) else _below(row, "attributes"), ""))
    if (kind := row.get("span_kind")) and _KIND not in flat:
        flat[_KIND] = kind
    return flat


def _flat(value: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    """The members of objects in objects, under their whole names: ``llm.model_name``."""
    for name, each in value.items():
        if isinstance(each, dict) and each:
            yield from _flat(each, f"{before}{name}.")
        else:
            yield f"{before}{name}", each


def _below(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    beginning = f"{name}."
    return {key[len(beginning) :]: value for key, value in row.items() if key.startswith(beginning)}


def _time(value: Any) -> int:
    """Nanoseconds since 1970: of a date in text, or of a number in seconds, milliseconds, micro- or nanoseconds."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        unit = next(factor for most, factor in _UNITS if value < most)
        return int(value) * unit if isinstance(value, int) else int(value * unit)
    if not isinstance(value, str):
        return 0
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    whole = moment.replace(microsecond=0)
    return int(whole.timestamp()) * 1_000_000_000 + moment.microsecond * 1000


_UNITS: Final = ((1e11, 1_000_000_000), (1e14, 1_000_000), (1e17, 1000), (float("inf"), 1))
