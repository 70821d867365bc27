"""The examples that come first: every cut and every size of a few hard bodies, on every wire."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from harness.fuzz.strategies.splits import LARGEST_PIECE
from harness.fuzz.strategies.sse import VARIATIONS, StreamFault
from harness.fuzz.stream.dialects import DIALECTS, FUZZED
from harness.fuzz.stream.example import StreamExample, sent
from harness.wire import Call, FinishReason, Refusal, Text, ThinkingPart, Turn, WireName
from harness.wire import wire as wire_named

_CUT: Final = Turn((Text("é😀"), Call("f", '{"a":0}')), FinishReason.TOOL_CALLS, deltas="utf16")
"""It is cut at every byte, so it is short: characters of two and of four bytes, and halves of a pair apart."""

TURNS: Final = (
    Turn((Text("é😀\u2028"), Call("f", '{"a":"\\"é\x85"}')), FinishReason.TOOL_CALLS, deltas="utf16"),
    Turn(
        (ThinkingPart("Hm."), Text(" a\n\ndata: b "), Call("f", ""), Call("f", "{}")),
        FinishReason.TOOL_CALLS,
        deltas="whole",
    ),
    Turn((Text("a"), Refusal("No.")), FinishReason.REFUSAL, deltas="whole"),
    Turn((Text("a"),), FinishReason.MAX_TOKENS),
    Turn(),
)
"""Difficult content in few bytes: false line ends, text like a field, calls without arguments, no words."""


def enumerated() -> Iterator[StreamExample]:
    """Every spelling and fault in one piece, through all readers; then every cut and every end, without the SDKs."""
    for wire in FUZZED:
        yield from _spellings(wire)
    for wire in (name for name in FUZZED if wire_named(name).native):  # of the bytes of text-tags nothing is its own
        yield from _cut(StreamExample(wire, _CUT, sdk=False))
        yield from _endings(StreamExample(wire, _CUT, sdk=False))
    # Gemini has these line ends by itself; of the others one is enough.
    yield from _cut(StreamExample("anthropic-messages", _CUT, ("CRLF",), sdk=False))


def _spellings(wire: WireName) -> Iterator[StreamExample]:
    for turn in TURNS:
        yield StreamExample(wire, turn)
        for kind in DIALECTS[wire].faults:
            yield StreamExample(wire, turn, fault=StreamFault(kind, 2))
    for name in VARIATIONS:
        if name in DIALECTS[wire].legal:
            yield StreamExample(wire, TURNS[0], (name,))
            yield StreamExample(wire, TURNS[1], (name,), sizes=(1,), sdk=False)


def _cut(example: StreamExample) -> Iterator[StreamExample]:
    """Every cut in two, and pieces of every size."""
    length = len(sent(example).body)
    for size in range(1, LARGEST_PIECE + 1):
        yield replace(example, sizes=(size,))
    for at in range(1, length):
        yield replace(example, sizes=(at, length))


def _endings(example: StreamExample) -> Iterator[StreamExample]:
    """Every end, and JSON that breaks in every event."""
    whole = sent(example)
    for at in range(len(whole.body)):
        yield replace(example, fault=StreamFault("cut", at))
    for at in range(len(whole.events)):
        yield replace(example, fault=StreamFault("broken JSON", at))
        yield replace(example, fault=StreamFault("error", at))
