"""One recorded exchange: what the session makes of it, beside what it says by an independent reading."""

from __future__ import annotations

from itertools import count

from harness.recording.forms import Response
from harness.wire import NativeWireName
from harness.wire.chunking import Chunking, chunks
from harness_lab.corpus.as_sent import as_sent
from harness_lab.corpus.differences import cut_difference, difference, refusal_difference
from harness_lab.corpus.exchanges import Recorded, wire_of
from harness_lab.corpus.features import features_of
from harness_lab.corpus.outcome import Outcome, Reason
from harness_lab.corpus.reading import read
from harness_lab.corpus.replay import Replay
from harness_lab.corpus.said import Broken, Said

__all__ = ["Judge"]

_SMALL = 3000
"""Streams up to this many bytes are cut into single bytes; larger ones at bad places or at random, in turn."""


class Judge:
    """Judges exchanges one after the other. With ``recut`` every stream is read a second time, cut apart."""

    def __init__(self, replay: Replay, *, recut: bool) -> None:
        self._replay = replay
        self._recut = recut
        self._streams = count()

    async def judge(self, exchange: Recorded) -> Outcome:
        """The outcome of one exchange. Whatever a session raises is judged, too; nothing is raised here."""
        wire = wire_of(exchange)
        if wire is None:
            return _unsupported(exchange, None, "side endpoint")
        responses, restored = as_sent(exchange, wire)
        if exchange.status >= 400:
            problem = refusal_difference(exchange, await self._replay.read(responses[0]))
            return Outcome(exchange, wire, "disagreed" if problem else "agreed", problem, ("error status",))
        if not exchange.response:
            return _unsupported(exchange, wire, "no body")
        features: dict[str, None] = {}
        cut = 0
        for response in responses:
            said = await read(response, self._replay)
            if isinstance(said, str):
                return _unsupported(exchange, wire, said)
            features |= dict.fromkeys(features_of(said, streamed=response.streamed))
            if problem := await self._problem(response, said):
                return Outcome(exchange, wire, "disagreed", problem, tuple(features), tuple(restored), cut)
            cut += response.streamed and self._recut
        return Outcome(exchange, wire, "agreed", "", tuple(features), tuple(restored), cut)

    async def _problem(self, response: Response, said: Said | Broken) -> str:
        """The first difference, also when the stream is cut apart; empty when there is none."""
        got = await self._replay.read(response)
        problem = difference(response.wire, said, got)
        if problem or not (response.streamed and self._recut):
            return problem
        number = next(self._streams)
        how: Chunking = "byte" if len(response.body) <= _SMALL else ("adversarial", "random")[number % 2]
        problem = cut_difference(got, await self._replay.read(response, chunks([response.body], how, number)))
        return f"{problem} (cut apart: {how}, seed {number})" if problem else ""


def _unsupported(exchange: Recorded, wire: NativeWireName | None, reason: Reason) -> Outcome:
    return Outcome(exchange, wire, "unsupported", reason)
