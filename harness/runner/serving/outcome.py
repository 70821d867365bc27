"""What came of serving, as case results: one for each conversation that somebody has begun."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.gateway import Desk, Gateway
from harness.rules import judge
from harness.runner.conversations import counted
from harness.runner.evidence import evidence_of
from harness.runner.execute import Finished, shown
from harness.runner.judging import Judging
from harness.runner.notes import notes_of
from harness.runner.processes import manner
from harness.runner.results import CaseResult, Evidence
from harness.runner.serving.offers import Served
from harness.trace import Trace

__all__ = ["outcome"]


def outcome(
    served: Sequence[Served],
    gateway: Gateway,
    judging: Judging,
    *,
    command: Sequence[str] = (),
    repeat: str = "",
    exit_code: int | None = None,
) -> list[Finished]:
    """The results of what was asked, in the order of the offers.

    Where no request has come, that is the finding. Where ``command`` has ended by itself, with ``exit_code``, and that
    is a failure for which there is no other finding, it is one, too.
    """
    found = [each for one in served for each in _asked(one, gateway, judging, repeat)]
    if not found:
        found = [_unasked(served[0], gateway, repeat)]
    if exit_code and not any(each.result.evidence for each in found):
        found[-1] = _with(found[-1], _exited(command, exit_code))
    return found


def _asked(served: Served, gateway: Gateway, judging: Judging, repeat: str) -> Iterator[Finished]:
    not_served = gateway.not_served(served.offer.name)
    for desk in served.rounds.desks:
        trace = desk.recorder.trace()
        if not trace.exchanges:
            continue
        evidence = tuple(filter(judging.counts, _evidence(desk, trace, judging)))
        result = _result(served, trace, evidence, repeat)
        notes = notes_of(desk, desk.case.returns)
        yield Finished(replace(result, conversations=counted(desk), notes=notes, not_served=not_served), trace)
        not_served = {}  # they are those of the address, and reported once


def _evidence(desk: Desk, trace: Trace, judging: Judging) -> list[Evidence]:
    if not desk.apart.main.requests:
        got = f"requests: {len(trace.exchanges)}, all of side conversations"
        at = trace.exchanges[0].request_at + 2  # line 1 of a trace file is its header
        expected = "a request of the main conversation"
        return [Evidence("target/conversation", "MUST", "target", at, expected, got, desk.apart.why_not_main)]
    return [evidence_of(finding, trace) for finding in judge(trace, judging.rules)]


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
    case, path = trace.case, served.offer.scenario.path
    return CaseResult(
        id=case.id,
        scenario=case.scenario,
        wire=case.wire,
        target=case.target,
        source=case.source,
        profile=case.profile,
        chunking=case.chunking,
        seed=case.seed,
        verdict="fail" if evidence else "pass",
        seconds=round(trace.records[-1].at, 6) if trace.records else 0.0,
        requests=len(trace.exchanges),
        evidence=evidence,
        trace=f"traces/{case.id}.jsonl",
        repeat=repeat,
        file=shown(path) if path.name else "",
    )
