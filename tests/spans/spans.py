"""Files of spans for tests: OTLP JSON with whole requests of one wire, or with messages of a tracer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.rules import select
from harness.spans.judging import TraceFinding, TraceOptions, TraceTotals, judge_spans
from harness.spans.tool_runs import RUN_RULES

FILES = Path(__file__).resolve().parent / "files"
ANTHROPIC = "openinference.instrumentation.anthropic"
TRACE = "0af7651916cd43dd8448eb211c80319c"

TOOLS = [{"name": "f", "input_schema": {"type": "object"}}]
ASKED = {"role": "user", "content": "hi"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
CALLED = {"role": "assistant", "content": [CALL]}
ANSWERED = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"}]}


def request(*messages: Any, **beside: Any) -> str:
    """The text of a request of the Messages API."""
    body = {"model": "claude-sonnet-4-6", "max_tokens": 9, "tools": TOOLS, "messages": [*messages], **beside}
    return json.dumps(body)


def response(*content: Any, id: str = "msg_1", stop: str = "tool_use") -> str:
    """The text of a response of the Messages API."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    body = {"id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-6", "content": [*content]}
    return json.dumps({**body, "stop_reason": stop, "usage": usage})


def span(number: int, parent: int = 0, **attributes: Any) -> dict[str, Any]:
    """A span that begins and ends ``number`` times ten seconds after the first; ``__`` in a name is a point."""
    typed = [{"key": name.replace("__", "."), "value": _typed(value)} for name, value in attributes.items()]
    began = 1_000_000_000_000 + number * 10_000_000_000
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": f"span {number}",
        "startTimeUnixNano": str(began),
        "endTimeUnixNano": str(began + 5_000_000_000),
        "attributes": typed,
    }


def _typed(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_typed(each) for each in value]}}
    return {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}


def asked(number: int, body: str, answer: str = "", parent: int = 0) -> dict[str, Any]:
    """A span of OpenInference with a whole request, and with its response."""
    beside = {"output__value": answer} if answer else {}
    return span(number, parent, openinference__span__kind="LLM", input__value=body, **beside)


def document(*spans: Mapping[str, Any], scope: str = ANTHROPIC) -> dict[str, Any]:
    """A file of OTLP JSON with these spans."""
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": scope, "version": "1"}, "spans": [*spans]}]}]}


def written(path: Path, *documents: Mapping[str, Any]) -> Path:
    """``path`` with a document a line."""
    path.write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    return path


def judged(path: Path, **options: Any) -> tuple[list[TraceFinding], TraceTotals]:
    """What ``harness lint-trace --answered`` finds in a file, and what the file has."""
    totals = TraceTotals()
    wanted = TraceOptions(
        selection=select(options.pop("rules", ()), info=options.pop("info", False)),
        runs=options.pop("runs", frozenset(rule.id for rule in RUN_RULES)),
        answered=options.pop("answered", True),
        **options,
    )
    return list(judge_spans(path, wanted, totals)), totals


def ids(findings: Iterable[TraceFinding]) -> list[str]:
    """The ids of the rules that findings are about, each once."""
    return sorted({found.finding.id for found in findings})
