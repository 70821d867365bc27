"""The cases of a gateway, played and judged: each as a result with its trace.

Those of one upstream are played one after another, because the gateway is configured with one address for each: so it
is certain to which case a request belongs that reaches the model. The upstreams are played side by side.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from harness.endpoint import Endpoints
from harness.finding import Finding
from harness.runner.execute import Finished
from harness.runner.redacting import redacted_result, redacted_trace, run_redactor
from harness.runner.results import CaseResult, trace_name
from harness.servers.asking import Asking
from harness.servers.judging import counted, findings, forms_findings, has_loss, notes
from harness.servers.pairs import PairCase
from harness.servers.playing import PlayedCase, play


@dataclass(frozen=True, slots=True)
class PairRun:
    """How the cases of a gateway are run.

    ``target`` is its name in reports, ``repeat`` the command that runs it, without its cases. ``info``: informational
    findings are reported, too.
    """

    target: str
    repeat: Sequence[str]
    seed: int = 0
    info: bool = False

    async def results(self, cases: Sequence[PairCase], endpoints: Endpoints, asking: Asking) -> AsyncIterator[Finished]:
        """Play and judge the cases; each comes as it ends. Both forms of one are judged together."""
        ended: asyncio.Queue[Finished] = asyncio.Queue()

        async def lane(of_one: Sequence[PairCase]) -> None:
            for some in twins(of_one):
                played = [await play(each, endpoints, asking, target=self.target, seed=self.seed) for each in some]
                for finished in self._judge(played):
                    ended.put_nowait(finished)

        upstreams = dict.fromkeys(each.upstream.name for each in cases)
        lanes = [
            asyncio.ensure_future(lane([each for each in cases if each.upstream.name == name])) for name in upstreams
        ]
        try:
            for _ in cases:
                yield await _next(ended, lanes)
        finally:
            for each in lanes:
                each.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    def _judge(self, played: Sequence[PlayedCase]) -> Iterator[Finished]:
        found = [findings(each) for each in played]
        if len(played) > 1 and not any(map(has_loss, (one for some in found for one in some))):
            found[0] += forms_findings(*played)  # else what is lost in one of them is the difference
        for each, some in zip(played, found, strict=True):
            yield self._finished_case(each, counted(some, info=self.info))

    def _finished_case(self, played: PlayedCase, found: tuple[Finding, ...]) -> Finished:
        planned, trace = played.planned, played.trace
        requests = sum(len(each.upstream) for each in played.exchanges)
        result = replace(
            CaseResult.of(replace(trace.case, wire=planned.client), found, requests=requests, seconds=played.seconds),
            trace=trace_name(planned.id),
            repeat=shlex.join([*self.repeat, *_chosen(planned)]),
            file="",
            not_served=played.not_served,
            notes=notes(played),
            names=_names(played),
            summary=planned.scenario.summary,
        )
        redactor = run_redactor()
        return Finished(redacted_result(result, redactor), redacted_trace(trace, redactor, planned.scenario.steps))


async def _next(ended: asyncio.Queue[Finished], lanes: Sequence[asyncio.Future[None]]) -> Finished:
    """The next case that ends. Raises what a lane has raised."""
    waiting = asyncio.ensure_future(ended.get())
    try:
        while not waiting.done():
            any_of: list[asyncio.Future[Any]] = [waiting, *(each for each in lanes if not each.done())]
            await asyncio.wait(any_of, return_when=asyncio.FIRST_COMPLETED)
            for each in lanes:
                if each.done():
                    each.result()
        return waiting.result()
    finally:
        waiting.cancel()


def twins(cases: Iterable[PairCase]) -> Iterator[list[PairCase]]:
    """The cases of one pair and scenario together: the streamed one first."""
    for _, some in groupby(cases, lambda each: (each.scenario.name, each.client, each.upstream.name)):
        yield list(some)


def _chosen(planned: PairCase) -> list[str]:
    """The options that select a case alone, with its twin."""
    words = ["--client", planned.client, "--upstream", planned.upstream.name]
    return [*words, "--scenario", planned.scenario.name]


def _names(played: PlayedCase) -> tuple[str, ...]:
    """The names of tools and the ids of calls, which are no part of what a finding says in general."""
    calls = [call for each in played.exchanges if each.reply for call in each.reply.turn.calls]
    calls += [call for reply in played.endpoint.replies.values() for call in reply.turn.calls]
    tools = [tool.declaration.name for tool in played.planned.scenario.tools]
    return tuple(sorted({*tools, *(call.name for call in calls), *(call.id or "" for call in calls)} - {""}))
