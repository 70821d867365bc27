"""The steps of a probe as results, in the same form as for loops: a step is a case of a server on one wire."""

from __future__ import annotations

import time
from dataclasses import replace

from harness.endpoint import ReceivedRequest, Recorder
from harness.finding import line_of
from harness.runner.execute import Finished
from harness.runner.redacting import redacted_result, redacted_trace, run_redactor
from harness.runner.results import CaseResult, trace_name
from harness.servers.probing import StepOutcome
from harness.trace import Case, Trace
from harness.wire import Route, WireName
from harness.wire import wire as wire_named


def finished_step(outcome: StepOutcome, wire: WireName, target: str, repeat: str) -> Finished:
    """The result of a step: ``pass`` where it is ok, ``fail`` where it is broken, ``skip`` where nothing is shown."""
    case = Case(f"{outcome.step}.{wire}.probe", outcome.step, wire, target=target, source="probe", chunking="probe")
    trace = _trace(outcome, case)
    last = trace.exchanges[-1].response_at if trace.exchanges else None
    findings = tuple(replace(each, at=None if last is None else line_of(last)) for each in outcome.findings)
    result = replace(
        CaseResult.of(case, findings, requests=len(outcome.exchanges), verdict="skip" if outcome.not_shown else "pass"),
        reason=f"not shown: {outcome.not_shown}" if outcome.not_shown else "",
        trace=trace_name(case.id) if trace.exchanges else None,
        repeat=repeat,
        summary=outcome.summary,
    )
    redactor = run_redactor()
    return Finished(redacted_result(result, redactor), redacted_trace(trace, redactor))


def _trace(outcome: StepOutcome, case: Case) -> Trace:
    recorder = Recorder(case, time.perf_counter)
    for each in outcome.exchanges:
        route = wire_named(case.wire).route("POST", each.asked.path) or Route(case.wire)
        request = ReceivedRequest(route, "POST", each.asked.path, each.headers, each.asked.body)
        number = recorder.request(request)
        recorder.respond(number, each.answered.status, each.answered.headers)((each.answered.body,))
        recorder.ended(number, "cut" if each.answered.broken else "eof")
    return recorder.trace()
