"""Finds the first place at which a session's result differs from the recording."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import RecordedDifference
from harness.loop.joined_deltas import JoinedDeltas
from harness.loop.session import HttpFailed, ProviderTurn, StreamFailed, ToolCall
from harness.wire import NativeWireName, Usage
from harness_lab.recorded.sessions import (
    anthropic_messages,
    bedrock_converse,
    gemini_generate,
    gemini_interactions,
    openai_chat,
    openai_responses,
)
from harness_lab.recorded.sessions.reader import NO_SUCH_FORM
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedCall, RecordedTurn
from harness_lab.recorded.sessions.replay import SessionResult

_RETURNED: Mapping[NativeWireName, Callable[[Any], Any]] = {
    "openai-responses": openai_responses.returned,
    "openai-chat": openai_chat.returned,
    "anthropic-messages": anthropic_messages.returned,
    "bedrock-converse": bedrock_converse.returned,
    "gemini-generate": gemini_generate.returned,
    "gemini-interactions": gemini_interactions.returned,
}
"""The functions that bring the turn that goes back into the form of ``RecordedTurn.returned``."""


def difference(
    wire: NativeWireName, recorded: RecordedTurn | BrokenResponse, got: SessionResult
) -> RecordedDifference | None:
    """Between a recorded response and what the session made of it."""
    if isinstance(recorded, BrokenResponse):
        return _no_failure(recorded, got)
    if got.turn is None:
        return RecordedDifference("outcome", "a turn", str(got))
    return _turn_difference(wire, recorded, got.turn) or _delta_difference(recorded, got.turn, got.deltas)


def _no_failure(recorded: BrokenResponse, got: SessionResult) -> RecordedDifference | None:
    if isinstance(got.failure, StreamFailed) and recorded.words in str(got.failure):
        return None
    why = (
        f"for the recording is no response ({recorded.unreadable})"
        if recorded.unreadable
        else f"saying {recorded.words!r}"
    )
    return RecordedDifference("outcome", f"StreamFailed {why}", str(got))


def _turn_difference(wire: NativeWireName, recorded: RecordedTurn, turn: ProviderTurn) -> RecordedDifference | None:
    differences = (
        _first("text", recorded.text, turn.assistant_text),
        _first("thinking", recorded.thinking, turn.thinking_text),
        _first("refusal", recorded.refusal, turn.refusal),
        _call_difference(recorded.calls, turn.tool_calls),
        _first("stop", recorded.stop.value, turn.stop.value),
        _first("usage", recorded.usage or Usage(input=0, output=0), turn.usage),
        _returned_difference(wire, recorded, turn),
    )
    return next(filter(None, differences), None)


def _returned_difference(wire: NativeWireName, recorded: RecordedTurn, turn: ProviderTurn) -> RecordedDifference | None:
    try:
        returned = _RETURNED[wire](turn.assistant_turn)
    except NO_SUCH_FORM as error:
        return RecordedDifference(
            "assistant_turn", "the form of its wire", f"{_short(turn.assistant_turn)} ({error!r})"
        )
    return _first("assistant_turn", recorded.returned, returned)


def _call_difference(recorded: Sequence[RecordedCall], calls: Sequence[ToolCall]) -> RecordedDifference | None:
    """The difference of two lists of calls. Names come first, so that a lost or misplaced call is reported as that."""
    if names := _first("calls", [call.name for call in recorded], [call.name for call in calls]):
        return names
    if len({call.id for call in calls}) < len(calls):
        return RecordedDifference("calls", "an id of its own for each", str([call.id for call in calls]))
    for place, (expected, call) in enumerate(zip(recorded, calls, strict=True)):
        if expected.id and call.id != expected.id:
            return _first(f"calls[{place}].id", expected.id, call.id)
        got = call.arguments if isinstance(expected.arguments, str) else _parsed(call.arguments)
        if found := _first(f"calls[{place}].arguments", expected.arguments, got):
            return found
    return None


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _delta_difference(recorded: RecordedTurn, turn: ProviderTurn, deltas: JoinedDeltas) -> RecordedDifference | None:
    """The deltas must add up to the turn, or to the recording's deltas if these differ from its end."""
    ends = (turn.assistant_text, turn.thinking_text)
    for place, (name, end) in enumerate(zip(("text", "thinking"), ends, strict=True)):
        joined = getattr(deltas, name)
        if joined != end and (recorded.deltas is None or joined != recorded.deltas[place]):
            return _first(f"deltas of {name}", end, joined)
    arguments = {call.id: call.arguments for call in turn.tool_calls}
    return _first("deltas of arguments", arguments, deltas.arguments)


def cut_difference(got: SessionResult, again: SessionResult) -> RecordedDifference | None:
    """Between two readings of the same bytes."""
    if got.turn is None or again.turn is None:
        return _first("outcome", str(got), str(again))
    pairs = [(each.name, getattr(got.turn, each.name), getattr(again.turn, each.name)) for each in fields(ProviderTurn)]
    pairs += [
        (f"deltas of {each.name}", getattr(got.deltas, each.name), getattr(again.deltas, each.name))
        for each in fields(JoinedDeltas)
    ]
    return next(filter(None, (_first(*pair) for pair in pairs)), None)


def refusal_difference(exchange: RecordedExchange, got: SessionResult) -> RecordedDifference | None:
    """Between an error status and what was raised: the status, the wait and the words that the provider sent."""
    failure = got.failure
    if not isinstance(failure, HttpFailed):
        return RecordedDifference("outcome", f"HttpFailed with status {exchange.status}", str(got))
    words = _refusal_words(exchange.response or b"")
    wait = _wait(exchange.headers)
    return (
        _first("status", exchange.status, failure.status)
        or (None if wait is None else _first("retry_after", wait, failure.retry_after))
        or (None if words in str(failure) else RecordedDifference("message", f"{words!r} in it", repr(str(failure))))
    )


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds; None if no header has them (Gemini has them in the body), or in an unknown form."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
    return None


def _refusal_words(body: bytes) -> str:
    """The message of an error, in ``error`` or by itself, in providers' forms; other servers have other forms."""
    try:
        document = json.loads(body)
        return str(document.get("error", document)["message"] or "")
    except NO_SUCH_FORM:
        return ""


# --- two values ---------------------------------------------------------------------------------------------


def _first(place: str, expected: Any, got: Any) -> RecordedDifference | None:
    """The innermost place where two values differ; types count."""
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        pairs: Iterator[tuple[str, Any, Any]] = ((f"{place}.{key}", expected[key], got[key]) for key in expected)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = ((f"{place}[{at}]", *pair) for at, pair in enumerate(zip(expected, got, strict=True)))
    else:
        return None if type(expected) is type(got) and expected == got else _shown(place, expected, got)
    return next(filter(None, (_first(*pair) for pair in pairs)), None)


def _shown(place: str, expected: Any, got: Any) -> RecordedDifference:
    if isinstance(expected, str) and isinstance(got, str):
        at = next((at for at, pair in enumerate(zip(expected, got, strict=False)) if pair[0] != pair[1]), None)
        at = min(len(expected), len(got)) if at is None else at
        start = max(0, at - 20)
        return RecordedDifference(f"{place}: from character {at}", _short(expected[start:]), _short(got[start:]))
    return RecordedDifference(place, _short(expected), _short(got))


def _short(value: Any) -> str:
    text = ascii(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
