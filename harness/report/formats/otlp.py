"""The cases of a run as spans, so that a team can look at a case where it looks at its production.

A case is a trace: the run of the agent, its requests to the model with their messages, and its tools, under the names
of OpenTelemetry's conventions for generative AI. A finding is an event of the request that shows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from harness import __version__
from harness.errors import BadInput
from harness.finding import Finding, line_of
from harness.report.formats import ReportFormat
from harness.rules import TraceView, views
from harness.runner.results import CaseResult, RunResult
from harness.trace import EventRecord, ToolResult, ToolStart, Trace
from harness.trace import load as load_trace
from harness.wire import Call, FinishReason, Message, Opaque, Part, Refusal, Result, Text, ThinkingPart

_FINISHES: Final[Mapping[FinishReason, str]] = {
    FinishReason.END: "stop",
    FinishReason.TOOL_CALLS: "tool_call",
    FinishReason.MAX_TOKENS: "length",
    FinishReason.CONTENT_FILTER: "content_filter",
    FinishReason.REFUSAL: "content_filter",
    FinishReason.PAUSE: "pause",
}
_CLIENT: Final = 3
"""The kind CLIENT of a span."""


def otlp(result: RunResult, run: Path) -> str:
    """The run as OTLP JSON, a case a line. ``run`` is its folder; a case without a trace has the span of its run only.

    Raises ``BadInput`` for a trace that cannot be read.
    """
    began = _seconds(result.started)
    return "".join(f"{json.dumps(_document(case, run, began), ensure_ascii=False)}\n" for case in result.cases)


def _document(case: CaseResult, run: Path, began: float) -> dict[str, Any]:
    trace = load_trace(run / case.trace) if case.trace else None
    spans = list(_Spans(case, trace, began, f"{run.name}/{case.id}").all())
    scope = {"name": "agent-loop-harness", "version": __version__}
    resource = {"attributes": _attributes({"service.name": case.target})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]}


def _seconds(started: str) -> float:
    try:
        moment = datetime.fromisoformat(started)
    except ValueError as error:
        raise BadInput(f"results.json: expected a date in 'started', got {started!r}") from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


class _Spans:
    """The spans of one case. Their ids are derived from ``name``, so they are the same whenever they are written."""

    def __init__(self, case: CaseResult, trace: Trace | None, began: float, name: str) -> None:
        self._case = case
        self._trace = trace
        self._began = began
        self._name = name
        self._root = self._id("run")
        self._placed: set[int] = set()

    def all(self) -> Iterator[dict[str, Any]]:
        """The span of the run, and those below it."""
        below: list[dict[str, Any]] = []
        if self._trace is not None:
            for view in views(self._trace):
                if "conversation" in view.scopes:
                    below += self._of_requests(view)
            below += self._of_tools(self._trace)
        yield self._of_run()
        yield from below

    def _of_run(self) -> dict[str, Any]:
        case = self._case
        ended = max((record.at for record in self._trace.records), default=0.0) if self._trace else case.seconds
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": case.target,
            "harness.case": case.id,
            "harness.scenario": case.scenario,
            "harness.wire": case.wire,
            "harness.verdict": case.verdict,
            "harness.repeat": case.repeat,
        }
        unplaced = [finding for number, finding in enumerate(case.findings) if number not in self._placed]
        failed = case.verdict in ("fail", "error")
        span = self._span(self._root, f"invoke_agent {case.target}", 0.0, ended, attributes, unplaced, failed=failed)
        return {**span, "parentSpanId": ""}

    def _of_requests(self, view: TraceView) -> Iterator[dict[str, Any]]:
        provider = view.wire.provider.sdk or view.wire.label
        for ask in view.asks:
            response = ask.exchange.response
            conversation = ask.full or ask.conversation
            attributes: dict[str, Any] = {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": provider,
                "gen_ai.request.model": conversation.model if conversation else "",
                "gen_ai.input.messages": json.dumps(list(map(_message, conversation.messages)) if conversation else []),
                "http.response.status_code": response.status or None if response else None,
            }
            if ask.reply is not None:
                finish = _FINISHES[ask.turn.stop]
                parts = list(map(_part, ask.turn.parts))
                answered = [{"role": "assistant", "parts": parts, "finish_reason": finish}]
                attributes["gen_ai.output.messages"] = json.dumps(answered)
                attributes["gen_ai.response.id"] = ask.reply.id
                attributes["gen_ai.response.finish_reasons"] = [finish]
            line = view.line(line_of(ask.at))
            shown = self._at({line})
            ended = response.at if response else ask.exchange.request.at
            id = self._id(f"request {ask.number}")
            failed = response is not None and not 0 < response.status < 400
            name = f"chat {attributes['gen_ai.request.model']}"
            yield self._span(id, name, ask.exchange.request.at, ended, attributes, shown, failed=failed)

    def _of_tools(self, trace: Trace) -> Iterator[dict[str, Any]]:
        """A span from the start of each tool to its result, as the loop has reported them."""
        open_tools: dict[str, tuple[int, EventRecord]] = {}
        for at, record in trace.events:
            if isinstance(record.event, ToolStart):
                open_tools[record.event.id] = at, record
            elif isinstance(record.event, ToolResult) and record.event.id in open_tools:
                started_at, started = open_tools.pop(record.event.id)
                event = record.event
                attributes = {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": event.name,
                    "gen_ai.tool.call.id": event.id,
                    "gen_ai.tool.call.result": _text(event.output),
                }
                shown = self._at({line_of(started_at), line_of(at)})
                id = self._id(f"tool {started_at}")
                name = f"execute_tool {event.name}"
                yield self._span(id, name, started.at, record.at, attributes, shown, failed=event.ok is False)

    def _at(self, lines: set[int | None]) -> list[Finding]:
        """The findings at these lines of the trace that no other span has shown yet."""
        found = [
            number
            for number, finding in enumerate(self._case.findings)
            if finding.at is not None and finding.at in lines and number not in self._placed
        ]
        self._placed.update(found)
        return [self._case.findings[number] for number in found]

    def _span(
        self,
        id: str,
        name: str,
        began: float,
        ended: float,
        attributes: Mapping[str, Any],
        findings: Sequence[Finding],
        *,
        failed: bool,
    ) -> dict[str, Any]:
        return {
            "traceId": _hash_of(self._name, 16),
            "spanId": id,
            "parentSpanId": self._root,
            "name": name,
            "kind": _CLIENT if name.startswith("chat") else 1,
            "startTimeUnixNano": self._time(began),
            "endTimeUnixNano": self._time(max(began, ended)),
            "attributes": _attributes({key: value for key, value in attributes.items() if value not in (None, "")}),
            "events": [self._event(finding, ended) for finding in findings],
            "status": {"code": 2} if failed else {},
        }

    def _event(self, finding: Finding, at: float) -> dict[str, Any]:
        members = {
            "rule": finding.id,
            "level": finding.level,
            "expected": finding.expected,
            "got": finding.got,
            "explanation": finding.explanation,
        }
        attributes = _attributes({f"harness.{key}": value for key, value in members.items() if value})
        return {"name": "harness.finding", "timeUnixNano": self._time(at), "attributes": attributes}

    def _id(self, what: str) -> str:
        return _hash_of(f"{self._name} {what}", 8)

    def _time(self, at: float) -> str:
        return str(int((self._began + at) * 1e9))


def _hash_of(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _typed_value(value)} for key, value in values.items()]


def _typed_value(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": list(map(_typed_value, value))}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}


# --- messages -----------------------------------------------------------------------------------------------


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "parts": list(map(_part, message.parts))}


def _part(part: Part | Result | Opaque) -> dict[str, Any]:
    match part:
        case Text() | Refusal():
            return {"type": "text", "content": part.text}
        case ThinkingPart():
            return {"type": "reasoning", "content": part.text}
        case Call():
            return {"type": "tool_call", "id": part.id or "", "name": part.name, "arguments": _value(part.arguments)}
        case Result():
            return {"type": "tool_call_response", "id": part.id, "response": part.output}
        case Opaque():
            return {"type": part.kind}


def _value(text: str) -> Any:
    """Arguments as a JSON value; text that is no JSON unchanged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


FORMAT: Final = ReportFormat("spans for a viewer of OpenTelemetry, a case a line", otlp)
