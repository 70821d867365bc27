"""The findings of a case that has ended: from the rules, from its scenario's expectations, and from its source."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from harness.endpoint import CaseEndpoint
from harness.endpoint.providers import provider_hosts
from harness.finding import Finding, conversation_name, line_of, record_of
from harness.rules import Selection, judge, views
from harness.runner.conversations import counted, not_begun
from harness.runner.network import DOWNLOAD, host_of
from harness.runner.plan import PlannedCase
from harness.runner.sources import Opened
from harness.scenario import (
    CODING_AGENT,
    ScenarioLines,
    compare,
    compare_sent,
    filled,
    made_calls,
    unmet,
    values_returned,
)
from harness.scenario.words import shown
from harness.targets.base import Target
from harness.trace import (
    MAIN,
    RAISED,
    CallerRecord,
    EventRecord,
    Exchange,
    Failure,
    Record,
    RequestRecord,
    ResponseRecord,
    Trace,
)
from harness.trace.kinds import event_kind
from harness.wire import recognise, wire
from harness.wire.channels import channel

HUNG: Final = "target/end"
"""The rule of the finding that a loop has not ended in time."""


def judged(
    item: PlannedCase, endpoint: CaseEndpoint, opened: Opened, trace: Trace, rules: Selection
) -> tuple[tuple[Finding, ...], str | None]:
    """The findings of a case that has ended, or the reason why it cannot be judged.

    If no request was on the case's wire, or none belongs to the main conversation, this is the only finding: all others
    would be consequences of it.
    """
    try:
        other, wholly = _of_another_wire(trace)
        if other is None and trace.exchanges and not trace.main.exchanges:
            return (_without_main(item, endpoint, trace),), None
        found = [] if wholly else _findings(item, endpoint, opened, trace, rules)
        return (*([other] if other is not None else []), *found), None
    except Exception:  # noqa: BLE001 - a rule that crashes is this case's error, not the end of the run
        return (), traceback.format_exc()


def _without_main(item: PlannedCase, endpoint: CaseEndpoint, trace: Trace) -> Finding:
    """The finding that no request of the loop could be recognised as the conversation with the case's prompt."""
    prompt = next((text for role, text in item.scenario.prompt if role == "user"), "")
    begun = ", ".join(
        f"{each.requests} in '{each.name}', which begins {shown(each.begins)}" for each in counted(endpoint)
    )
    expected = f"a request that says {shown(prompt)}"
    line = line_of(trace.exchanges[0].request_at)
    return Finding(
        "target/conversation", "MUST", "target", line, expected, f"requests: {begun}", endpoint.apart.why_not_main
    )


def is_unreached(item: PlannedCase, target: Target, trace: Trace) -> bool:
    """Whether the loop should have sent a request to the endpoint and has not."""
    elsewhere = item.case.source != "script" or target.isolation != "in-process"
    return elsewhere and not trace.exchanges and not trace.connects and item.scenario.expect.requests != 0


def distrust(why: str, crash: str | None) -> str:
    """Why nothing reached the endpoint as a provider's host. ``why`` is how the TLS handshake ended."""
    text = (
        f"The TLS handshake failed: the loop does not trust the certificate authority of this run ({why}). "
        "With --as-provider the endpoint answers as the provider's host, with a certificate that is named by "
        "SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE and NODE_EXTRA_CA_CERTS: let the HTTP client of the loop "
        "read one of them, or give the loop the base URL and leave --as-provider out."
    )
    return text if crash is None else f"{text}\n{crash}"


def hung_finding(trace: Trace | None, why: str) -> Finding:
    """The finding that the loop has not ended in time. ``trace`` None: it was lost with the process of the loop.

    The first line of ``why`` is the reason; the other lines are the loop's output.
    """
    records = () if trace is None else trace.records
    at = line_of(len(records) - 1) if records else None
    seen = f"; what was last seen of it is {_seen(records[-1])}" if records else "; it has sent no request"
    seen = "" if trace is None else seen
    return Finding(HUNG, "MUST", "target", at, "the run to end", f"it did not end{seen}", why)


