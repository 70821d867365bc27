"""The findings of a case: at the client, and in what came back to the model.

At the client each answer is judged by the grammar of its wire, and compared with what our model sent. At the model each
request is judged by the wire's own rules against what the model sent to that client before. A mistake in the requests
of only one of the two clients counts less: users of the other client are not affected.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

from harness.finding import Finding, Level, line_of
from harness.servers.asking import LATE
from harness.servers.clients import CLIENTS, ClientKind
from harness.servers.playing import ClientExchange, PlayedCase
from harness.servers.rules import (
    AnswerSide,
    ReceivedResponse,
    about_thinking,
    compare,
    compare_forms,
    compare_returned,
    judge_response,
    same_forms,
    thinking_is_lost,
    unsigned,
)
from harness.trace import Exchange
from harness.wire import Conversation, IssuedState, Reply
from harness.wire import wire as wire_named
from harness.wire.lenient import Json

REACHED: Final = "gateway/request"
"""The rule that a client's request reaches the model."""

ANSWERED: Final = "gateway/answer"
"""The rule that a client gets an answer."""

_LONGEST: Final = 300


def findings(played: PlayedCase) -> list[Finding]:
    """All findings of a case, in the order of its trace."""
    exchanges = {each.request.exchange: each for each in played.trace.exchanges}
    found: list[Finding] = []
    for each in played.exchanges:
        found += _at_client(played, each, exchanges)
    found += _at_model(played, exchanges)
    return sorted(found, key=lambda each: each.at or 0)


def forms_findings(streamed: PlayedCase, whole: PlayedCase) -> list[Finding]:
    """What differs between the first answers of a case that is streamed and the same case that is not.

    Each finding is one of the streamed case.
    """
    one, other = streamed.exchanges[0], whole.exchanges[0]
    if not (_is_whole(one.reply) and _is_whole(other.reply)) or _model_differs(streamed, whole):
        return []
    exchange = next(each for each in streamed.trace.exchanges if each.request.exchange == one.exchange)
    compared = compare_forms(_got(streamed, one), _got(whole, other))
    return [_at_line(each, exchange.response_at, "at the client") for each in compared]


def _model_differs(streamed: PlayedCase, whole: PlayedCase) -> bool:
    """Whether our model has not sent the same: there are wires whose documents cannot say what their streams can."""
    sides = []
    for played in (streamed, whole):
        exchanges = {each.request.exchange: each for each in played.trace.exchanges}
        numbers = played.exchanges[0].upstream
        if not numbers:
            return True
        sides.append(_sent(played, numbers[-1], exchanges))
    return not same_forms(*sides)


def has_loss(finding: Finding) -> bool:
    """Whether the finding reports that something from the model did not reach a client unchanged."""
    return finding.rule == "server/loss" and finding.level != "INFO"


def notes(played: PlayedCase) -> tuple[str, ...]:
    """Notes for a reader: in which format the model was asked, and how often."""
    return tuple(dict.fromkeys(_notes(played)))


def _notes(played: PlayedCase) -> Iterator[str]:
    meant = played.planned.upstream.wire
    for each in played.exchanges:
        arrived = [asked.wire for number in each.upstream if (asked := _conversation_of(played, number)) is not None]
        for name in dict.fromkeys(arrived):
            if name != meant:
                yield f"the model is asked on {name}, where {meant} was meant"
        if len(each.upstream) > 1:
            yield f"{len(each.upstream)} requests reach the model for one of the client"


# --- at the client ----------------------------------------------------------------------------------------------


def _at_client(played: PlayedCase, each: ClientExchange, exchanges: dict[int, Exchange]) -> Iterator[Finding]:
    own = exchanges[each.exchange]
    who = "at the client" if each.kind is None else f"at the {each.kind} client"
    if each.answered.broken.startswith(LATE):
        late = Finding(ANSWERED, "MUST", "target", None, "an answer", each.answered.broken)
        yield _at_line(late, own.response_at, who)
        return
    if not each.upstream:
        got = f"HTTP {each.answered.status}: {_shown(each.answered.body)}"
        unreached = Finding(REACHED, "MUST", "target", None, "a request to the model", got)
        yield _at_line(unreached, own.response_at, who)
        return
    sent = _sent(played, each.upstream[-1], exchanges)
    if sent.refused or sent.is_whole:  # how a cut answer looks to the client is for the comparison to say
        for finding in judge_response(played.planned.client, _received_response(played, each, sent)):
            yield _at_line(finding, own.response_at, who)
    for finding in compare(sent, _got(played, each)):
        yield _at_line(finding, own.response_at, who)


def _sent(played: PlayedCase, number: int, exchanges: dict[int, Exchange]) -> AnswerSide:
    """What the model has sent in an exchange."""
    response, asked = exchanges[number].response, _conversation_of(played, number)
    return AnswerSide(
        wire=asked.wire if asked is not None else played.planned.upstream.wire,
        reply=played.endpoint.replies.get(number),
        status=200 if response is None else response.status,
        request=_object(exchanges[number].request.body),
        streamed=asked is None or asked.stream,
    )


def _got(played: PlayedCase, each: ClientExchange) -> AnswerSide:
    """What the client has got."""
    return AnswerSide(
        wire=played.planned.client,
        reply=each.reply,
        status=each.answered.status,
        request=_object(each.asked.body),
        streamed=played.planned.stream,
        body=each.answered.body,
    )


def _received_response(played: PlayedCase, each: ClientExchange, sent: AnswerSide) -> ReceivedResponse:
    before = [one for one in played.branch(each.kind or "official") if one.turn < each.turn and one.reply is not None]
    earlier = frozenset(call.id for one in before if one.reply for call in one.reply.turn.calls if call.id)
    return ReceivedResponse(
        content_type=each.answered.content_type,
        body=each.answered.body,
        status=each.answered.status,
        request=_object(each.asked.body),
        earlier_ids=earlier,
        unsigned=unsigned(sent),
    )


