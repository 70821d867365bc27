"""The rules about what servers and gateways send, against answers that are broken on purpose, and sound ones."""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from itertools import product

from harness.finding import Finding
from harness.servers.rules import compare, compare_forms, compare_returned, judge_response, rules_of
from harness.servers.rules.table import HISTORY, PHASE, SAME, SIGNATURE, TRANSFER_RULES
from harness.wire import OWN_NATIVE_WIRES, Message, Part, Text, Turn, WireName, wire
from harness_lab.mutants.responses import ServedAnswer, answers_of, response_mutants, served
from harness_lab.mutants.responses.answers import asked
from harness_lab.mutants.responses.mutant import ResponseMutant
from harness_lab.mutants.responses.transfers import TRANSFERS, TransferMutant, transferred
from harness_lab.selftest.mutant_run import NOTHING, Family, Found, MutantRun
from harness_lab.selftest.probes import probes_of

_USUAL = tuple(name for name in OWN_NATIVE_WIRES if not wire(name).on_request)
"""The wires between which gateways are tried."""

_ERRORS = ("HTTP 401", "HTTP 429", "HTTP 500", "HTTP 529")


async def server_families(wires: tuple[WireName, ...]) -> AsyncIterator[Family]:
    """The servers of each wire that has rules about them, then servers that are probed, then gateways with one of these
    wires on a side."""
    for name in wires:
        if wire(name).strict is not None and wire(name).native:
            yield servers_of(name)
    for name in wires:
        if wire(name).probe is not None and wire(name).native:
            yield await probes_of(name)
    pairs = [pair for pair in product(_USUAL, _USUAL) if not set(pair).isdisjoint(wires)]
    if pairs:
        yield gateways(pairs)


# --- servers --------------------------------------------------------------------------------------------------


def servers_of(name: WireName) -> Family:
    """Every rule that one answer of a wire's servers can break, against every edit of its answers."""
    rules = tuple(rule.id for rule in rules_of(name) if rule.shown_by == "answer")
    runs = tuple(run for mutant in response_mutants(name) for run in _mutant(name, mutant))
    return Family(f"servers {wire(name).label}", rules, runs, tuple(_clean(name)))


def _clean(name: WireName) -> Iterator[MutantRun]:
    for what in (*answers_of(name), *_ERRORS):
        for stream in (True, False):
            answer = _served(name, what, stream=stream)
            form = "streamed" if stream else "whole"
            # A stream that ends without its end breaks the rules about that.
            if not (stream and what == "no end"):
                yield MutantRun(what, form, found=tuple(map(_found, judge_response(name, answer.response))))


def _served(name: WireName, what: str, *, stream: bool) -> ServedAnswer:
    own = answers_of(name)
    return served(name, own.get(what, what), stream=stream)


def _mutant(name: WireName, mutant: ResponseMutant) -> Iterator[MutantRun]:
    for what in mutant.on:
        sent = _served(name, what, stream=mutant.stream)
        for rule in mutant.rules:
            run = MutantRun(mutant.name, what, (rule,), summary=mutant.summary)
            yield _tried(run, sent, mutant)


def _tried(run: MutantRun, sent: ServedAnswer, mutant: ResponseMutant) -> MutantRun:
    try:
        came = mutant.edit(sent)
        if came is None or came == sent:
            return replace(run, unsound=NOTHING)
        findings = [*judge_response(came.wire, came.response), *compare(sent.side, came.side)]
        return replace(run, found=tuple(map(_found, findings)))
    except Exception:  # noqa: BLE001 - a check or an edit that crashes is reported as that, and the others go on
        return replace(run, crash=traceback.format_exc())


def _found(finding: Finding) -> Found:
    return Found(finding.id, finding.level, finding.detail, finding.expected, finding.got)


# --- gateways -------------------------------------------------------------------------------------------------