def _seen(record: Record) -> str:
    """A record of a trace in a few words."""
    match record:
        case EventRecord(event):
            name = getattr(event, "name", "")
            return f"the event {event_kind(event)}{f' of {name}' if name else ''}"
        case RequestRecord():
            return f"request {record.exchange + 1}, which was being answered"
        case ResponseRecord():
            return f"the answer to request {record.exchange + 1}: HTTP {record.status}"
        case CallerRecord():
            return f"what its caller did: {record.did}"
    return f"a record of {type(record).__name__}"


def unreached_finding(trace: Trace, blocked: Sequence[str], *, as_provider: bool = False) -> Finding:
    """The finding that no request reached the endpoint, and why, if the loop reported it. ``blocked``: refusals."""
    messages = [record.event.message for _, record in trace.events if isinstance(record.event, Failure)]
    why = (
        "No request has reached the endpoint: the target sends none, or it does not send them to the base URL that it "
        "was given, and another server answers them."
    )
    asked = [f"It tried to reach another host, and was blocked: {request}" for request in blocked[:3]]
    asked += _other_host(blocked, as_provider=as_provider)
    detail = "\n".join([why, *asked, *(f"It said: {message}" for message in messages[:3])])
    expected = f"requests on {trace.case.wire}"
    return Finding("target/request", "MUST", "target", None, expected, "no request", detail)


def unasked_runs(trace: Trace) -> Iterator[Finding]:
    """A finding for each later run of a coding agent that failed before it had sent a request.

    Its command is the user's own (``again`` in the target file) and may be the mistake.
    """
    if trace.case.profile != CODING_AGENT:
        return
    for number, run in enumerate(trace.runs[1:], 2):
        records = trace.records[run.start : run.stop]
        failures = [each.event for each in records if isinstance(each, EventRecord) and isinstance(each.event, Failure)]
        raised = [failure.message for failure in failures if failure.kind == RAISED]
        if raised and not any(isinstance(each, RequestRecord) for each in records):
            expected = f"a request of run {number}, which goes on with the conversation"
            detail = f"The run ended before it had asked for anything. It said: {raised[0]}"
            yield Finding("target/request", "MUST", "target", line_of(run.start), expected, "no request", detail)


def no_channel_finding(trace: Trace) -> Finding | None:
    """The finding that the loop opened no connection on the case's channel; None if it did."""
    if not trace.case.transport or trace.connects or not trace.exchanges:
        return None
    asked = channel(trace.case.transport)
    at = line_of(trace.exchanges[0].request_at)
    why = f"The case runs over {asked.many}, and says nothing of them where the loop opens none."
    return Finding("target/transport", "MUST", "target", at, asked.one, "requests over HTTP only", why)


def asked_wire(request: RequestRecord) -> str:
    """The request and its wire as text: ``POST /v1/chat/completions (openai-chat)``."""
    route = recognise(request.method, request.path)
    path = request.path.partition("?")[0]
    return f"{request.method} {path} ({route.wire if route is not None else 'no wire'})"


def _of_another_wire(trace: Trace) -> tuple[Finding | None, bool]:
    """The finding that the loop used another wire than the case's (or None), and whether it used only other wires.

    A dialect has the path of its wire, so it counts as that wire. Side conversations may use any wire if the main
    conversation uses the case's wire.
    """
    own = wire(trace.case.wire)
    foreign: list[Exchange] = []
    of_own = 0
    for exchange in trace.exchanges:
        request = exchange.request
        if own.route(request.method, request.path) is not None:
            of_own += 1
        elif recognise(request.method, request.path) is not None:
            foreign.append(exchange)
    if not foreign:
        return None, False
    switched = {record.wire for record in trace.records if isinstance(record, CallerRecord)}
    others = [each for each in foreign if _wire_of(each.request) not in switched]
    wholly = bool(others) and len(others) == of_own + len(foreign)
    for exchange in others:
        if wholly or exchange.request.conversation == 0:
            expected, got = f"requests on {trace.case.wire}", asked_wire(exchange.request)
            return Finding("target/wire", "MUST", "target", line_of(exchange.request_at), expected, got), wholly
    return None, False


