"""The features of an example, of all that streams can have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, get_args

from harness.fuzz.strategies.sse import FAULTS, VARIATIONS
from harness.fuzz.stream.dialects import FUZZED
from harness.fuzz.stream.example import StreamExample, delivered
from harness.wire import Call, FinishReason, Refusal, Text, ThinkingPart, Turn
from harness.wire.turn import Deltas

_PARTS: Final = {"text": Text, "call": Call, "thinking": ThinkingPart, "refusal": Refusal}

_IN_TEXT: Final = {
    "beyond ASCII": "é",
    "surrogate pair": "😀",
    "U+2028": "\u2028",
    "U+0085": "\x85",
    "line feed": "\n",
    "carriage return": "\r",
    "quote": '"',
    "backslash": "\\",
    "looks like a field": "data: ",
    "looks like the end": "[DONE]",
    "blanks": "  ",
}

FEATURES: Final = (
    *FUZZED,
    *_PARTS,
    "no parts",
    "several calls",
    "arguments that are no object",
    *_IN_TEXT,
    "half a surrogate pair",
    *(f"stop {stop}" for stop in FinishReason),
    *(f"deltas {deltas}" for deltas in get_args(Deltas)),
    *VARIATIONS,
    *FAULTS,
    "in one piece",
    "single bytes",
    "cut inside a character",
    "cut inside CR LF",
    "cut between the lines of an event",
)


def features_of(example: StreamExample) -> Iterator[str]:
    """Names of ``FEATURES``."""
    yield example.wire
    yield from _of_turn(example.turn)
    yield from example.variations
    if example.fault:
        yield example.fault.kind
    yield from _of_cuts(example)


@lru_cache(maxsize=64)
def _of_turn(turn: Turn) -> tuple[str, ...]:
    return tuple(_in_turn(turn))


def _in_turn(turn: Turn) -> Iterator[str]:
    yield f"stop {turn.stop}"
    yield f"deltas {turn.deltas}"
    yield from (name for name, kind in _PARTS.items() if any(isinstance(part, kind) for part in turn.parts))
    if not turn.parts:
        yield "no parts"
    if len(turn.calls) > 1:
        yield "several calls"
    if any(not call.arguments.startswith("{") or not call.arguments.endswith("}") for call in turn.calls):
        yield "arguments that are no object"
    words = "".join(part.arguments if isinstance(part, Call) else part.text for part in turn.parts)
    yield from (name for name, token in _IN_TEXT.items() if token in words)
    if any("\ud800" <= letter <= "\udfff" for letter in words):
        yield "half a surrogate pair"


def _of_cuts(example: StreamExample) -> Iterator[str]:
    if not example.sizes:
        yield "in one piece"
        return
    if set(example.sizes) == {1}:
        yield "single bytes"
    pieces = delivered(example)
    for before, after in pairwise(pieces):
        if 0x80 <= after[0] < 0xC0:
            yield "cut inside a character"
        elif before.endswith(b"\r") and after.startswith(b"\n"):
            yield "cut inside CR LF"
        elif before.endswith((b"\r", b"\n")) and not after.startswith((b"\r", b"\n")):
            yield "cut between the lines of an event"
