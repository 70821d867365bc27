"""What goes over the socket: JSON objects, distinguished by the one member ``case``, ``event`` or ``verdict``.

{"case": {...}, "summary": ..., "prompt": [...]}     first: what is run; ``case`` as in the first line of a trace
{"event": "assistant", "text": ..., ...}             every event, as a line of a trace has it, without ``events_before``
{"verdict": "pass", "findings": [...], ...}          last: the judgement, in the words of results.json
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from harness.finding import Finding
from harness.runner.execute import Finished
from harness.runner.plan import PlannedCase
from harness.trace import Event, EventRecord, Trace
from harness.trace.files import event_members

Message = dict[str, Any]


def case_message(item: PlannedCase) -> Message:
    """The case, why it exists, and what the model is asked."""
    prompt = [{"role": role, "text": text} for role, text in item.scenario.prompt]
    return {"case": asdict(item.case), "summary": item.scenario.summary, "prompt": prompt}


def event_message(event: Event) -> Message:
    """An event as the loop emitted it."""
    return event_members(event)


def result_message(finished: Finished, severity: Callable[[Finding], str]) -> Message:
    """The verdict with its findings; ``error`` is the traceback of a crash. ``severity`` labels a finding."""
    result = finished.result
    return {
        "verdict": result.verdict,
        "requests": result.requests,
        "seconds": result.seconds,
        "findings": [_finding(each, finished.trace, severity(each)) for each in result.findings],
        "error": result.error,
    }


def _finding(finding: Finding, trace: Trace, severity: str) -> Message:
    """A finding with its severity and category in words. ``event`` replaces the line: the number of the last event
    before it showed, 1 being the first; None if there was none."""
    members = {**asdict(finding), "name": finding.name, "detail": finding.remark}
    line = members.pop("at")
    events_before = 0 if line is None else sum(isinstance(record, EventRecord) for record in trace.records[: line - 1])
    return {**members, "severity": severity, "event": events_before or None}


def written(message: Message) -> str:
    """The message as text that a browser's JSON parser and a UTF-8 encoder accept, whatever a loop has emitted.

    Lone surrogates become escapes, and numbers that JSON does not have become their names.
    """
    try:
        return json.dumps(message, allow_nan=False)
    except ValueError:
        return json.dumps(json.loads(json.dumps(message), parse_constant=str))
