"""What a recorded response says, by a reading that shares no code with the sessions, and how a turn differs from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.loop.session import ProviderTurn, ToolCall
from harness.wire import Stop, Usage

__all__ = ["Broken", "Said", "SaidCall", "call_ids", "difference", "first_difference", "raw_events"]


@dataclass(frozen=True, slots=True)
class SaidCall:
    """A recorded call. ``id`` is empty where the session must invent one: none was sent, or one of before.

    ``arguments`` is the text as it was sent, or the JSON object on a wire that sends one.
    """

    id: str
    name: str
    arguments: str | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A recorded response that is whole.

    ``returned`` is what of it must go back to the provider, in a form that can be compared: the module of the wire
    brings ``ProviderTurn.assistant_turn`` into the same form. ``signed`` and ``other`` count the parts with a proof
    (signature, encrypted reasoning) and those without a neutral word (server tools, images). ``usage`` is None where
    the provider told none. ``told`` is the text and the thinking that the deltas say where the recording may end with
    another; None where they cannot differ.
    """

    text: str
    thinking: str
    refusal: str
    calls: tuple[SaidCall, ...]
    stop: Stop
    usage: Usage | None
    returned: Any
    signed: int = 0
    other: int = 0
    told: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """A recorded response that is itself a failure.

    ``words`` must come in what the session says of it. ``unreadable`` says why a body is no response of its wire at
    all, where it is none.
    """

    words: str
    unreadable: str = ""


def raw_events(body: bytes) -> list[Any]:
    """The JSON of every ``data`` line of a stream. Each recorded event has one such line."""
    lines = body.decode().replace("\r", "\n").split("\n")
    data = (line[5:].strip() for line in lines if line.startswith("data:"))
    return [json.loads(text) for text in data if text and text != "[DONE]"]


def call_ids(sent: Iterable[str | None]) -> list[str]:
    """The ids that a session must keep, ``""`` where it must invent one."""
    kept: list[str] = []
    for call_id in sent:
        kept.append(call_id if call_id and call_id not in kept else "")
    return kept


def difference(said: Said, turn: ProviderTurn, returned: Any) -> str:
    """The first place in which the turn is not what was said; empty when it is. ``returned`` is the turn's own."""
    pairs = (
        ("text", said.text, turn.assistant_text),
        ("thinking", said.thinking, turn.thinking_text),
        ("refusal", said.refusal, turn.refusal),
        ("calls", [call.name for call in said.calls], [call.name for call in turn.tool_calls]),
    )
    found = (first_difference(*pair) for pair in pairs)
    rest = (
        ("stop", said.stop.value, turn.stop.value),
        ("usage", said.usage or Usage(input=0, output=0), turn.usage),
        ("assistant_turn", said.returned, returned),
    )
    return (
        next(filter(None, found), "")
        or _call_difference(said.calls, turn.tool_calls)
        or next(filter(None, (first_difference(*pair) for pair in rest)), "")
    )


def _call_difference(said: Sequence[SaidCall], calls: Sequence[ToolCall]) -> str:
    """The first call, of as many, whose id or arguments are others."""
    if len({call.id for call in calls}) < len(calls):
        return f"calls: two have the same id: {[call.id for call in calls]}"
    for place, (expected, call) in enumerate(zip(said, calls, strict=True)):
        if expected.id and call.id != expected.id:
            return first_difference(f"calls[{place}].id", expected.id, call.id)
        got = call.arguments if isinstance(expected.arguments, str) else _parsed(call.arguments)
        if found := first_difference(f"calls[{place}].arguments", expected.arguments, got):
            return found
    return ""


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def first_difference(place: str, expected: Any, got: Any) -> str:
    """The innermost place where two values differ, with both; empty when they are equal, types included."""
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        pairs: Iterator[tuple[str, Any, Any]] = ((f"{place}.{key}", expected[key], got[key]) for key in expected)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = ((f"{place}[{at}]", *pair) for at, pair in enumerate(zip(expected, got, strict=True)))
    else:
        return "" if type(expected) is type(got) and expected == got else _told(place, expected, got)
    return next(filter(None, (first_difference(*pair) for pair in pairs)), "")


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
