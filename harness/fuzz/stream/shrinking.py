"""Simpler examples, the boldest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Final

from harness.fuzz.strategies.sse import StreamFault
from harness.fuzz.stream.example import StreamExample, delivered, sent
from harness.wire import Call, FinishReason, Part, Turn, Usage
from harness.wire.characters import joined

_SIMPLE: Final = "a"


def smaller(example: StreamExample) -> Iterator[StreamExample]:
    """Examples with less in them: fewer parts, fewer characters, nothing varied, fewer cuts, an earlier fault.

    Each has less in one respect and no more in those before it in this list, so repeated shrinking ends.
    """
    for turn in _smaller_turns(example.turn):
        yield _kept(example, turn)
    for at in range(len(example.variations)):
        yield replace(example, variations=example.variations[:at] + example.variations[at + 1 :])
    yield from _fewer_cuts(example)
    yield from _earlier_fault(example)
    if example.sdk:
        yield replace(example, sdk=False)


def _kept(example: StreamExample, turn: Turn) -> StreamExample:
    """The example with another turn. Its fault is moved to a place that still exists."""
    kept = replace(example, turn=turn)
    fault = example.fault
    if fault is None or not fault.at:
        return kept
    whole = sent(replace(kept, fault=None))
    last = len(whole.body) if fault.kind == "cut" else len(whole.events)
    return replace(kept, fault=replace(fault, at=min(fault.at, last - 1))) if last else kept


def _smaller_turns(turn: Turn) -> Iterator[Turn]:
    for parts in _fewer(turn.parts):
        yield replace(turn, parts=parts)
    for at, part in enumerate(turn.parts):
        for simpler in _smaller_parts(part):
            yield replace(turn, parts=(*turn.parts[:at], simpler, *turn.parts[at + 1 :]))
    if turn.stop is not FinishReason.END:
        yield replace(turn, stop=FinishReason.END)
    if turn.usage != Usage():
        yield replace(turn, usage=Usage())
    if turn.deltas != "whole":
        yield replace(turn, deltas="whole")


def _fewer(parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    half = len(parts) // 2
    if half > 1:
        yield parts[:half]
        yield parts[half:]
    for at in range(len(parts)):
        yield parts[:at] + parts[at + 1 :]


def _smaller_parts(part: Part) -> Iterator[Part]:
    if isinstance(part, Call):
        for arguments in _smaller_texts(part.arguments):
            yield replace(part, arguments=arguments)
        if part.id is not None:
            yield replace(part, id=None)
        if len(part.name) > 1:
            yield replace(part, name=part.name[:1])
    else:
        for text in _smaller_texts(part.text):
            yield replace(part, text=text)


def _smaller_texts(text: str) -> Iterator[str]:
    """Halves, then the text without pieces of half the length and less, then with a simpler character."""
    size = len(text)
    while size:
        for at in range(0, len(text), size):
            yield joined(text[:at] + text[at + size :])
        size //= 2
    for at, letter in enumerate(text):
        if letter != _SIMPLE:
            yield text[:at] + _SIMPLE + text[at + 1 :]


def _fewer_cuts(example: StreamExample) -> Iterator[StreamExample]:
    """In one piece, in single bytes, cut in two at one of its cuts, or without one of its sizes."""
    sizes = example.sizes
    if not sizes:
        return
    yield replace(example, sizes=())
    if sizes != (1,):
        yield replace(example, sizes=(1,))
    if len(sizes) > 2:
        length = len(sent(example).body)
        cuts = accumulate(map(len, delivered(example)))
        yield from (replace(example, sizes=(at, length)) for at in cuts if at < length)
        yield from (replace(example, sizes=sizes[:at] + sizes[at + 1 :]) for at in range(len(sizes)))


def _earlier_fault(example: StreamExample) -> Iterator[StreamExample]:
    fault = example.fault
    if fault is None:
        return
    yield replace(example, fault=None)
    if fault.kind not in ("no end", "end twice"):
        yield replace(example, fault=StreamFault("no end"))
        for at in (0, fault.at // 2, fault.at - 1):
            if 0 <= at < fault.at:
                yield replace(example, fault=replace(fault, at=at))
