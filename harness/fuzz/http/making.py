"""Makes examples: an enumeration that is always the same, and examples that Hypothesis draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from hypothesis import strategies as st

from harness.fuzz.http.example import HttpExample, Unit
from harness.fuzz.http.kinds import DAMAGED, KINDS, TRUNCATED
from harness.fuzz.strategies.choices import Choices

_SIZES: Final = (1, 2, 3, 7, 64, 1000)
_VARIATIONS: Final = 8
_MOST_CUTS: Final = 400
"""A longer request is not cut at every byte: it is long because it is filled with letters."""

_MOST_UNITS: Final = 12
_CHOICES: Final = 200
_NAMES: Final = tuple(KINDS)
_SERVED: Final = tuple(name for name, kind in KINDS.items() if not kind.ends)
_LAST: Final = tuple(name for name, kind in KINDS.items() if kind.ends)


def enumerated() -> Iterator[HttpExample]:
    """Every kind by itself: cut once at each byte, in pieces of one size, and between two good requests."""
    before, behind = Unit("chat", KINDS["chat"].make(Choices(b""))), Unit("models", KINDS["models"].make(Choices(b"")))
    for name, kind in KINDS.items():
        for variation in range(_VARIATIONS):
            unit = Unit(name, kind.make(Choices(bytes([variation] * 8))))
            yield HttpExample((unit,))
            yield HttpExample((before, unit, behind) if name != TRUNCATED else (before, unit))
        unit = Unit(name, kind.make(Choices(b"")))
        yield from (HttpExample((unit,), (at, len(unit.data))) for at in range(1, min(len(unit.data), _MOST_CUTS)))
        units = (before, unit, behind) if name != TRUNCATED else (before, unit)
        yield from (HttpExample(units, (size,)) for size in _SIZES if size * 2000 > len(unit.data))


@cache
def drawn() -> st.SearchStrategy[HttpExample]:
    """Several requests in sequence, sometimes cut, mostly with a last one that ends the connection."""
    return st.binary(min_size=8, max_size=_CHOICES).map(lambda choices: _drawn(Choices(choices)))


def _drawn(choices: Choices) -> HttpExample:
    sizes = tuple(1 + choices.below(256) for _ in range(choices.below(4))) if choices.below(3) == 2 else ()
    names = [choices.of(_SERVED) for _ in range(choices.below(_MOST_UNITS))]
    names += [DAMAGED] if choices.below(3) == 2 else [choices.of(_LAST)] if choices.below(2) else []
    units = tuple(Unit(name, KINDS[name].make(choices)) for name in names)
    return HttpExample(units or (Unit(_NAMES[0], KINDS[_NAMES[0]].make(choices)),), sizes)


def smaller(example: HttpExample) -> Iterator[HttpExample]:
    """In one piece, with fewer requests, with requests in their simplest form; then with fewer bytes."""
    if example.sizes:
        yield replace(example, sizes=())
        yield from (replace(example, sizes=(size,)) for size in example.sizes if len(example.sizes) > 1)
    for at in range(len(example.units)):
        rest = (*example.units[:at], *example.units[at + 1 :])
        if rest:
            yield replace(example, units=rest)
    for at, unit in enumerate(example.units):
        for simpler in _simpler(unit):
            yield replace(example, units=(*example.units[:at], simpler, *example.units[at + 1 :]))


def _simpler(unit: Unit) -> Iterator[Unit]:
    plain = Unit(unit.kind, KINDS[unit.kind].make(Choices(b"")))
    if len(plain.data) < len(unit.data):
        yield plain
    if unit.kind != DAMAGED:
        return
    length = len(unit.data)
    for size in (length // 2, length // 4, 16, 4, 1):
        if size:
            for at in range(0, length, size):
                if rest := unit.data[:at] + unit.data[at + size :]:
                    yield Unit(unit.kind, rest)
