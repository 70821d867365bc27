"""What came of serving, as case results: one for each conversation that somebody has begun."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from harness.gateway import CaseEndpoint, Gateway
from harness.rules import judge
from harness.runner.conversations import counted
from harness.runner.evidence import evidence_of, with_refusals
from harness.runner.execute import Finished, names_of, shown
from harness.runner.judging import Judging
from harness.runner.notes import notes_of
from harness.runner.plan import PlannedCase
from harness.runner.processes import manner
from harness.runner.redacting import redacted_result, redacted_trace
from harness.runner.results import CaseResult, Evidence
from harness.runner.serving.expected import not_checked, unmet
from harness.runner.serving.offers import Served
from harness.runner.sources import Opened
from harness.trace import Trace
from harness.wire import WireName

if TYPE_CHECKING:
    from harness.cassette.secrets import Redactor

__all__ = ["outcome"]


def outcome(
    served: Sequence[Served],
    gateway: Gateway,
    judging: Judging,
    *,
    command: Sequence[str] = (),
    repeat: str = "",
    exit_code: int | None = None,
    ended: bool = True,
) -> list[Finished]:
    """The results of what was asked, in the order of the offers.

    Where no request has come, that is the finding. Where ``command`` has ended by itself, with ``exit_code``, and that
    is a failure for which there is no other finding, it is one, too. ``ended``: the loop has come to its end; it has
    not where it was ended, or has failed.
    """
    complete = ended and not exit_code
    found = [each for one in served for each in _asked(one, gateway, judging, repeat, ended=complete)]
    if not found:
        found = [_unasked(served[0], gateway, repeat)]
    if exit_code and not any(each.result.evidence for each in found):
        found[-1] = _with(found[-1], _exited(command, exit_code))
    return found


def _asked(served: Served, gateway: Gateway, judging: Judging, repeat: str, *, ended: bool) -> Iterator[Finished]:
    not_served = gateway.not_served(served.offer.name)
    items = dict(zip(served.offer.wires, served.offer.cases, strict=True))
    for desk in served.rounds.desks:
        trace = desk.recorder.trace()
        if not trace.exchanges:
            continue
        item, opened = items[cast(WireName, desk.case.wire)], served.opened[desk.case.wire]
        found = _evidence(item, desk, opened, trace, judging, ended=ended)
        result = _result(served, trace, tuple(filter(judging.counts, found)), repeat)
        tools = [tool.declaration.name for tool in item.scenario.tools]
        left = not_checked(item, opened, ended=ended)
        finished = Finished(
            replace(
                result,
                conversations=counted(desk),
                notes=(*notes_of(desk, tools), *filter(None, [left])),
                names=names_of(tools, desk),
                summary=item.scenario.summary,
                not_served=not_served,
            ),
            trace,
        )
        yield finished if opened.redactor is None else _kept(finished, opened.redactor)
        not_served = {}  # they are those of the address, and reported once


def _kept(finished: Finished, redactor: Redactor) -> Finished:
    """The same without secrets."""
    return Finished(redacted_result(finished.result, redactor), redacted_trace(finished.trace, redactor))


def _evidence(
    item: PlannedCase, desk: CaseEndpoint, opened: Opened, trace: Trace, judging: Judging, *, ended: bool
) -> list[Evidence]:
    if not desk.apart.main.requests:
        got = f"requests: {len(trace.exchanges)}, all of side conversations"
        at = trace.exchanges[0].request_at + 2  # line 1 of a trace file is its header
        expected = "a request of the main conversation"
        return [Evidence("target/conversation", "MUST", "target", at, expected, got, desk.apart.why_not_main)]
    found = [evidence_of(finding, trace) for finding in judge(trace, judging.rules)]
    found += unmet(item, desk, opened, trace, ended=ended)
    return with_refusals(found, desk, trace)


def _unasked(served: Served, gateway: Gateway, repeat: str) -> Finished:
    not_served = gateway.not_served(served.offer.name)
    elsewhere = gateway.not_served(None)
    what = [f"It asked for what is not served: {asked}." for asked in (*not_served, *elsewhere)]
    detail = " ".join(
        [
            "Give the model client of the program the base URL from its environment: OPENAI_BASE_URL,",
            "ANTHROPIC_BASE_URL or GOOGLE_GEMINI_BASE_URL.",
            "The official SDKs read it by themselves, unless the program sets another one.",
            *what[:3],
        ]
    )
    evidence = Evidence(
        "target/request", "MUST", "target", None, "a model request to the endpoint", "no request", detail
    )
    first = served.rounds.desks[0]
    trace = Trace(replace(first.case, id=served.offer.name))
    return Finished(replace(_result(served, trace, (evidence,), repeat), not_served=not_served), trace)


def _exited(command: Sequence[str], exit_code: int) -> Evidence:
    expected, got = "the command ends with exit code 0", f"it ended with {manner(exit_code)}"
    return Evidence("target/exit", "MUST", "target", None, expected, got, shlex.join(command))


def _with(finished: Finished, evidence: Evidence) -> Finished:
    result = finished.result
    return replace(finished, result=replace(result, verdict="fail", evidence=(*result.evidence, evidence)))


def _result(served: Served, trace: Trace, evidence: tuple[Evidence, ...], repeat: str) -> CaseResult:
    path = served.offer.scenario.path
    seconds = trace.records[-1].at if trace.records else 0.0
    return replace(
        CaseResult.of(trace.case, evidence, requests=len(trace.exchanges), seconds=seconds),
        trace=f"traces/{trace.case.id}.jsonl",
        repeat=repeat,
        file=shown(path) if path.name else "",
    )
