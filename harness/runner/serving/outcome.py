"""What came of serving, as case results: one for each conversation that somebody has begun."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from harness.finding import Finding, line_of
from harness.gateway import CaseEndpoint, Gateway
from harness.runner.conversations import counted
from harness.runner.execute import Finished, names_of, shown
from harness.runner.findings import found_by_rules, with_refusals
from harness.runner.judging import Judging
from harness.runner.notes import notes_of
from harness.runner.plan import PlannedCase
from harness.runner.processes import manner
from harness.runner.redacting import knowing_sent, redacted_result, redacted_trace, run_redactor
from harness.runner.results import CaseResult, trace_name
from harness.runner.serving.expected import not_checked, unmet
from harness.runner.serving.offers import Served
from harness.runner.serving.printed import repeated
from harness.runner.sources import Opened
from harness.scenario.words import either
from harness.trace import Trace
from harness.wire import wires

if TYPE_CHECKING:
    from harness.scenario import Step
    from harness.secrets import Redactor

__all__ = ["outcome"]

_NOTHING: Final[Mapping[str, int]] = {}


def outcome(
    served: Sequence[Served],
    gateway: Gateway,
    judging: Judging,
    *,
    command: Sequence[str] = (),
    repeat: str = "",
    exit_code: int | None = None,
    ended: bool = True,
    printed: Mapping[str, int] = _NOTHING,
    answered: Mapping[str, int] = _NOTHING,
) -> Iterator[Finished]:
    """The results of what was asked, in the order of the offers, one after another: each has its trace.

    Where no request has come, that is the finding. Where ``command`` has ended by itself, with ``exit_code``, and that
    is a failure for which there is no other finding, it is one, too. ``ended``: the loop has come to its end; it has
    not where it was ended, or has failed. ``printed`` counts the tags of answers in what the program has printed, and
    ``answered`` those of all answers.
    """
    complete = ended and not exit_code
    last: Finished | None = None
    any_findings = False
    for one in served:
        for each in _asked(one, gateway, judging, repeat, printed, answered, ended=complete):
            if last is not None:
                yield last
            last, any_findings = each, any_findings or bool(each.result.findings)
    if last is None:
        last = _unasked(served[0], gateway, repeat)
        any_findings = True
    yield _with(last, _exited(command, exit_code)) if exit_code and not any_findings else last


def _asked(
    served: Served,
    gateway: Gateway,
    judging: Judging,
    repeat: str,
    printed: Mapping[str, int],
    answered: Mapping[str, int],
    *,
    ended: bool,
) -> Iterator[Finished]:
    not_served = gateway.not_served(served.offer.name)
    items = dict(zip(served.offer.wires, served.offer.cases, strict=True))
    for endpoint in served.rounds.each():
        trace = endpoint.recorder.trace()
        if not trace.exchanges:
            continue
        item, opened = items[endpoint.case.wire], served.opened[endpoint.case.wire]
        found = _findings(item, endpoint, opened, trace, judging, ended=ended)
        result = _result(served, trace, tuple(filter(judging.counts, found)), repeat)
        tools = [tool.declaration.name for tool in item.scenario.tools]
        left = not_checked(item, opened, ended=ended)
        finished = Finished(
            replace(
                result,
                conversations=counted(endpoint),
                notes=(
                    *notes_of(endpoint, tools),
                    *filter(None, [left]),
                    *repeated(endpoint.replies.values(), printed, answered),
                ),
                names=names_of(tools, endpoint),
                summary=item.scenario.summary,
                not_served=not_served,
            ),
            trace,
        )
        redactor = knowing_sent(opened.redactor) if opened.redactor else run_redactor()
        yield _kept(finished, redactor, item.scenario.steps)
        not_served = {}  # they are those of the address, and reported once


def _kept(finished: Finished, redactor: Redactor, script: Sequence[Step]) -> Finished:
    """The same without secrets."""
    return Finished(redacted_result(finished.result, redactor), redacted_trace(finished.trace, redactor, script))


def _findings(
    item: PlannedCase, endpoint: CaseEndpoint, opened: Opened, trace: Trace, judging: Judging, *, ended: bool
) -> list[Finding]:
    if not endpoint.apart.main.requests:
        got = f"requests: {len(trace.exchanges)}, all of side conversations"
        at = line_of(trace.exchanges[0].request_at)
        expected = "a request of the main conversation"
        return [Finding("target/conversation", "MUST", "target", at, expected, got, endpoint.apart.why_not_main)]
    found = found_by_rules(endpoint, trace, judging.rules, over=ended and _has_more_to_say(endpoint))
    found += unmet(item, endpoint, opened, trace, ended=ended)
    return with_refusals(found, endpoint, trace)


def _has_more_to_say(endpoint: CaseEndpoint) -> bool:
    """Whether a request that goes on would have got an answer: a script may end with calls on purpose."""
    return endpoint.script is None or endpoint.script.upcoming is not None


def _unasked(served: Served, gateway: Gateway, repeat: str) -> Finished:
    not_served = gateway.not_served(served.offer.name)
    elsewhere = gateway.not_served(None)
    variables = dict.fromkeys(name for each in wires() for name in each.provider.base_variables[:1])
    what = [f"It asked for what is not served: {asked}." for asked in (*not_served, *elsewhere)]
    detail = " ".join(
        [
            f"Give the model client of the program the base URL from its environment: {either(variables)}.",
            "The official SDKs read it by themselves, unless the program sets another one.",
            *what[:3],
        ]
    )
    finding = Finding("target/request", "MUST", "target", None, "a model request to the endpoint", "no request", detail)
    first = served.rounds.latest
    trace = Trace(replace(first.case, id=served.offer.name))
    return Finished(replace(_result(served, trace, (finding,), repeat), not_served=not_served), trace)


def _exited(command: Sequence[str], exit_code: int) -> Finding:
    expected, got = "the command ends with exit code 0", f"it ended with {manner(exit_code)}"
    return Finding("target/exit", "MUST", "target", None, expected, got, shlex.join(command))


def _with(finished: Finished, finding: Finding) -> Finished:
    result = finished.result
    return replace(finished, result=replace(result, verdict="fail", findings=(*result.findings, finding)))


def _result(served: Served, trace: Trace, findings: tuple[Finding, ...], repeat: str) -> CaseResult:
    path = served.offer.scenario.path
    seconds = trace.records[-1].at if trace.records else 0.0
    return replace(
        CaseResult.of(trace.case, findings, requests=len(trace.exchanges), seconds=seconds),
        trace=trace_name(trace.case.id),
        repeat=repeat,
        file=shown(path) if path.name else "",
    )
