"""Simpler examples: a shorter text first, then fewer cuts, then plainer characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from operator import sub
from typing import Final

from harness.fuzz.arguments.example import ArgumentsExample, Stretch

_TOKEN: Final = re.compile(r'"(?:path|content)"|\\u[0-9a-fA-F]{4}|\\.|.', re.DOTALL)
"""Units that are removed as a whole. The two keys stay whole, because loops show the values under them."""

_PLAIN: Final = "a"
_PLAINER: Final = ("a", "0", " ")


def measure(example: ArgumentsExample) -> tuple[int, ...]:
    """A measure that decreases with every simpler example: characters, stretched ones, cuts, unusual characters."""
    deltas = example.deltas
    stretched = (example.stretch.end - example.stretch.start, example.stretch.times) if example.stretch else (0, 0)
    return (len(example.text), *stretched, len(deltas), len(example.sizes), sum(example.sizes), _strange(example.text))


def smaller(example: ArgumentsExample) -> Iterator[ArgumentsExample]:
    """Examples with a smaller ``measure``, the boldest first."""
    before = measure(example)
    for candidate in _candidates(example):
        if measure(candidate) < before:
            yield candidate


def _candidates(example: ArgumentsExample) -> Iterator[ArgumentsExample]:
    yield from _shorter(example)
    yield from _less_cut(example)
    yield from _plainer(example)


def _shorter(example: ArgumentsExample) -> Iterator[ArgumentsExample]:
    """Without a half, a quarter ... of the tokens, and at the end without one or two separate ones."""
    tokens = [(found.start(), found.end()) for found in _TOKEN.finditer(example.text)]
    size = len(tokens)
    while size:
        for first in range(0, len(tokens), size):
            taken = tokens[first : first + size]
            yield from _without(example, taken[0][0], taken[-1][1])
        size //= 2


def _without(example: ArgumentsExample, start: int, end: int) -> Iterator[ArgumentsExample]:
    """The example without the characters from ``start`` to ``end``, with the old cuts or the old sizes."""
    text, gone = example.text[:start] + example.text[end:], end - start
    stretch = example.stretch
    if stretch is not None:
        if end <= stretch.start:
            stretch = Stretch(stretch.start - gone, stretch.end - gone, stretch.times)
        elif stretch.start <= start and end <= stretch.end and gone < stretch.end - stretch.start:
            stretch = replace(stretch, end=stretch.end - gone)
        elif start < stretch.end:
            return  # it would be touched in part
    elif len(example.sizes) == len(ends := _ends(example)) + 1:
        left = [at - gone if at >= end else min(at, start) for at in ends]
        yield _cut_at(replace(example, text=text), left)
    yield replace(example, text=text, stretch=stretch)


def _less_cut(example: ArgumentsExample) -> Iterator[ArgumentsExample]:
    """In one delta, in two, or with one cut less."""
    ends = _ends(example)
    if not example.sizes:
        return
    yield replace(example, sizes=())
    if example.stretch is None:
        for end in ends if len(ends) > 1 else ():
            yield _cut_at(example, [end])
        for at in range(len(ends)):
            yield _cut_at(example, ends[:at] + ends[at + 1 :])
    for at, size in enumerate(example.sizes):
        if size > 1:
            yield replace(example, sizes=(*example.sizes[:at], size - 1, *example.sizes[at + 1 :]))


def _cut_at(example: ArgumentsExample, ends: list[int]) -> ArgumentsExample:
    """The example, cut at these places of its text."""
    length = len(example.text)
    inner = sorted({end for end in ends if 0 < end < length})
    return replace(example, sizes=tuple(map(sub, [*inner, length], [0, *inner])) if inner else ())


def _ends(example: ArgumentsExample) -> list[int]:
    return list(accumulate(map(len, example.deltas[:-1])))


def _plainer(example: ArgumentsExample) -> Iterator[ArgumentsExample]:
    text = example.text
    for at, character in enumerate(text):
        for plain in _PLAINER[: _PLAINER.index(character) if character in _PLAINER else None]:
            yield replace(example, text=text[:at] + plain + text[at + 1 :])


def _strange(text: str) -> int:
    """How unusual the characters are."""
    return sum(_PLAINER.index(character) if character in _PLAINER else 10 for character in text)
