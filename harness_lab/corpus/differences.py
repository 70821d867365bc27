"""The first place in which what a session gave is not what the recording says. Empty text: there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from harness.loop.session import HttpFailed, ProviderTurn, StreamFailed, ToolCall
from harness.wire import NativeWireName, Usage
from harness_lab.corpus import anthropic_messages, gemini_generate, openai_chat, openai_responses
from harness_lab.corpus.exchanges import Recorded
from harness_lab.corpus.reading import NO_SUCH_FORM
from harness_lab.corpus.replay import Got, Heard
from harness_lab.corpus.said import Broken, Said, SaidCall

__all__ = ["cut_difference", "difference", "refusal_difference"]

_RETURNED: Mapping[NativeWireName, Callable[[Any], Any]] = {
    "openai-responses": openai_responses.returned,
    "openai-chat": openai_chat.returned,
    "anthropic-messages": anthropic_messages.returned,
    "gemini-generate": gemini_generate.returned,
}
"""How the turn that goes back is brought into the form of ``Said.returned``."""


def difference(wire: NativeWireName, said: Said | Broken, got: Got) -> str:
    """Between a recorded response and what the session made of it."""
    if isinstance(said, Broken):
        return _no_failure(said, got)
    if got.turn is None:
        return f"outcome: expected a turn, got {got}"
    return _turn_difference(wire, said, got.turn) or _heard_difference(said, got.turn, got.heard)


def _no_failure(said: Broken, got: Got) -> str:
    if isinstance(got.failure, StreamFailed) and said.words in str(got.failure):
        return ""
    why = f"for the recording is no response ({said.unreadable})" if said.unreadable else f"saying {said.words!r}"
    return f"outcome: expected StreamFailed {why}, got {got}"


def _turn_difference(wire: NativeWireName, said: Said, turn: ProviderTurn) -> str:
    differences = (
        _first("text", said.text, turn.assistant_text),
        _first("thinking", said.thinking, turn.thinking_text),
        _first("refusal", said.refusal, turn.refusal),
        _call_difference(said.calls, turn.tool_calls),
        _first("stop", said.stop.value, turn.stop.value),
        _first("usage", said.usage or Usage(input=0, output=0), turn.usage),
        _returned_difference(wire, said, turn),
    )
    return next(filter(None, differences), "")


def _returned_difference(wire: NativeWireName, said: Said, turn: ProviderTurn) -> str:
    try:
        returned = _RETURNED[wire](turn.assistant_turn)
    except NO_SUCH_FORM as error:
        return f"assistant_turn: cannot be read ({error!r}): {_short(turn.assistant_turn)}"
    return _first("assistant_turn", said.returned, returned)


def _call_difference(said: Sequence[SaidCall], calls: Sequence[ToolCall]) -> str:
    """The names first, so that a call lost or out of order is called that."""
    if names := _first("calls", [call.name for call in said], [call.name for call in calls]):
        return names
    if len({call.id for call in calls}) < len(calls):
        return f"calls: two have the same id: {[call.id for call in calls]}"
    for place, (expected, call) in enumerate(zip(said, calls, strict=True)):
        if expected.id and call.id != expected.id:
            return _first(f"calls[{place}].id", expected.id, call.id)
        got = call.arguments if isinstance(expected.arguments, str) else _parsed(call.arguments)
        if found := _first(f"calls[{place}].arguments", expected.arguments, got):
            return found
    return ""


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _heard_difference(said: Said, turn: ProviderTurn, heard: Heard) -> str:
    """What was told on the way must add up to the turn, or to the deltas where they differ from the end."""
    ends = (turn.assistant_text, turn.thinking_text)
    for place, (name, end) in enumerate(zip(("text", "thinking"), ends, strict=True)):
        told = getattr(heard, name)
        if told != end and (said.told is None or told != said.told[place]):
            return _first(f"deltas of {name}", end, told)
    arguments = {call.id: call.arguments for call in turn.tool_calls}
    return _first("deltas of arguments", arguments, heard.arguments)


def cut_difference(got: Got, again: Got) -> str:
    """Between two readings of the same bytes."""
    if got.turn is None or again.turn is None:
        return _first("outcome", str(got), str(again))
    pairs = [(each.name, getattr(got.turn, each.name), getattr(again.turn, each.name)) for each in fields(ProviderTurn)]
    pairs += [
        (f"deltas of {each.name}", getattr(got.heard, each.name), getattr(again.heard, each.name))
        for each in fields(Heard)
    ]
    return next(filter(None, (_first(*pair) for pair in pairs)), "")


def refusal_difference(exchange: Recorded, got: Got) -> str:
    """Between an error status and what was raised: the status, the wait and the words that the provider sent."""
    failure = got.failure
    if not isinstance(failure, HttpFailed):
        return f"outcome: expected HttpFailed with status {exchange.status}, got {got}"
    words = _refusal_words(exchange.response or b"")
    wait = _wait(exchange.headers)
    return (
        _first("status", exchange.status, failure.status)
        or ("" if wait is None else _first("retry_after", wait, failure.retry_after))
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
    except NO_SUCH_FORM:
        return ""


# --- two values ---------------------------------------------------------------------------------------------


def _first(place: str, expected: Any, got: Any) -> str:
    """The innermost place where two values differ, with both; empty when they are equal, types included."""
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        pairs: Iterator[tuple[str, Any, Any]] = ((f"{place}.{key}", expected[key], got[key]) for key in expected)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = ((f"{place}[{at}]", *pair) for at, pair in enumerate(zip(expected, got, strict=True)))
    else:
        return "" if type(expected) is type(got) and expected == got else _told(place, expected, got)
    return next(filter(None, (_first(*pair) for pair in pairs)), "")


def _told(place: str, expected: Any, got: Any) -> str:
    if isinstance(expected, str) and isinstance(got, str):
        at = next((at for at, pair in enumerate(zip(expected, got, strict=False)) if pair[0] != pair[1]), None)
        at = min(len(expected), len(got)) if at is None else at
        start = max(0, at - 20)
        return f"{place}: from character {at}: expected {_short(expected[start:])}, got {_short(got[start:])}"
    return f"{place}: expected {_short(expected)}, got {_short(got)}"


def _short(value: Any) -> str:
    text = ascii(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
