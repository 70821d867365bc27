"""The right reading of a stream, from what was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from harness.fuzz.stream.example import StreamExample, sent
from harness.fuzz.stream.stream_result import ReadCall
from harness.wire import Refusal, Rendered, Text, ThinkingPart, Turn, WireName, wire
from harness.wire.characters import is_sendable, joined, sendable
from harness.wire.json_text import strict

_WHY_STOPPED: Final = ("finish_reason", "stop_reason", "finishReason", "stopReason", "status", "reason")


@dataclass(frozen=True, slots=True)
class Expected:
    """The content of a complete reading.

    ``text`` and ``spoken`` are the pieces of the text for the user, without and with the words of refusals, which
    readers may take for text. ``stops``: why the model stopped, in our word and in the provider's. ``usable`` is False
    if the model itself broke off (a malformed call on Gemini); then any reading is right.
    """

    turn: Turn
    text: tuple[str, ...]
    spoken: tuple[str, ...]
    thinking: tuple[str, ...]
    refusal: tuple[str, ...]
    calls: tuple[ReadCall, ...]
    stops: frozenset[str]
    usable: bool


def expected(example: StreamExample) -> Expected:
    """The right reading of the example, if all of it arrives."""
    return _expectation(example.wire, example.turn)


@lru_cache(maxsize=64)
def _expectation(name: WireName, turn: Turn) -> Expected:
    rendered = sent(StreamExample(name, turn)).rendered
    issued = rendered.reply.turn
    return Expected(
        turn=issued,
        text=tuple(part.text for part in issued.parts if isinstance(part, Text)),
        spoken=tuple(part.text for part in issued.parts if isinstance(part, Text | Refusal)),
        thinking=tuple(part.text for part in issued.parts if isinstance(part, ThinkingPart)),
        refusal=tuple(part.text for part in issued.parts if isinstance(part, Refusal)),
        calls=tuple(ReadCall(call.id or "", call.name, call.arguments) for call in issued.calls),
        stops=frozenset([issued.stop.value, *_native_stops(rendered)]),
        usable=issued.error is None,
    )


def _native_stops(rendered: Rendered) -> Iterator[str]:
    """Every word in the events for the reason to stop."""
    for event in wire(rendered.reply.wire).transport.events(rendered.body):
        try:
            yield from _stops_in(json.loads(event.data))
        except ValueError:  # [DONE]
            continue


def _stops_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (word for name in _WHY_STOPPED if isinstance(word := value.get(name), str))
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _stops_in(member)


def forms(pieces: Sequence[str]) -> tuple[str, ...]:
    """The ways in which a text may be read: halves that meet are a character, a half alone is itself or U+FFFD.

    The reader decides whether halves meet where one part ends and the next begins.
    """
    text = "".join(pieces)
    return (text,) if is_sendable(text) else (joined(text), sendable(text), "".join(map(sendable, pieces)))


def same_arguments(name: WireName, got: str, sent_text: str) -> bool:
    """Whether a call's arguments were read as they were sent: the text, or the value on a wire that sends no text."""
    if wire(name).whole_arguments:
        return same_values(got, sent_text)
    if wire(name).object_arguments:
        got, sent_text = got or "{}", sent_text or "{}"
    return got in forms([sent_text])


def same_values(got: str, sent_text: str) -> bool:
    """Whether both texts are JSON of the same value; no text at all is an empty object."""
    got, sent_text = got or "{}", sent_text or "{}"
    try:
        return _canonical(got) == _canonical(sent_text)
    except ValueError:
        return False


def _canonical(text: str) -> str:
    return sendable(json.dumps(strict(text), sort_keys=True, ensure_ascii=False))
