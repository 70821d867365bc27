"""Numbers within the bounds of a schema: candidates, the plainest first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

_NEAR: Final = 12
"""How many numbers after the first one are tried."""

Schema = Mapping[str, Any]


def numbers(parts: Sequence[Schema], *, whole: bool, skip: int = 0) -> Iterator[int | float]:
    """Numbers that fit the bounds and factors of ``parts`` together; ``whole``: without a fraction.

    The first ``skip`` numbers are left out if there are more.
    """
    exact = (_exact(part.get("multipleOf")) for part in parts)
    factors = [factor for factor in exact if factor is not None and factor > 0]
    step = _common([*factors, Fraction(1)] if whole else factors)
    low, high = _lowest(parts), _highest(parts)
    found = list(dict.fromkeys(_on_a_grid(step, low, high) if step else _between(low, high)))
    if step is not None:  # first those that a validator finds, too, which divides as a machine does: 1.1 by 0.05
        found.sort(key=lambda value: not all((value / float(factor)).is_integer() for factor in factors))
    yield from (*found[skip % len(found) :], *found[: skip % len(found)]) if found else ()


Bound = tuple[Fraction, bool] | None
"""A bound, and whether the bound itself is excluded."""


def _lowest(parts: Sequence[Schema]) -> Bound:
    bounds = [each for part in parts for each in _bounds(part, "minimum", "exclusiveMinimum")]
    return max(bounds, default=None)


def _highest(parts: Sequence[Schema]) -> Bound:
    bounds = [each for part in parts for each in _bounds(part, "maximum", "exclusiveMaximum")]
    return min(bounds, key=lambda bound: (bound[0], not bound[1]), default=None)


def _bounds(part: Schema, closed: str, opened: str) -> Iterator[tuple[Fraction, bool]]:
    outside = part.get(opened)
    if (bound := _exact(part.get(closed))) is not None:
        yield bound, outside is True  # as draft-04 has it
    if (bound := _exact(outside)) is not None:
        yield bound, True


def _on_a_grid(step: Fraction, low: Bound, high: Bound) -> Iterator[int | float]:
    if low is not None:
        first, way = math.ceil(low[0] / step), 1
        first += int(low[1] and first * step == low[0])
    elif high is not None and high[0] < max(step, Fraction(1)):
        first, way = math.floor(high[0] / step), -1
        first -= int(high[1] and first * step == high[0])
    else:
        first, way = 1, 1
    for at in range(_NEAR):
        value = (first + way * at) * step
        if not _within(value, low, high):
            break
        yield from _written(value)
    yield from _written(Fraction(0)) if _within(Fraction(0), low, high) else ()


def _between(low: Bound, high: Bound) -> Iterator[int | float]:
    one, half = Fraction(1), Fraction(1, 2)
    if low is not None and high is not None:
        parts = [low[0], *(low[0] + (high[0] - low[0]) * share / 8 for share in (4, 1, 7, 3)), high[0]]
        tried = [*parts[:1], low[0] + 1, *parts[1:]]
    elif low is not None:
        tried = [low[0], *(low[0] + each for each in (one, half, one * 2, one / 4, one * 10, one * 3))]
    elif high is not None and high[0] <= 1:
        tried = [high[0], *(high[0] - each for each in (one, half, one * 2, one / 4, one * 10, one * 3))]
    else:
        tried = [one, one * 2, half, one * 3, one / 4, one * 0, -one]
    for value in tried:
        if _within(value, low, high):
            yield from _written(value)


def _within(value: Fraction, low: Bound, high: Bound) -> bool:
    above = low is None or value > low[0] or (value == low[0] and not low[1])
    return above and (high is None or value < high[0] or (value == high[0] and not high[1]))


def _written(value: Fraction) -> Iterator[int | float]:
    if value.denominator == 1:
        yield int(value)
        return
    try:
        yield float(value)
    except OverflowError:  # no number of JSON that anybody reads
        return


def _common(factors: Sequence[Fraction]) -> Fraction | None:
    """The smallest number that is a multiple of each factor; None if there is none."""
    if not factors:
        return None
    above = math.lcm(*(each.numerator for each in factors))
    return Fraction(above, math.gcd(*(each.denominator for each in factors)))


def _exact(value: object) -> Fraction | None:
    """The exact value of a number as it is written: 0.1 is a tenth."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return Fraction(value) if isinstance(value, int) else Fraction(repr(value))
    except (ValueError, OverflowError):  # infinite, or no number
        return None
