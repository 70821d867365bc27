"""One recorded exchange: what the session makes of it, beside what it says by an independent reading."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import count
from typing import Any

from harness.corpus import anthropic_messages, gemini_generate, openai_chat, openai_responses
from harness.corpus.as_sent import as_sent
from harness.corpus.exchanges import Recorded, wire_of
from harness.corpus.features import features_of
from harness.corpus.outcome import Outcome, Reason
from harness.corpus.replay import Heard, NoOracle, Replay
from harness.corpus.said import Broken, Said, difference, first_difference
from harness.loop.session import HttpFailed, ProviderTurn, StreamFailed
from harness.wire import WireName
from harness.wire.chunking import Chunking, chunks

__all__ = ["Judge"]

_RETURNED: Mapping[WireName, Callable[[Any], Any]] = {
    "openai-responses": openai_responses.returned,
    "openai-chat": openai_chat.returned,
    "anthropic-messages": anthropic_messages.returned,
    "gemini-generate": gemini_generate.returned,
}
"""How the turn that goes back is brought into the form of ``Said.returned``."""

_NO_SUCH_FORM = (ValueError, TypeError, LookupError, AttributeError)
"""What a plain reading raises on a body that is not what its wire calls a response."""

_SMALL = 3000
"""Streams up to this many bytes are cut into single bytes; larger ones at bad places or at random, in turn."""


@dataclass(frozen=True, slots=True)
class _Got:
    """What the session gave: a turn with what it told on the way, or an exception."""

    turn: ProviderTurn | None
    heard: Heard
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class _Response:
    wire: WireName
    body: bytes
    streamed: bool
    headers: Mapping[str, str]


class Judge:
    """Judges exchanges one after the other. With ``recut`` every stream is read a second time, cut apart."""

    def __init__(self, replay: Replay, *, recut: bool) -> None:
        self._replay = replay
        self._recut = recut
        self._streams = count()

    async def judge(self, exchange: Recorded) -> Outcome:
        """The outcome of one exchange. A session that raises what it should not disagrees; nothing is raised here."""
        wire = wire_of(exchange)
        if wire is None:
            return _unsupported(exchange, None, "side endpoint")
        if exchange.status >= 400:
            return await self._refusal(exchange, wire)
        if not exchange.response:
            return _unsupported(exchange, wire, "no body")
        bodies, streamed, restored = as_sent(exchange, wire)
        features: dict[str, None] = {}
        cut = 0
        for body in bodies:
            response = _Response(wire, body, streamed, exchange.headers)
            try:
                said = await self._said(response)
            except _Unsupported as unsupported:
                return _unsupported(exchange, wire, unsupported.reason)
            features |= dict.fromkeys(features_of(said, streamed=streamed))
            problem = await self._problem(response, said)
            if problem:
                return Outcome(exchange, wire, "disagreed", problem, tuple(features), tuple(restored), cut)
            cut += streamed and self._recut
        return Outcome(exchange, wire, "agreed", "", tuple(features), tuple(restored), cut)

    async def _refusal(self, exchange: Recorded, wire: WireName) -> Outcome:
        """An error status must be raised with the status, the wait and the words that the provider sent."""
        got = await self._got(
            _Response(wire, exchange.response or b"", False, exchange.headers), status=exchange.status
        )
        problem = _refusal_difference(exchange, got)
        return Outcome(exchange, wire, "disagreed" if problem else "agreed", problem, ("error status",))

    async def _said(self, response: _Response) -> Said | Broken:
        """The independent reading. A body that it cannot read at all is broken, and the session must say so, too."""
        try:
            match response.wire:
                case "anthropic-messages" if response.streamed:
                    return await anthropic_messages.said_in_stream(response.body, self._replay.accumulated)
                case "anthropic-messages":
                    return anthropic_messages.said(response.body)
                case "gemini-generate":
                    reason = gemini_generate.unsupported(response.body, streamed=response.streamed)
                    if reason:
                        raise _Unsupported(reason)
                    return gemini_generate.said(response.body, streamed=response.streamed)
                case "openai-chat":
                    return openai_chat.said(response.body, streamed=response.streamed)
                case "openai-responses":
                    return openai_responses.said(response.body, streamed=response.streamed)
        except NoOracle as error:
            raise _Unsupported("no oracle") from error
        except _NO_SUCH_FORM as error:
            return Broken("", unreadable=repr(error))

    async def _problem(self, response: _Response, said: Said | Broken) -> str:
        """The first difference, also when the stream is cut apart; empty when there is none."""
        got = await self._got(response)
        problem = _difference(response.wire, said, got)
        if problem or not (response.streamed and self._recut):
            return problem
        number = next(self._streams)
        how: Chunking = "byte" if len(response.body) <= _SMALL else ("adversarial", "random")[number % 2]
        again = await self._got(response, chunks([response.body], how, number))
        problem = _cut_difference(got, again)
        return f"{problem} (cut apart: {how}, seed {number})" if problem else ""

    async def _got(self, response: _Response, pieces: Sequence[bytes] = (), status: int = 200) -> _Got:
        heard = Heard()
        try:
            turn = await self._replay.turn(
                response.wire,
                pieces or [response.body],
                heard,
                streamed=response.streamed,
                status=status,
                headers=response.headers,
            )
        except Exception as error:  # noqa: BLE001 - whatever leaves the session is judged
            return _Got(None, heard, error)
        return _Got(turn, heard)


class _Unsupported(Exception):
    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def _unsupported(exchange: Recorded, wire: WireName | None, reason: Reason) -> Outcome:
    return Outcome(exchange, wire, "unsupported", reason)


# --- differences --------------------------------------------------------------------------------------------


def _difference(wire: WireName, said: Said | Broken, got: _Got) -> str:
    if isinstance(said, Broken):
        if isinstance(got.failure, StreamFailed) and said.words in str(got.failure):
            return ""
        why = f"for the recording is no response ({said.unreadable})" if said.unreadable else f"saying {said.words!r}"
        return f"outcome: expected StreamFailed {why}, got {_told(got)}"
    if got.turn is None:
        return f"outcome: expected a turn, got {_told(got)}"
    returned = _RETURNED[wire](got.turn.assistant_turn)
    return difference(said, got.turn, returned) or _heard_difference(said, got.turn, got.heard)


def _heard_difference(said: Said, turn: ProviderTurn, heard: Heard) -> str:
    """What was told on the way must add up to the turn, or to the deltas where they differ from the end."""
    ends = (turn.assistant_text, turn.thinking_text)
    for place, (name, end) in enumerate(zip(("text", "thinking"), ends, strict=True)):
        told = getattr(heard, name)
        if told != end and (said.told is None or told != said.told[place]):
            return first_difference(f"deltas of {name}", end, told)
    arguments = {call.id: call.arguments for call in turn.tool_calls}
    return first_difference("deltas of arguments", arguments, heard.arguments)


def _cut_difference(got: _Got, again: _Got) -> str:
    if got.turn is None or again.turn is None:
        return first_difference("outcome", _told(got), _told(again))
    pairs = [(each.name, getattr(got.turn, each.name), getattr(again.turn, each.name)) for each in fields(ProviderTurn)]
    pairs += [
        (f"deltas of {each.name}", getattr(got.heard, each.name), getattr(again.heard, each.name))
        for each in fields(Heard)
    ]
    return next(filter(None, (first_difference(*pair) for pair in pairs)), "")


def _refusal_difference(exchange: Recorded, got: _Got) -> str:
    failure = got.failure
    if not isinstance(failure, HttpFailed):
        return f"outcome: expected HttpFailed with status {exchange.status}, got {_told(got)}"
    words = _refusal_words(exchange.response or b"")
    wait = _wait(exchange.headers)
    return (
        first_difference("status", exchange.status, failure.status)
        or ("" if wait is None else first_difference("retry_after", wait, failure.retry_after))
        or ("" if words in str(failure) else f"message: expected {words!r} in it, got {str(failure)!r}")
    )


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds; None where no header says them (Gemini says them in the body), or in a way that is not understood."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
    return None


def _refusal_words(body: bytes) -> str:
    """The message of an error in the form that all four providers use; other servers have others."""
    try:
        return str(json.loads(body)["error"]["message"] or "")
    except _NO_SUCH_FORM:
        return ""


def _told(got: _Got) -> str:
    return "a turn" if got.failure is None else f"{type(got.failure).__name__}: {got.failure}"
