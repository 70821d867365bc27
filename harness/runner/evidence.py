"""What is wrong with a case that has ended: findings of the rules, and what its scenario and its source wanted."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from harness.gateway import CaseEndpoint
from harness.gateway.providers import HOSTS
from harness.rules import Finding, Selection, judge, readings
from harness.runner.conversations import counted, not_begun
from harness.runner.network import host_of
from harness.runner.plan import PlannedCase
from harness.runner.results import Evidence, conversation_name
from harness.runner.sources import Opened
from harness.scenario import Lines, Mismatch, compare
from harness.scenario.words import shown
from harness.targets.base import Target
from harness.trace import MAIN, Exchange, Failure, RequestRecord, Trace
from harness.wire import Wire, WireName, recognise, wire

__all__ = [
    "asked_wire",
    "distrust",
    "evidence_of",
    "is_unreached",
    "judged",
    "missed",
    "unreached_evidence",
    "unrecorded",
    "with_refusals",
]


def judged(
    item: PlannedCase, desk: CaseEndpoint, opened: Opened, trace: Trace, rules: Selection
) -> tuple[tuple[Evidence, ...], str | None]:
    """What is wrong with a case that has ended, or why that cannot be said.

    Where no request was on the case's wire, or none belongs to the main conversation, that is all: the rest would be a
    consequence of it.
    """
    try:
        other, wholly = _of_another_wire(trace)
        if other is None and trace.exchanges and not trace.main.exchanges:
            return (_without_main(item, desk, trace),), None
        found = [] if wholly else _evidence(item, desk, opened, trace, rules)
        return (*([other] if other is not None else []), *found), None
    except Exception:  # noqa: BLE001 - a rule that crashes is this case's error, not the end of the run
        return (), traceback.format_exc()


def _without_main(item: PlannedCase, desk: CaseEndpoint, trace: Trace) -> Evidence:
    """The loop has asked, but nothing that could be taken for the conversation of the case's prompt."""
    prompt = next((text for role, text in item.scenario.prompt if role == "user"), "")
    begun = ", ".join(f"{each.requests} in '{each.name}', which begins {shown(each.begins)}" for each in counted(desk))
    expected = f"a request that says {shown(prompt)}"
    line = _line(trace.exchanges[0].request_at)
    return Evidence(
        "target/conversation", "MUST", "target", line, expected, f"requests: {begun}", desk.apart.why_not_main
    )


def is_unreached(item: PlannedCase, target: Target, trace: Trace) -> bool:
    """Whether the loop should have asked the endpoint, and has not."""
    elsewhere = item.case.source != "script" or target.placement != "in-process"
    return elsewhere and not trace.exchanges and item.scenario.expect.requests != 0


def distrust(why: str, crash: str | None) -> str:
    """Why nothing has reached the endpoint as a provider's host. ``why`` is how the TLS handshake ended."""
    text = (
        f"The TLS handshake failed: the loop does not trust the certificate authority of this run ({why}). "
        "With --as-provider the endpoint answers as the provider's host, with a certificate that is named by "
        "SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE and NODE_EXTRA_CA_CERTS: let the HTTP client of the loop "
        "read one of them, or give the loop the base URL and leave --as-provider out."
    )
    return text if crash is None else f"{text}\n{crash}"


def unreached_evidence(trace: Trace, strays: Sequence[str], *, as_provider: bool = False) -> Evidence:
    """No request has reached the endpoint; why, as far as the loop has said. ``strays``: what was refused."""
    said = [told.event.message for _, told in trace.events if isinstance(told.event, Failure)]
    why = (
        "No request has reached the endpoint: the target sends none, or it does not send them to the base URL that it "
        "was given, and another server answers them."
    )
    asked = [f"It tried to reach another host, and was blocked: {stray}" for stray in strays[:3]]
    asked += _providers_host(strays, as_provider=as_provider)
    detail = "\n".join([why, *asked, *(f"It said: {message}" for message in said[:3])])
    expected = f"requests on {trace.case.wire}"
    return Evidence("target/request", "MUST", "target", None, expected, "no request", detail)


