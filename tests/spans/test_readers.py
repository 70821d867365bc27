"""What spans, log records and rows of stores say, in whichever spelling."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest

from harness.spans import Scope, TraceSpan, read_spans
from harness.spans.otlp import plain, same_id

TRACE, ID, PARENT = "0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7", "00f067aa0ba902b6"


def read(value: Any) -> TraceSpan:
    [found] = read_spans("f", io.BytesIO(json.dumps(value).encode()))
    return found


def in_scope(span: dict[str, Any], kind: str = "Spans", inner: str = "spans") -> dict[str, Any]:
    scope = {"name": "lib", "version": "1.2"}
    return {f"resource{kind}": [{f"scope{kind}": [{"scope": scope, inner: [span]}]}]}


def base64_of(id: str) -> str:
    return base64.b64encode(bytes.fromhex(id)).decode()


@pytest.mark.parametrize("spelling", [str, str.upper, base64_of])
def test_ids_are_the_same_in_every_spelling(spelling: Any) -> None:
    found = read(in_scope({"traceId": spelling(TRACE), "spanId": spelling(ID), "parentSpanId": spelling(PARENT)}))
    assert (found.trace, found.id, found.parent) == (TRACE, ID, PARENT)


def test_other_ids_stay_as_they_are() -> None:
    assert same_id("clx3-abc") == "clx3-abc"
    assert same_id("not*base64!!") == "not*base64!!"
    assert same_id(None) == ""


def test_a_span_of_otlp() -> None:
    attributes = [
        {"key": "text", "value": {"stringValue": "a"}},
        {"key": "number", "value": {"intValue": "5"}},
        {"key": "list", "value": {"arrayValue": {"values": [{"boolValue": True}, {"doubleValue": 0.5}]}}},
        {"key": "map", "value": {"kvlistValue": {"values": [{"key": "k", "value": {"stringValue": "v"}}]}}},
        {"key": "none", "value": {}},
    ]
    found = read(
        in_scope(
            {
                "traceId": TRACE,
                "spanId": ID,
                "name": "n",
                "startTimeUnixNano": "17",
                "endTimeUnixNano": 19,
                "attributes": attributes,
                "droppedAttributesCount": 3,
                "status": {"code": "STATUS_CODE_ERROR"},
            }
        )
    )
    expected = {"text": "a", "number": 5, "list": [True, 0.5], "map": {"k": "v"}, "none": None}
    assert found.attributes == expected
    assert (found.began, found.ended, found.dropped, found.failed) == (17, 19, 3, True)
    assert found.scope == Scope("lib", "1.2")


def test_values_of_a_wrong_type_are_read_as_nothing() -> None:
    assert plain({"intValue": "x"}) == "x"
    assert plain({"arrayValue": 5}) == []
    found = read(in_scope({"spanId": ID, "startTimeUnixNano": "soon", "attributes": 5, "events": [3], "status": 1}))
    assert (found.began, found.attributes, found.events, found.failed) == (0, {}, (), False)


def test_a_log_record_belongs_to_its_span() -> None:
    record = {
        "traceId": TRACE,
        "spanId": ID,
        "eventName": "gen_ai.client.inference.operation.details",
        "body": {"kvlistValue": {"values": [{"key": "gen_ai.input.messages", "value": {"stringValue": "[]"}}]}},
    }
    found = read(in_scope(record, "Logs", "logRecords"))
    assert found.is_log
    assert (found.id, found.attributes) == (ID, {"gen_ai.input.messages": "[]"})


@pytest.mark.parametrize(
    "row",
    [
        {"context": {"trace_id": TRACE, "span_id": ID}, "attributes": {"llm.model_name": "m"}},
        {"context.trace_id": TRACE, "context.span_id": ID, "attributes.llm.model_name": "m"},
        {"context": {"trace_id": TRACE, "span_id": ID}, "attributes": {"llm": {"model_name": "m"}}},
        {"context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{ID}"}, "attributes": {"llm.model_name": "m"}},
    ],
    ids=["API of Phoenix", "table of Phoenix", "level by level", "console of the SDK"],
)
def test_a_row(row: dict[str, Any]) -> None:
    times = {"start_time": "2026-11-26T10:00:00.000001+00:00", "end_time": "2026-11-26T10:00:01Z"}
    found = read({**row, "name": "n", "parent_id": PARENT, "status_code": "ERROR", **times})
    assert (found.trace, found.id, found.parent, found.failed) == (TRACE, ID, PARENT, True)
    assert found.attributes == {"llm.model_name": "m"}
    assert found.ended - found.began == 999_999_000


def test_an_observation_of_langfuse() -> None:
    generation = {
        "id": "o1",
        "traceId": "t1",
        "parentObservationId": "o0",
        "type": "GENERATION",
        "name": "ChatAnthropic",
        "startTime": "2026-11-26T10:00:00.000Z",
        "model": "m",
        "input": [{"role": "user", "content": "hi"}],
        "output": {"role": "assistant", "content": "ho"},
        "level": "ERROR",
    }
    found = read({"id": "t1", "name": "trace", "observations": [generation]})
    assert (found.trace, found.id, found.parent, found.failed) == ("t1", "o1", "o0", True)
    assert found.attributes["langfuse.observation.type"] == "generation"
    assert found.attributes["langfuse.observation.input"] == generation["input"]


def test_what_is_no_span_is_left_out() -> None:
    assert list(read_spans("f", io.BytesIO(b'{"resourceMetrics": []}\n[1, "a", null]\n{"id": 5}'))) == []