def _wire_of(request: RequestRecord) -> str:
    route = recognise(request.method, request.path)
    return route.wire if route is not None else ""


def _other_host(blocked: Sequence[str], *, as_provider: bool) -> list[str]:
    """Advice if the loop connects to a provider's own host, or to another one."""
    host = next((host for host in map(host_of, blocked) if host in provider_hosts()), None)
    if host is None:
        return [DOWNLOAD] if blocked else []
    if as_provider:
        return [
            f"It connects to {host} without the proxy that HTTPS_PROXY names, so the endpoint cannot answer for it."
        ]
    return [f"It connects to {host} itself: give it the base URL of the case, or run with --as-provider."]


def _findings(
    item: PlannedCase, endpoint: CaseEndpoint, opened: Opened, trace: Trace, rules: Selection
) -> list[Finding]:
    found = [
        replace(finding, line=_line_of_answer(item.scenario.lines, trace, finding))
        for finding in found_by_rules(endpoint, trace, rules)
    ]
    if rules.whole:
        found += unasked_runs(trace)
        found += unrecorded(endpoint, trace)
        found += _not_found_by_rules(missed(item, endpoint, trace), found) if opened.scripted else ()
    return with_refusals(found, endpoint, trace)


def found_by_rules(endpoint: CaseEndpoint, trace: Trace, rules: Selection, *, over: bool = False) -> list[Finding]:
    """The findings of ``rules`` in the trace of a case; ``over`` as for ``views``.

    Requests and answers that its endpoint has parsed are not parsed again.
    """
    return judge(views(trace, endpoint.replies, endpoint.violations, endpoint.conversations, over=over), rules)


def with_refusals(found: Iterable[Finding], endpoint: CaseEndpoint, trace: Trace) -> list[Finding]:
    """The findings; those about a request that the endpoint refused get the status of the refusal."""
    refused = {
        line_of(exchange.request_at): exchange.response.status
        for exchange in trace.exchanges
        if exchange.request.exchange in endpoint.refused and exchange.response is not None
    }
    return [replace(each, refused=None if each.at is None else refused.get(each.at)) for each in found]


_RUNS = ("execution/arguments", "final/stopped-call", "final/failed-turn")
"""The rules that find executed calls that must not be executed."""


def _not_found_by_rules(unmet: Sequence[Finding], found: Sequence[Finding]) -> list[Finding]:
    """The unmet expectations, without tool runs that a rule has already found in the same record."""
    found_at = {each.at for each in found if each.rule in _RUNS}
    return [each for each in unmet if each.rule != "expect/not_ran" or each.at not in found_at]


def unrecorded(endpoint: CaseEndpoint, trace: Trace) -> Iterator[Finding]:
    """Requests that no recording answers, and recordings that no request asked for."""
    for number, unknown in endpoint.unknown:
        at = trace.exchanges[number].request_at
        yield Finding("cassette/miss", "MUST", "replay", line_of(at), unknown.expected, unknown.got, unknown.why)
    for recording in endpoint.left:
        yield Finding("cassette/unplayed", "MUST", "replay", None, recording, "no such request")


def missed(item: PlannedCase, endpoint: CaseEndpoint, trace: Trace) -> list[Finding]:
    """The expectations of the scenario that were not met."""
    histories = {
        at: full
        for at, (asked, full) in endpoint.conversations.items()
        if asked.continues is not None or asked.messages != full.messages  # turns, or items of turns, are only named
    }
    lines = item.scenario.lines
    made = made_calls(endpoint.apart.main.issued.replies)
    expect = filled(item.scenario.expect, values_returned(made, item.scenario.tools))
    not_met = compare(expect, trace.main, histories, made, over=item.scenario.transport)
    places = trace.places_of(MAIN) if not_met else ()
    found = [replace(_in_files(each, lines, places), since=_certain_since(each.rule, item, trace)) for each in not_met]
    found += _unresolved_members(item, endpoint, trace)
    found += _sent_beside(item, endpoint, trace)
    for moment in endpoint.unreached:
        finding = unmet("timeline", f"the moment at which {moment}", "the case has ended before")
        found.append(_in_files(finding, lines, ()))
    for mark in not_begun(item.case, item.scenario, endpoint):
        expected = f"a conversation beside the main one that says {mark}"
        found.append(_in_files(unmet("subagents", expected, "none"), lines, ()))
    if endpoint.overrun:
        scripted = len(item.scenario.steps)
        expected = f"at most {_requests(scripted)}: the script has no more answers"
        one = _in_files(unmet("requests", expected, _requests(scripted + endpoint.overrun)), lines, ())
        found.append(replace(one, since=_certain_of_number(scripted, _asked_at(trace), trace)))
    return found


