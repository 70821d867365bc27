"""One case of a pair: our model upstream, the gateway in the middle, our two clients in front.

The first request is shared. The official client then plays the rest of the script, and the echo client does, unless it
would send the same. Everything that passes, at both ends, is recorded in one trace: what reached the model is its main
conversation, and what the clients sent and got is the conversation beside it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from harness.endpoint import CaseEndpoint, Conversations, Endpoints, ReceivedRequest, refusing
from harness.endpoint.source import ModelRequest, SourceResponse
from harness.loop.sessions.wire_only import Answered
from harness.runner.plan import case_of
from harness.scenario import Scenario, Step
from harness.servers.asking import Asking, headers_of
from harness.servers.clients import ClientConversation, ClientKind
from harness.servers.pairs import PairCase
from harness.trace import Case, Trace
from harness.wire import Reply, Route, WrittenRequest
from harness.wire import wire as wire_named

AT_CLIENT: Final = 1
"""The number of the conversation, in the trace, with what the clients sent and got."""

_MOST_TURNS: Final = 6


@dataclass(frozen=True, slots=True)
class ClientExchange:
    """A request of a client and its answer.

    ``turn`` counts from 0; ``kind`` is the client, None for the first request, which both share. ``exchange`` is its
    number in the trace, ``upstream`` the numbers of the requests that reached the model because of it. ``reply`` is the
    parsed answer, None if there is none; ``unreadable`` is the reason, unless the status is.
    """

    turn: int
    kind: ClientKind | None
    asked: WrittenRequest
    answered: Answered
    exchange: int
    upstream: tuple[int, ...]
    reply: Reply | None = None
    unreadable: str = ""


@dataclass(slots=True)
class PlayedCase:
    """A case that was played: ``endpoint`` is the model's side, ``exchanges`` the clients'.

    ``not_served`` are the requests that the model's side does not serve, each with its count.
    """

    planned: PairCase
    endpoint: CaseEndpoint
    exchanges: list[ClientExchange] = field(default_factory=list)
    not_served: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def trace(self) -> Trace:
        """All that passed, at both ends."""
        return self.endpoint.recorder.trace()

    def branch(self, kind: ClientKind) -> list[ClientExchange]:
        """The exchanges of one client, the first one included."""
        return [each for each in self.exchanges if each.kind in (None, kind)]


class _ByTurn:
    """The steps of a script by the client's turn: a repeated request gets the same step again."""

    repeats: Final = True

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self.turn = 0

    def next(self, request: ModelRequest) -> SourceResponse | None:  # noqa: ARG002 - the turn decides
        return self._steps[min(self.turn, len(self._steps) - 1)]

    def left(self) -> Sequence[str]:
        return ()


async def play(planned: PairCase, endpoints: Endpoints, asking: Asking, *, target: str, seed: int) -> PlayedCase:
    """Play a case. ``gateway`` serves our models: it opens a case with the name of the upstream."""
    started = time.perf_counter()
    scenario = planned.script
    source = _ByTurn(scenario.steps)
    endpoint = CaseEndpoint(
        _case(planned, target, seed),
        source,
        clock=time.perf_counter,
        enforcement=refusing("nothing"),
        apart=Conversations(alone=True),
    )
    endpoints.open(planned.upstream.name, endpoint)
    played = PlayedCase(planned, endpoint)
    try:
        await _Play(played, asking, source, scenario).all()
    finally:
        played.not_served = endpoints.not_served(planned.upstream.name)
        endpoints.close(planned.upstream.name)
    played.seconds = time.perf_counter() - started
    return played


def _case(planned: PairCase, target: str, seed: int) -> Case:
    case = case_of(planned.scenario, planned.upstream.wire, "event", target=target, seed=seed, hands_over=False)
    return replace(case, id=planned.id, chunking=planned.way)


@dataclass(slots=True)
class _Play:
    played: PlayedCase
    asking: Asking
    source: _ByTurn
    scenario: Scenario

    async def all(self) -> None:
        planned = self.played.planned
        speaks = wire_named(planned.client)
        opening = ClientConversation(speaks, self.scenario, planned.upstream.model, planned.stream)
        first = await self._ask(opening, 0, None)
        official = self._continuation(opening, first, "official")
        echo = self._continuation(opening, first, "echo")
        if official is not None:
            await self._go_on(official, "official")
        if echo is not None and (official is None or not _alike(official, echo)):
            await self._go_on(echo, "echo")

    async def _go_on(self, conversation: ClientConversation, kind: ClientKind) -> None:
        for turn in range(1, _MOST_TURNS):
            exchange = await self._ask(conversation, turn, kind)
            following = self._continuation(conversation, exchange, kind)
            if following is None:
                return
            conversation = following

    def _continuation(
        self, conversation: ClientConversation, exchange: ClientExchange, kind: ClientKind
    ) -> ClientConversation | None:
        """The conversation after the answer; None if it ends there, because nothing is left to send or to continue."""
        reply = exchange.reply
        if reply is None or not reply.complete or exchange.turn + 1 >= len(self.scenario.steps):
            return None
        following = conversation.copy()
        try:
            following.go_on(reply, exchange.answered, kind)
        except ValueError:
            return None
        return following

    async def _ask(self, conversation: ClientConversation, turn: int, kind: ClientKind | None) -> ClientExchange:
        self.source.turn = turn
        planned, recorder = self.played.planned, self.played.endpoint.recorder
        asked = conversation.request()
        headers = {**headers_of(conversation.wire), **planned.upstream.headers}
        route = conversation.wire.route("POST", asked.path) or Route(planned.client)
        exchange = recorder.request(ReceivedRequest(route, "POST", asked.path, headers, asked.body), AT_CLIENT)
        answered = await self.asking.post(asked.path, headers, asked.body)
        recorder.respond(exchange, answered.status, answered.headers)((answered.body,))
        recorder.ended(exchange, "cut" if answered.broken else "eof")
        upstream = tuple(range(exchange + 1, recorder.exchanges))
        reply, unreadable = _read(planned, answered)
        made = ClientExchange(turn, kind, asked, answered, exchange, upstream, reply, unreadable)
        self.played.exchanges.append(made)
        return made


def _alike(one: ClientConversation, other: ClientConversation) -> bool:
    return one.request() == other.request()


def _read(planned: PairCase, answered: Answered) -> tuple[Reply | None, str]:
    if answered.status != 200:
        return None, ""
    try:
        return wire_named(planned.client).parse(answered.content_type, answered.body), ""
    except ValueError as error:
        return None, str(error)
