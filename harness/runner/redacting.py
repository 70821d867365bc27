"""What a run of recorded or real models keeps, without secrets: its trace, and the findings that quote from it.

Answers of a cassette have none. What the loop sends, and what its tools say, may: a key in a prompt, an address in a
result. It is redacted as recordings are, so a trace that is judged again says the same.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from harness.finding import Finding, ProviderAnswer
from harness.runner.results import CaseResult
from harness.trace import Event, EventRecord, Record, RequestRecord, Trace

if TYPE_CHECKING:
    from harness.cassette.secrets import Redactor

__all__ = ["redacted_finding", "redacted_result", "redacted_trace"]

_JSON = "application/json"


def redacted_trace(trace: Trace, redactor: Redactor) -> Trace:
    """The trace with the secrets out of its requests and events, and out of what its tools return."""
    returns = {tool: _value(value, redactor) for tool, value in trace.case.returns.items()}
    records = tuple(_record(record, redactor) for record in trace.records)
    return replace(trace, case=replace(trace.case, returns=returns), records=records)


def redacted_finding(finding: Finding, redactor: Redactor) -> Finding:
    """The finding with the secrets out of what it quotes."""
    return replace(
        finding,
        expected=redactor.redact_text(finding.expected),
        got=redactor.redact_text(finding.got),
        detail=redactor.redact_text(finding.detail),
        provider=finding.provider and _answer(finding.provider, redactor),
    )


def _answer(answer: ProviderAnswer, redactor: Redactor) -> ProviderAnswer:
    """What the provider answers, without the secrets that it quotes from the request."""
    param = None if answer.param is None else redactor.redact_text(answer.param)
    return replace(
        answer, message=redactor.redact_text(answer.message), place=redactor.redact_text(answer.place), param=param
    )


def redacted_result(result: CaseResult, redactor: Redactor) -> CaseResult:
    """The result with the secrets out of its findings, and out of what it quotes beside them."""
    begins = [replace(each, begins=redactor.redact_text(each.begins)) for each in result.conversations]
    return replace(
        result,
        findings=tuple([redacted_finding(each, redactor) for each in result.findings]),
        conversations=tuple(begins),
        not_served={redactor.redact_text(what): count for what, count in result.not_served.items()},
        notes=tuple(map(redactor.redact_text, result.notes)),
        names=tuple(map(redactor.redact_text, result.names)),
    )


def _record(record: Record, redactor: Redactor) -> Record:
    if isinstance(record, RequestRecord):
        kind = record.headers.get("content-type", _JSON)
        path, body = redactor.redact_url(record.path), redactor.redact_body(record.body, kind)
        return replace(record, path=path, body=body)
    return replace(record, event=_event(record.event, redactor)) if isinstance(record, EventRecord) else record


def _event(event: Event, redactor: Redactor) -> Event:
    members = {each.name: getattr(event, each.name) for each in fields(event) if each.name not in ("id", "name")}
    return replace(event, **{name: _value(value, redactor) for name, value in members.items()})


def _value(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.redact_text(value)
    if not isinstance(value, dict | list):
        return value
    return json.loads(redactor.redact_body(json.dumps(value).encode(), _JSON))