def _sent_beside(item: PlannedCase, endpoint: CaseEndpoint, trace: Trace) -> Iterator[Finding]:
    """Findings about content that the scenario expects in side conversations and that they have not sent."""
    lines = item.scenario.lines
    for each in endpoint.apart:
        if each.script is None or item.case.source != "script":
            continue
        places = trace.places_of(each.number)
        for finding in compare_sent(item.scenario.beside[each.script].sent, trace.of(each.number)):
            line = lines.beside[each.script] if lines is not None and lines.beside else None
            name = conversation_name(each.number)
            yield replace(_in_files(finding, lines, places), line=line, conversation=name)


def _unresolved_members(item: PlannedCase, endpoint: CaseEndpoint, trace: Trace) -> Iterator[Finding]:
    """Findings about members of results that an answer of the script names but the answered request lacks."""
    steps, lines = item.scenario.steps, item.scenario.lines
    for number, step, each in endpoint.unresolved:
        path = ".".join(each.member.path)
        expected = f"the result of call {each.member.call} ({each.tool}) with {path!r}, which the next answer uses"
        finding = unmet("results", expected, each.got, trace.exchanges[number].request_at)
        line = None
        if lines is not None:
            line = lines.steps[steps.index(step)] if step in steps else lines.expect
        yield replace(finding, line=line)


def _requests(number: int) -> str:
    return f"{number} request{'' if number == 1 else 's'}"


def _certain_since(rule: str, item: PlannedCase, trace: Trace) -> int | None:
    """The line from which on it is certain that the number of turns or requests is not the expected one."""
    expect = item.scenario.expect
    if rule == "expect/turns" and expect.turns is not None:
        answered = [
            at for exchange, at in _main_exchanges(trace) if exchange.response is None or exchange.response.is_turn
        ]
        return _certain_of_number(expect.turns, answered, trace)
    if rule == "expect/requests" and expect.requests is not None:
        return _certain_of_number(expect.requests, _asked_at(trace), trace)
    return None


def _certain_of_number(expected: int, asked: Sequence[int], trace: Trace) -> int | None:
    """The place that makes a wrong number certain: the first extra request, or the end if there are too few."""
    return line_of(asked[expected] if len(asked) > expected else len(trace.records) - 1)


def _main_exchanges(trace: Trace) -> list[tuple[Exchange, int]]:
    """The exchanges of the main conversation, each with the place of its request in the whole trace."""
    return [(each, each.request_at) for each in trace.served if each.request.conversation == MAIN]


def _asked_at(trace: Trace) -> list[int]:
    return [at for _, at in _main_exchanges(trace)]


def _in_files(missed: Finding, lines: ScenarioLines | None, places: Sequence[int]) -> Finding:
    """A missed expectation, with its lines in the scenario's file and in the whole trace.

    ``places`` are the places of the main conversation's records in the whole trace.
    """
    key = missed.rule.removeprefix("expect/")
    return replace(
        missed,
        at=None if missed.at is None else line_of(places[record_of(missed.at)]),
        line=None if lines is None else lines.expected.get(key, lines.expect),
    )


def _line_of_answer(lines: ScenarioLines | None, trace: Trace, finding: Finding) -> int | None:
    """The scenario's line with the last answer before a finding, because a wrong request mishandles that answer.
    None before the first answer, and in side conversations."""
    if finding.conversation:
        return None
    asked = (exchange.request for exchange in trace.served if line_of(exchange.request_at) < (finding.at or 0))
    answers = sum(request.conversation == MAIN for request in asked)
    return lines.steps[min(answers, len(lines.steps)) - 1] if lines is not None and answers else None
