"""Simpler texts of answers, the simplest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from harness.fuzz.strategies.text_tags import call
from harness.fuzz.text_tags.example import ArrivingText, arriving
from harness.fuzz.text_tags.grammar import TAG, name_and_arguments
from harness.wire.text_tags.tags import END_OF, Tag

_TOKEN: Final = re.compile(rf'{TAG.pattern}|"(?:[^"\\]|\\.)*+"|\w+|\s+|.', re.DOTALL)
_ARGS: Final = re.compile(r'"args":\s*(\{.*\})\s*\}\s*\Z', re.DOTALL)
_SIMPLE: Final = "a0 "


def measure(example: ArrivingText) -> tuple[int, int, int, int]:
    """How large an example is. Each example from ``smaller`` has a smaller measure, so that shrinking ends."""
    text = "".join(example.deltas)
    return example.times, len(text), len(example.deltas), sum(map(_oddness, text))


def smaller(example: ArrivingText) -> Iterator[ArrivingText]:
    """Fewer repetitions; large parts left out, then single characters; calls in a simpler form; fewer cuts; simpler
    characters."""
    if example.times > 1:
        yield from (replace(example, times=times) for times in (1, example.times // 2, example.times - 1))
    if len(example.deltas) > 1:
        yield replace(example, deltas=arriving(["".join(example.deltas)]).deltas)
    yield from (_without(example, start, end) for start, end in _parts("".join(example.deltas)))
    yield from _with_simple_calls(example)
    yield from _with_fewer_cuts(example)
    yield from _with_simple_characters(example)


# --- less text ----------------------------------------------------------------------------------------------


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Spans that can be left out: rows of tokens, then rows of characters, longer ones first."""
    for borders in ([0, *(found.end() for found in _TOKEN.finditer(text))], range(len(text) + 1)):
        count = len(borders) - 1
        for size in _row_lengths(count):
            step = max(1, size // 2)
            for start in range(0, count - size + 1, step):
                yield borders[start], borders[start + size]


def _row_lengths(count: int) -> list[int]:
    """Halves of halves down to 12, then every length."""
    lengths = []
    while count > 24:
        count //= 2
        lengths.append(count)
    return [*lengths, *range(min(count, 12), 0, -1)]


def _without(example: ArrivingText, start: int, end: int) -> ArrivingText:
    """The example without its characters from ``start`` to ``end``."""
    return _with(example, start, end, "")


def _with(example: ArrivingText, start: int, end: int, text: str) -> ArrivingText:
    """The example with ``text`` instead of these characters; the cuts around them stay."""
    deltas, at = [], 0
    for delta in example.deltas:
        before, behind = delta[: max(0, start - at)], delta[max(0, end - at) :]
        deltas.append(before + (text if at <= start < at + len(delta) else "") + behind)
        at += len(delta)
    return arriving(deltas, example.times)


def _with_simple_calls(example: ArrivingText) -> Iterator[ArrivingText]:
    """A block becomes the shortest possible call, or the same call in fewer characters."""
    text = "".join(example.deltas)
    for start, end in _insides(text):
        called, written = name_and_arguments(text[start:end]), _ARGS.search(text, start, end)
        for arguments in ({}, called[1] if called else {}, written[1] if written else {}):
            simple = call("a", arguments, ("", ""), colon=True)
            if len(simple) < end - start:
                yield _with(example, start, end, simple)


def _insides(text: str) -> Iterator[tuple[int, int]]:
    """The text between every tag that ends a call and any tag before it that may begin it."""
    found = [(each.start(), each.end(), Tag(each[0])) for each in TAG.finditer(text)]
    for place, (end, _, ending) in enumerate(found):
        yield from ((start, end) for _, start, begin in found[:place] if END_OF.get(begin) is ending)


# --- fewer cuts, and simpler characters -----------------------------------------------------------------------


def _with_fewer_cuts(example: ArrivingText) -> Iterator[ArrivingText]:
    deltas = example.deltas
    for size in _row_lengths(len(deltas)):
        for start in range(0, len(deltas), max(2, size)):
            joined = _fewer_deltas(deltas, start, start + max(2, size))
            if len(joined) < len(deltas):
                yield arriving(joined, example.times)


def _fewer_deltas(deltas: Sequence[str], start: int, end: int) -> list[str]:
    return [*deltas[:start], "".join(deltas[start:end]), *deltas[end:]]


def _with_simple_characters(example: ArrivingText) -> Iterator[ArrivingText]:
    for at, mark in enumerate("".join(example.deltas)):
        for simple in _SIMPLE[: _oddness(mark)]:
            yield _with(example, at, at + 1, simple)


def _oddness(mark: str) -> int:
    """How far a character is from ``a``."""
    return _SIMPLE.index(mark) if mark in _SIMPLE else len(_SIMPLE) + (not mark.isascii())
