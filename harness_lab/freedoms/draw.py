"""Styles of loops: until every pair of freedoms that a wire allows was taken together, and then at random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, product
from random import Random

from harness.wire import WireName
from harness_lab.freedoms.table import Freedom, excluded, freedoms_of

Pair = frozenset[str]


def drawn(wire: WireName, seed: int, count: int) -> list[dict[str, str]]:
    """As many styles for the wire: those that cover all pairs first, as far as there is room for them."""
    random = Random(f"{seed} {wire}")
    return list(islice(chain(_covering(wire, random), _at_random(wire, random)), count))


def pairs(chosen: Mapping[str, str]) -> Iterator[Pair]:
    """Every two freedoms of a style."""
    for two in combinations(sorted(f"{axis}/{name}" for axis, name in chosen.items()), 2):
        yield frozenset(two)


def allowed(wire: WireName) -> set[Pair]:
    """Every two freedoms of different axes that the wire has and that do not exclude each other."""
    axes = freedoms_of(wire).values()
    both = (two for first, second in combinations(axes, 2) for two in product(first, second))
    return {frozenset(map(str, two)) for two in both if not _apart(*two)}


def _apart(one: Freedom, other: Freedom) -> bool:
    return str(one) in other.excludes or str(other) in one.excludes


def _covering(wire: WireName, random: Random) -> Iterator[dict[str, str]]:
    """Styles that together take every allowed pair, each of which takes as many new ones as it can."""
    left = allowed(wire)
    axes = freedoms_of(wire)
    while left:
        style = dict(each.split("/") for each in random.choice(sorted(map(sorted, left))))
        for axis in random.sample(sorted(axes), len(axes)):
            if axis not in style:
                style[axis] = _best(axes[axis], style, left, random)
        left -= set(pairs(style))
        yield style


def _best(freedoms: Sequence[Freedom], style: Mapping[str, str], left: set[Pair], random: Random) -> str:
    """The freedom that takes the most new pairs with those chosen so far, of those that none of them excludes."""
    chosen = [f"{axis}/{name}" for axis, name in style.items()]
    fits = [each for each in freedoms if not excluded({**style, each.axis: each.name})]
    order = random.sample(fits, len(fits))
    return max(order, key=lambda each: sum(frozenset((str(each), other)) in left for other in chosen)).name


def _at_random(wire: WireName, random: Random) -> Iterator[dict[str, str]]:
    axes = freedoms_of(wire)
    while True:
        style = {axis: random.choice(rows).name for axis, rows in axes.items()}
        if not excluded(style):
            yield style