def asked_wire(request: RequestRecord) -> str:
    """The request with the wire that it speaks: ``POST /v1/chat/completions (openai-chat)``."""
    route = recognise(request.method, request.path)
    path = request.path.partition("?")[0]
    return f"{request.method} {path} ({route.wire if route is not None else 'no wire'})"


def _of_another_wire(trace: Trace) -> tuple[Evidence | None, bool]:
    """The finding of a case whose loop has asked on another wire than the case's, and whether it asked on no other.

    A dialect has the path of its wire, and so is that wire. Side conversations may ask as they like, beside a main one
    that keeps to the wire.
    """
    own = wire(cast(WireName, trace.case.wire))
    requests = [exchange for exchange in trace.exchanges if _is_of(own, exchange.request) is not None]
    others = [exchange for exchange in requests if not _is_of(own, exchange.request)]
    wholly = bool(others) and len(others) == len(requests)
    for exchange in others:
        if wholly or exchange.request.conversation == 0:
            expected, got = f"requests on {trace.case.wire}", asked_wire(exchange.request)
            return Evidence("target/wire", "MUST", "target", _line(exchange.request_at), expected, got), wholly
    return None, False


def _is_of(own: Wire, request: RequestRecord) -> bool | None:
    """Whether the request is one of the wire ``own``; None where it is of no wire at all."""
    if own.route(request.method, request.path) is not None:
        return True
    return False if recognise(request.method, request.path) is not None else None


def _providers_host(strays: Sequence[str], *, as_provider: bool) -> list[str]:
    """What to do where the loop connects to a provider's own host."""
    host = next((host for host in map(host_of, strays) if host in HOSTS), None)
    if host is None:
        return []
    if as_provider:
        return [
            f"It connects to {host} without the proxy that HTTPS_PROXY names, so the endpoint cannot answer for it."
        ]
    return [f"It connects to {host} itself: give it the base URL of the case, or run with --as-provider."]


def _evidence(item: PlannedCase, desk: CaseEndpoint, opened: Opened, trace: Trace, rules: Selection) -> list[Evidence]:
    known = readings(trace, desk.replies, desk.violations, desk.conversations)
    found = [
        replace(evidence_of(finding, trace), line=_line_of_answer(item.scenario.lines, trace, finding))
        for finding in judge(known, rules)
    ]
    if rules.whole:
        found += unrecorded(desk, trace)
        found += _untold(missed(item, desk, trace), found) if opened.scripted else ()
    return with_refusals(found, desk, trace)


def with_refusals(found: Iterable[Evidence], desk: CaseEndpoint, trace: Trace) -> list[Evidence]:
    """The same, each with the status of the refusal where it is about a request that the endpoint refused."""
    refused = {
        _line(exchange.request_at): exchange.response.status
        for exchange in trace.exchanges
        if exchange.request.exchange in desk.refused and exchange.response is not None
    }
    return [replace(each, refused=refused.get(each.at)) for each in found]


_RUNS = ("execution/arguments", "final/stopped-call", "final/failed-turn")
"""The rules that find runs of calls that must not run."""


def _untold(unmet: Sequence[Evidence], found: Sequence[Evidence]) -> list[Evidence]:
    """The expectations that were not met, without runs of tools that a rule has found in the same record."""
    told = {each.at for each in found if each.rule in _RUNS}
    return [each for each in unmet if each.rule != "expect/not_ran" or each.at not in told]


def unrecorded(desk: CaseEndpoint, trace: Trace) -> Iterator[Evidence]:
    """Requests that no recording answers, and recordings that no request asked for."""
    for number, unknown in desk.unknown:
        at = trace.exchanges[number].request_at
        yield Evidence("cassette/miss", "MUST", "replay", _line(at), unknown.expected, unknown.got, unknown.why)
    for recording in desk.left:
        yield Evidence("cassette/unplayed", "MUST", "replay", None, recording, "no such request")