def gateways(pairs: Sequence[tuple[WireName, WireName]]) -> Family:
    """Every rule about what gets through, against an identity gateway with one fault each.

    ``pairs`` are the wire of the upstream and the wire of the client. A fault counts only if it changes what a client
    gets: not every wire can express it.
    """
    wires = tuple(dict.fromkeys(client for _, client in pairs))
    runs = [run for mutant in TRANSFERS for pair in pairs for run in _through(mutant, *pair)]
    runs += [made(name) for name in wires for made in (_form, _history)]
    edits = [run for name in wires for run in _edits(name)]
    unsayable = {PHASE.id} if all("phase" in wire(name).lacks for name in wires) else set()
    rules = tuple(rule.id for rule in TRANSFER_RULES if rule.id not in unsayable)
    return Family("gateways", rules, (*runs, *edits), tuple(_sound(*pair) for pair in pairs))


def _edits(name: WireName) -> Iterator[MutantRun]:
    """The edits of a wire's own answers that remove what a gateway would invent when it renders them anew."""
    for mutant in response_mutants(name):
        for run in _mutant(name, mutant):
            if run.named in ((SIGNATURE.id,), (PHASE.id,)):
                yield replace(run, on=f"{run.on}, {wire(name).label}")


def _sound(upstream: WireName, client: WireName) -> MutantRun:
    """A gateway without a fault, between two wires."""
    found = [
        _found(finding)
        for what in (*answers_of(upstream), *_ERRORS)
        for stream in (True, False)
        if not (what == "no end" and not stream)
        for sent in [_served(upstream, what, stream=stream)]
        for finding in compare(sent.side, transferred(sent, client).side)
        if finding.level != "INFO"
    ]
    return MutantRun("no fault", _pair(upstream, client), found=tuple(found))


def _pair(upstream: WireName, client: WireName) -> str:
    return f"{wire(upstream).label} to {wire(client).label}"


def _through(mutant: TransferMutant, upstream: WireName, client: WireName) -> Iterator[MutantRun]:
    for what in mutant.on:
        if mutant.content in wire(client).lacks:
            return
        sent = served(upstream, what, stream=True)
        right, wrong = transferred(sent, client), transferred(sent, client, mutant)
        if right == wrong or not _is_sayable(right, wrong):
            continue
        run = MutantRun(mutant.name, f"{what}, {_pair(upstream, client)}", (mutant.rule,), summary=mutant.summary)
        yield replace(run, found=tuple(map(_found, compare(sent.side, wrong.side))))


def _is_sayable(right: ServedAnswer, wrong: ServedAnswer) -> bool:
    """Whether the client gets something else than without the fault, in neutral words."""
    one, other = right.side, wrong.side
    if one.reply is None or other.reply is None:
        return one.status != other.status
    return repr(one.reply.turn) != repr(other.reply.turn)  # two turns are equal whatever their phases


def _history(name: WireName) -> MutantRun:
    """A gateway that sends calls back as text. Calls that come back unchanged must be clean."""
    sent = served(name, "a call", stream=False).side.reply
    assert sent is not None  # noqa: S101 - it is an answer
    before = asked(name, stream=False)

    def found(*parts: Part) -> tuple[Found, ...]:
        following = replace(before, messages=(*before.messages, Message("assistant", parts, "")))
        return tuple(map(_found, compare_returned(sent, before, following)))

    run = MutantRun("calls-as-text", wire(name).label, (HISTORY.id,), summary="Calls come back to the model as text.")
    if found(*sent.turn.parts):
        return replace(run, unsound="calls that come back as they were are found, too")
    return replace(run, found=found(Text(f"Tool call: {sent.turn.calls[0].name}")))


def _form(name: WireName) -> MutantRun:
    """A server whose stream contains less than its whole answer."""
    whole = served(name, "a call", stream=False)
    stream = served(name, Turn(whole.side.reply.turn.calls) if whole.side.reply else "text", stream=True)
    run = MutantRun("less-in-streams", wire(name).label, (SAME.id,), summary="A stream says less than a whole answer.")
    return replace(run, found=tuple(map(_found, compare_forms(stream.side, whole.side))))
