"""Compares what a session reads from one recorded exchange with an independent reading of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from harness.cassette.forms import Response
from harness.cassette.recordings.as_sent import as_sent
from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import RecordedComparison, RecordedDifference
from harness.loop.sessions import with_session
from harness.wire.chunking import Chunking, chunks
from harness_lab.recorded.reading.other_apis import other_api
from harness_lab.recorded.sessions.differences import cut_difference, difference, refusal_difference
from harness_lab.recorded.sessions.features import features_of
from harness_lab.recorded.sessions.read_exchange import ReadExchange, unsupported
from harness_lab.recorded.sessions.reader import read
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedTurn
from harness_lab.recorded.sessions.replay import Replay

_SMALL = 3000
"""Streams up to this many bytes are cut into single bytes; larger ones at bad places or at random, in turn."""


class Judge:
    """Judges exchanges one after the other. With ``recut`` every stream is read a second time, cut apart."""

    def __init__(self, replay: Replay, *, recut: bool) -> None:
        self._replay = replay
        self._recut = recut
        self._streams = count()

    async def judge(self, exchange: RecordedExchange) -> RecordedComparison[ReadExchange]:
        """Compare one exchange up to its first difference. An exception from a session is compared, too."""
        wire = exchange.wire
        if wire is None:
            return unsupported(exchange, None, other_api(exchange) or "side endpoint")
        if wire not in with_session():
            return unsupported(exchange, wire, "no session")
        responses, restored = as_sent(exchange, wire)
        if exchange.status >= 400:
            found = refusal_difference(exchange, await self._replay.read(responses[0]))
            return RecordedComparison(ReadExchange(exchange, wire, ("error status",)), _several(found))
        if not exchange.response:
            return unsupported(exchange, wire, "no body")
        features: dict[str, None] = {}
        cut = 0
        for response in responses:
            recorded = await read(response, self._replay)
            if isinstance(recorded, str):
                return unsupported(exchange, wire, recorded)
            features |= dict.fromkeys(features_of(recorded, streamed=response.streamed))
            if found := await self._difference(response, recorded):
                return RecordedComparison(ReadExchange(exchange, wire, tuple(features), tuple(restored), cut), (found,))
            cut += response.streamed and self._recut
        return RecordedComparison(ReadExchange(exchange, wire, tuple(features), tuple(restored), cut))

    async def _difference(
        self, response: Response, recorded: RecordedTurn | BrokenResponse
    ) -> RecordedDifference | None:
        """The first difference, also if the stream is cut apart."""
        got = await self._replay.read(response)
        found = difference(response.wire, recorded, got)
        if found or not (response.streamed and self._recut):
            return found
        number = next(self._streams)
        how: Chunking = "byte" if len(response.body) <= _SMALL else ("adversarial", "random")[number % 2]
        found = cut_difference(got, await self._replay.read(response, chunks([response.body], how, number)))
        return found and replace(found, got=f"{found.got} (cut apart: {how}, seed {number})")


def _several(difference: RecordedDifference | None) -> tuple[RecordedDifference, ...]:
    return () if difference is None else (difference,)