def missed(item: PlannedCase, desk: CaseEndpoint, trace: Trace) -> list[Evidence]:
    """The expectations of the scenario that were not met."""
    histories = {at: full for at, (asked, full) in desk.conversations.items() if asked.continues is not None}
    places = trace.places_of(MAIN)
    unmet = [
        replace(_mismatch(mismatch, item.scenario.lines, places), since=_certain_since(mismatch.what, item, trace))
        for mismatch in compare(item.scenario.expect, trace.main, histories)
    ]
    for mark in not_begun(item, desk):
        expected = f"a conversation beside the main one that says {mark}"
        unmet.append(_mismatch(Mismatch("subagents", expected, "none"), item.scenario.lines, ()))
    if desk.overrun:
        scripted = len(item.scenario.steps)
        got = _requests(scripted + desk.overrun)
        one = _mismatch(
            Mismatch("requests", f"at most {_requests(scripted)}: the script has no more answers", got),
            item.scenario.lines,
            (),
        )
        unmet.append(replace(one, since=_certain_of_number(scripted, _asked_at(trace), trace)))
    return unmet


def _requests(number: int) -> str:
    return f"{number} request{'' if number == 1 else 's'}"


def _certain_since(what: str, item: PlannedCase, trace: Trace) -> int | None:
    """From which line on it is certain that a number of turns or requests is not the one that the scenario expects."""
    expect = item.scenario.expect
    if what == "turns" and expect.turns is not None:
        answered = [at for exchange, at in _asked(trace) if exchange.response is None or exchange.response.status < 300]
        return _certain_of_number(expect.turns, answered, trace)
    if what == "requests" and expect.requests is not None:
        return _certain_of_number(expect.requests, _asked_at(trace), trace)
    return None


def _certain_of_number(expected: int, asked: Sequence[int], trace: Trace) -> int | None:
    """One request too many is certain when it is made, one too few at the end."""
    return _line(asked[expected] if len(asked) > expected else len(trace.records) - 1)


def _asked(trace: Trace) -> list[tuple[Exchange, int]]:
    """The exchanges of the main conversation with the places of their requests in the whole trace."""
    return [(each, each.request_at) for each in trace.served if each.request.conversation == MAIN]


def _asked_at(trace: Trace) -> list[int]:
    return [at for _, at in _asked(trace)]


def _mismatch(mismatch: Mismatch, lines: Lines | None, places: Sequence[int]) -> Evidence:
    """``places`` are those of the main conversation's records in the whole trace."""
    return Evidence(
        f"expect/{mismatch.what}",
        "MUST",
        "expectation",
        None if mismatch.at is None else _line(places[mismatch.at]),
        mismatch.expected,
        mismatch.got,
        line=None if lines is None else lines.expected.get(mismatch.what, lines.expect),
    )


def evidence_of(finding: Finding, trace: Trace) -> Evidence:
    """A rule's finding as results report it. ``trace`` is the whole one that was judged."""
    rule = f"{finding.rule} ({finding.reference})" if finding.reference else finding.rule
    return Evidence(
        rule,
        finding.level,
        finding.klass,
        _line(finding.at),
        finding.expected,
        finding.got,
        finding.detail,
        conversation=conversation_name(finding.conversation),
        answer=_line(_answer_before(finding, trace)),
    )


def _answer_before(finding: Finding, trace: Trace) -> int | None:
    """The place of the last response before a finding in its conversation."""
    ended = (each.response_at for each in trace.exchanges if each.request.conversation == finding.conversation)
    return max((at for at in ended if at is not None and at < finding.at), default=None)


def _line(record: int | None) -> int | None:
    """The line of the trace file that holds a record: the header is line 1."""
    return None if record is None else record + 2


def _line_of_answer(lines: Lines | None, trace: Trace, finding: Finding) -> int | None:
    """The line of the scenario that holds the last answer before a finding: a request goes wrong in what it makes of
    the answer before it. None before the first, and beside the main conversation."""
    if finding.conversation != MAIN:
        return None
    asked = (exchange.request for exchange in trace.served if exchange.request_at < finding.at)
    answers = sum(request.conversation == MAIN for request in asked)
    return lines.steps[min(answers, len(lines.steps)) - 1] if lines is not None and answers else None
