"""Simpler examples: a shorter text first, then fewer cuts, then plainer characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from harness.fuzz.arguments.example import ArgumentsExample, Stretch

__all__ = ["measure", "smaller"]

_TOKEN: Final = re.compile(r'"(?:path|content)"|\\u[0-9a-fA-F]{4}|\\.|.', re.DOTALL)
"""What is taken away as one. The two keys stay whole, because loops show what is under them."""

_PLAIN: Final = "a"
_PLAINER: Final = ("a", "0", " ")


def measure(example: ArgumentsExample) -> tuple[int, ...]:
    """What gets less with every simpler example: characters, stretched ones, cuts, characters that are not plain."""
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
    """Without a half, a quarter ... of the tokens, and in the end without one or two of them that stand apart."""
    tokens = [(found.start(), found.end()) for found in _TOKEN.finditer(example.text)]
    size = len(tokens)
    while size:
        for first in range(0, len(tokens), size):
            taken = tokens[first : first + size]
            yield from _without(example, taken[0][0], taken[-1][1])
        size //= 2


def _without(example: ArgumentsExample, start: int, end: int) -> Iterator[ArgumentsExample]:
    """The example without the characters from ``start`` to ``end``; a stretch is moved, and never touched in part."""
    text = example.text[:start] + example.text[end:]
    stretch = example.stretch
    if stretch is None or start >= stretch.end:
        yield replace(example, text=text)
    elif end <= stretch.start:
        moved = Stretch(stretch.start - (end - start), stretch.end - (end - start), stretch.times)
        yield replace(example, text=text, stretch=moved)
    elif stretch.start <= start and end <= stretch.end and end - start < stretch.end - stretch.start:
        yield replace(example, text=text, stretch=replace(stretch, end=stretch.end - (end - start)))


def _less_cut(example: ArgumentsExample) -> Iterator[ArgumentsExample]:
    sizes = example.sizes
    if sizes:
        yield replace(example, sizes=())
    length = len(example.text)
    if len(sizes) != 2 or sum(sizes) < length:
        ends = _ends(example)
        for end in ends:
            yield replace(example, sizes=(end, length))
    for at, size in enumerate(sizes):
        rest = sizes[:at] + sizes[at + 1 :]
        if any(rest):
            yield replace(example, sizes=rest)
        if size > 1:
            yield replace(example, sizes=(*sizes[:at], size - 1, *sizes[at + 1 :]))


def _ends(example: ArgumentsExample) -> list[int]:
    ends, at = [], 0
    for delta in example.deltas[:-1]:
        at += len(delta)
        ends.append(at)
    return [end for end in ends if 0 < end < len(example.text)]


def _plainer(example: ArgumentsExample) -> Iterator[ArgumentsExample]:
    text = example.text
    for at, character in enumerate(text):
        for plain in _PLAINER[: _PLAINER.index(character) if character in _PLAINER else None]:
            yield replace(example, text=text[:at] + plain + text[at + 1 :])


def _strange(text: str) -> int:
    """How far the characters are from plain ones."""
    return sum(_PLAINER.index(character) if character in _PLAINER else 10 for character in text)
