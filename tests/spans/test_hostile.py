"""Spans of any shape: whatever an attribute says, it is read, named as not judged, or bad input; never a traceback."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.spans import read_spans
from harness.spans.anonymise import Anonymiser
from harness.spans.judging import turn_of
from harness.spans.kinds import kind_of
from harness.spans.tool_runs import run_of
from tests.spans.spans import judged

NAMES = (
    *("role", "content", "parts", "type", "text", "tool_calls", "id", "name", "arguments", "function", "messages"),
    *("contents", "input", "config", "model", "tools", "thinking", "response", "result", "tool_call_id", "message"),
    *("choices", "candidates", "output", "generations", "0", "system", "finish_reason", "stop_reason", "lc"),
)
WORDS = ("user", "assistant", "tool", "model", "text", "tool_call", "tool_use", "tool_result", "message", "a", "")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inside, max_size=5),
    max_leaves=25,
)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(
        (
            *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "input.value"),
            *("output.value", "llm.input_messages", "llm.output_messages", "llm.input_messages.0.message.role"),
            *("llm.input_messages.0.message.tool_calls.0.tool_call.function.name", "llm.input_messages.x"),
            *("langfuse.observation.input", "langfuse.observation.output", "gen_ai.response.finish_reasons"),
            *("gen_ai.prompt.0.content", "gen_ai.tool.call.result", "gen_ai.request.model", "gen_ai.response.id"),
            *("llm.finish_reason", "tool_response", "server.address", "server.port", "gen_ai.provider.name"),
        )
    ),
    VALUES | VALUES.map(json.dumps),
    max_size=8,
)
KINDS = st.sampled_from(
    (
        {"openinference.span.kind": "LLM"},
        {"openinference.span.kind": "TOOL"},
        {"gen_ai.operation.name": "chat"},
        {"gen_ai.operation.name": "execute_tool"},
        {"langfuse.observation.type": "generation"},
    )
)
SCOPES = st.sampled_from(("openinference.instrumentation.openai", "pydantic-ai", "x", ""))
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUICK
@given(ATTRIBUTES, KINDS, SCOPES)
def test_any_attributes_are_read(attributes: dict[str, Any], kind: dict[str, str], scope: str) -> None:
    row = {
        "context": {"trace_id": "t", "span_id": "s"},
        "attributes": {**attributes, **kind},
        "scope": {"name": scope},
        "name": "n",
    }
    [span] = read_spans("f", io.BytesIO(json.dumps(row).encode()))
    Anonymiser(b"key").span(span)
    if kind_of(span) == "tool":
        run_of(span)
    else:
        turn_of(span)


@settings(QUICK, max_examples=60)
@given(st.lists(st.tuples(ATTRIBUTES, KINDS), min_size=1, max_size=4))
def test_any_file_is_judged(tmp_path: Path, spans: list[tuple[dict[str, Any], dict[str, str]]]) -> None:
    rows = [
        {"context": {"trace_id": "t", "span_id": f"s{number}"}, "attributes": {**attributes, **kind}, "name": "n"}
        for number, (attributes, kind) in enumerate(spans)
    ]
    path = tmp_path / "f"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with suppress(BadInput):  # there may be no request in it
        judged(path, turn_limit=1)


@QUICK
@given(st.recursive(VALUES, lambda inside: st.lists(inside, max_size=3), max_leaves=10), st.data())
def test_any_document_is_read(value: Any, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(("resourceSpans", "data", "observations", "spans")))
    document = {key: [{"scopeSpans": [{"spans": [value], "scope": value}], "attributes": value}, value], "id": value}
    list(read_spans("f", io.BytesIO(json.dumps(document).encode())))
