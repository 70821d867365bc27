"""The results of serving as case results: one for each main conversation."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from harness.endpoint import CaseEndpoint, Endpoints
from harness.endpoint.grouping import GroupedRound
from harness.endpoint.suite import Outcome
from harness.finding import Finding, line_of
from harness.runner.conversations import counted, numbered
from harness.runner.execute import Finished, names_of
from harness.runner.findings import found_by_rules, with_refusals
from harness.runner.judging import Judging
from harness.runner.notes import notes_of
from harness.runner.paths import shown
from harness.runner.plan import PlannedCase
from harness.runner.processes import manner
from harness.runner.redacting import gated, knowing_sent, redacted_result, redacted_trace, run_redactor
from harness.runner.results import CaseResult, trace_name
from harness.runner.serving.expected import not_checked, unmet
from harness.runner.serving.of_tests import (
    FinishedTest,
    JudgedRound,
    Naming,
    excused,
    has_passed,
    in_one,
    is_over,
    unless_first,
)
from harness.runner.serving.offers import Served
from harness.runner.serving.tried import Tried
from harness.runner.sources import Opened
from harness.scenario.words import either
from harness.trace import Trace
from harness.wire import wires

if TYPE_CHECKING:
    from harness.scenario import Step
    from harness.secrets.redactor import Redactor

NotesOn = Callable[[CaseEndpoint], Iterable[str]]
"""Returns notes on a conversation for the reader."""


def _none(endpoint: CaseEndpoint) -> Iterable[str]:  # noqa: ARG001 - the signature of NotesOn
    return ()


_SIGNALLED: Final = 128
"""From this exit code on a shell reports that a signal ended a program."""


@dataclass(frozen=True, slots=True)
class _How:
    """How requests are judged (see ``outcome``). ``ended``: the whole program ended well."""

    judging: Judging
    repeat: str
    tried: Tried
    noted: NotesOn
    ended: bool


def ended_tests(served: Sequence[Served]) -> dict[str, Outcome]:
    """The reported outcomes of tests, by name. A test that failed once has failed."""
    found: dict[str, Outcome] = {}
    for one in served:
        found |= {test: outcome for test, outcome in one.suite.outcomes.items() if found.get(test) != "failed"}
    return gated(found)


def outcome(
    served: Sequence[Served],
    endpoints: Endpoints,
    judging: Judging,
    *,
    command: Sequence[str] = (),
    repeat: str = "",
    exit_code: int | None = None,
    ended: bool = True,
    tried: Tried | None = None,
    noted: NotesOn = _none,
) -> Iterator[FinishedTest]:
    """The results of the requests, in the order of the offers, each with its trace.

    If no request came, that is a finding. If ``command`` ended by itself with a failing ``exit_code`` and there is no
    other finding, the failure is a finding, too, unless tests have failed: demands of a suite beyond the rules are its
    own matter. ``ended``: the loop reached its end; it did not if it was stopped or failed. ``tried`` gets each
    conversation, and ``noted`` returns more notes on each.
    """
    how = _How(judging, repeat, tried or Tried(), noted, ended and not exit_code)
    last: FinishedTest | None = None
    any_findings = False
    for one in served:
        for each in _test_results(one, endpoints, how):
            if last is not None:
                yield last
            last, any_findings = each, any_findings or bool(each.result.findings)
    if last is None:
        last = _no_request_result(served[0], endpoints, repeat)
        any_findings = True
    explained = any_findings or (0 <= (exit_code or 0) < _SIGNALLED and any(one.suite.failed for one in served))
    yield _with(last, _exit_finding(command, exit_code, how.tried)) if exit_code and not explained else last


def _test_results(served: Served, endpoints: Endpoints, how: _How) -> Iterator[FinishedTest]:
    """A result for each test on each wire, and for each conversation outside of tests."""
    not_served = endpoints.not_served(served.offer.name)
    naming = Naming(seen=served.suite.has_asked)
    for rounds in served.rounds.grouped():
        asked = [each for each in rounds if each.endpoint.recorder.exchanges]
        if not asked:
            continue
        judged = [_judged_round(each, served, how) for each in asked]
        test, outcome = gated(asked[0].test), served.suite.outcomes.get(asked[0].test)
        one = in_one(judged, naming.id(judged[0].finished.result, test), test, outcome)
        yield replace(one, result=replace(one.result, not_served=not_served)) if not_served else one
        not_served = {}  # they are those of the address, and reported once


def _judged_round(round: GroupedRound, served: Served, how: _How) -> JudgedRound:
    endpoint, wire = round.endpoint, round.endpoint.case.wire
    item, opened = served.offer.cases[served.offer.wires.index(wire)], served.opened[wire]
    trace = endpoint.recorder.trace()
    how.tried.add(endpoint)
    ended = is_over(round, served.suite, ended=how.ended)
    found, open_calls = _findings(item, endpoint, opened, trace, how.judging, ended=ended), list[str]()
    if round.has_twin:
        found = unless_first(found, trace)
    if has_passed(round, served.suite):
        found, open_calls = excused(found)
    result = _result(served, trace, tuple(filter(how.judging.counts, found)), how.repeat)
    tools = [tool.declaration.name for tool in item.scenario.tools]
    left = not_checked(item, opened, ended=ended)
    result = replace(
        result,
        conversations=counted(endpoint),
        notes=(
            *notes_of(endpoint, tools),
            *filter(None, [left]),
            *open_calls,
            *([] if round.test else how.noted(endpoint)),  # a runner prints what a test has compared
        ),
        names=names_of(tools, endpoint),
        summary=item.scenario.summary,
    )
    redactor = knowing_sent(opened.redactor) if opened.redactor else run_redactor()
    kept = _kept(Finished(result, trace), redactor, item.scenario.steps)
    counts = [(number, replace(each, begins=redactor.redact_text(each.begins))) for number, each in numbered(endpoint)]
    named = replace(round, test=gated(round.test), other=[(first, gated(test)) for first, test in round.other])
    return JudgedRound(named, kept, counts)


def _kept(finished: Finished, redactor: Redactor, script: Sequence[Step]) -> Finished:
    """The result without secrets."""
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
    """Whether the next request would have got an answer: a script may end with calls on purpose."""
    return endpoint.script is None or endpoint.script.upcoming is not None


def _no_request_result(served: Served, endpoints: Endpoints, repeat: str) -> FinishedTest:
    not_served = endpoints.not_served(served.offer.name)
    elsewhere = endpoints.not_served(None)
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
    return FinishedTest(replace(_result(served, trace, (finding,), repeat), not_served=not_served), trace)


def _exit_finding(command: Sequence[str], exit_code: int, tried: Tried) -> Finding:
    expected, got = "the command ends with exit code 0", f"it ended with {manner(exit_code)}"
    detail = ". ".join(filter(None, [shlex.join(command), tried.without_tools]))
    return Finding("target/exit", "MUST", "target", None, expected, got, detail)


def _with(finished: FinishedTest, finding: Finding) -> FinishedTest:
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