# --- at the model -----------------------------------------------------------------------------------------------


def _at_model(played: PlayedCase, exchanges: dict[int, Exchange]) -> list[Finding]:
    """The findings of the model's wire about the requests. A mistake that both clients make is reported once."""
    first = [each for each in played.exchanges if each.kind is None]
    shared = [
        found for each in first for number in each.upstream for found in _of_request(played, number, (), exchanges)
    ]
    by_client = {kind: _of_branch(played, kind, exchanges) for kind in CLIENTS if _asks_alone(played, kind)}
    unsayable: list[Finding] = []
    if "official" in by_client and _loses_all_thinking(played):
        unsayable = [each for each in by_client["official"] if about_thinking(each)]
        by_client["official"] = [each for each in by_client["official"] if each not in unsayable]
    why = "the client's format has no member for it"
    lowered = [replace(each, level="INFO", detail=_with(each.detail, why)) for each in unsayable]
    return [*shared, *lowered, *_merged_findings(by_client)]


def _loses_all_thinking(played: PlayedCase) -> bool:
    """Whether the official client gets no member with which it could send the model's thinking back."""
    return thinking_is_lost(list(played.endpoint.replies.values()), played.planned.client)


def _asks_alone(played: PlayedCase, kind: ClientKind) -> bool:
    return any(each.kind == kind for each in played.exchanges)


def _merged_findings(by_client: dict[ClientKind, list[Finding]]) -> Iterator[Finding]:
    if len(by_client) < len(CLIENTS):  # the other client would send the same, or nothing
        for found in by_client.values():
            yield from found
        return
    official, echo = (by_client[kind] for kind in CLIENTS)
    in_echo = {_identity(each) for each in echo}
    for each in official:
        yield each if _identity(each) in in_echo else _of_one(each, "the official client alone")
    in_official = {_identity(each) for each in official}
    for each in echo:
        if _identity(each) not in in_official:
            yield _of_one(each, "the echo client alone")


def _identity(finding: Finding) -> tuple[str, str]:
    return finding.id, finding.provider.place if finding.provider is not None else ""


def _of_one(finding: Finding, words: str) -> Finding:
    level: Level | Literal[""] = "SHOULD" if finding.level == "MUST" else finding.level
    if finding.provider is not None:  # whose words are shown in place of the detail
        return replace(finding, level=level, got=_with(finding.got, words))
    return replace(finding, level=level, detail=_with(finding.detail, words))


def _of_branch(played: PlayedCase, kind: ClientKind, exchanges: dict[int, Exchange]) -> list[Finding]:
    """The findings in the requests of one client after the first."""
    found: list[Finding] = []
    branch, before = played.branch(kind), tuple[int, ...]()
    for each in branch:
        if each.kind is not None:
            for number in each.upstream:
                found += _of_request(played, number, before, exchanges)
        before = (*before, *each.upstream[-1:])
    return found


def _of_request(
    played: PlayedCase, number: int, before: Sequence[int], exchanges: dict[int, Exchange]
) -> Iterator[Finding]:
    """What is wrong in a request, against the answers in the exchanges ``before`` it."""
    at = exchanges[number].request_at
    asked = _conversation_of(played, number)
    if asked is None:  # the endpoint could not read it, and has said why
        yield from (_at_line(each, at, "at the model") for of, each in played.endpoint.violations if of == number)
        return
    speaker, issued = wire_named(asked.wire), IssuedState()
    for one in before:
        answered = _conversation_of(played, one)
        if answered is not None and one in played.endpoint.replies:
            issued.add(answered, played.endpoint.replies[one])
    same_wire = issued.of(asked.wire)
    resolved = speaker.resolve(asked, same_wire)
    for finding in speaker.violations(resolved, same_wire):
        named = replace(finding, rule=f"continuation/{asked.wire}", impact="invalid")
        yield _at_line(named, at, "at the model")
    for finding in _return_findings(played, before, resolved):
        yield _at_line(finding, at, "at the model")


def _return_findings(played: PlayedCase, before: Sequence[int], following: Conversation) -> list[Finding]:
    """Findings on how the last answer comes back in a request, if the model is asked in the same format again."""
    sent = played.endpoint.replies.get(before[-1]) if before else None
    asked = _conversation_of(played, before[-1]) if before else None
    if sent is None or asked is None or asked.wire != following.wire:
        return []
    return compare_returned(sent, asked, following)


def _conversation_of(played: PlayedCase, number: int) -> Conversation | None:
    """The request of an exchange as it was read; None where it could not be."""
    found = played.endpoint.conversations.get(number)
    return None if found is None else found[0]


# --- small things -----------------------------------------------------------------------------------------------


def _at_line(finding: Finding, record: int | None, who: str) -> Finding:
    """The finding at a line of the trace. It counts even where its rule says no impact."""
    at = None if record is None else line_of(record)
    return replace(finding, at=at, impact=finding.impact or "invalid", detail=_with(finding.detail, who))


def _with(detail: str, words: str) -> str:
    return f"{detail}; {words}" if detail else words


def _is_whole(reply: Reply | None) -> bool:
    return reply is not None and reply.complete and reply.turn.error is None


def _object(body: bytes) -> Json | None:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _shown(body: bytes) -> str:
    text = " ".join(body.decode("utf-8", "replace").split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def counted(found: Iterable[Finding], *, info: bool) -> tuple[Finding, ...]:
    """The findings that count: without those that are informational, unless these are wanted."""
    return tuple(each for each in found if info or each.level != "INFO")
