"""Event expressions as an automaton: matching reads every event once and never goes back.

This is Glushkov's construction. Each event pattern of the expression is one *position*; ``follow`` says which
positions may come after a position. Matching keeps the set of positions that may come next, so the first event
that none of them accepts ends the longest possible match, and that set is the answer to "what could have come".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from harness.scenario.patterns import EventPattern
from harness.trace import Event

MAX_POSITIONS = 2_000
"""The most positions of an expression. Repetitions are copies, so ``{n}`` inside ``{n}`` can multiply them."""

MAX_COPIES = 20_000
"""The most copies of groups. A group may have no position, so ``MAX_POSITIONS`` does not limit these copies."""


# --- the expression as it was written ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Series:
    """All items, one after another. Without items it matches an empty sequence of events."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the items."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``item`` at least ``low`` times and at most ``high`` times (None: no limit)."""

    item: Node
    low: int
    high: int | None


Node = EventPattern | Series | Choice | Repeat


# --- the expression as it is matched ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NoMatch:
    """Where matching ended: the first ``matched`` events fit; ``expected`` could have come instead of the next one.

    ``may_end`` says that the events could also have ended there.
    """

    matched: int
    expected: tuple[EventPattern, ...]
    may_end: bool


@dataclass(frozen=True, slots=True)
class EventExpression:
    """A compiled expression. ``source`` is its text."""

    source: str
    positions: tuple[EventPattern, ...]
    first: frozenset[int]
    last: frozenset[int]
    follow: tuple[frozenset[int], ...]
    nullable: bool

    def names(self, kind: str) -> bool:
        """Whether the expression names this kind of event."""
        return any(position.kind == kind for position in self.positions)

    def without(self, kinds: frozenset[str]) -> EventExpression:
        """Return the expression for a loop that emits no events of these kinds."""
        silent = frozenset(at for at, position in enumerate(self.positions) if position.kind in kinds)
        if not silent:
            return self
        follow = [self._beyond(after, silent) for after in self.follow]
        first = self._beyond(self.first, silent)
        ends = (at for at, after in enumerate(follow) if at in self.last or not silent.isdisjoint(after & self.last))
        return EventExpression(
            self.source,
            self.positions,
            first - silent,
            frozenset(ends) - silent,
            tuple(after - silent for after in follow),
            self.nullable or not silent.isdisjoint(first & self.last),
        )

    def _beyond(self, start: frozenset[int], silent: frozenset[int]) -> frozenset[int]:
        """``start``, and all positions that can be reached from it through silent positions."""
        reached = set(start)
        waiting = list(start & silent)
        while waiting:
            new = self.follow[waiting.pop()] - reached
            reached |= new
            waiting += new & silent
        return frozenset(reached)

    def match(self, events: Iterable[Event]) -> NoMatch | None:
        """Match all events. None means that they fit the expression."""
        possible, may_end = self.first, self.nullable
        matched = 0
        for event in events:
            taken = [at for at in possible if self.positions[at].accepts(event)]
            if not taken:
                return NoMatch(matched, self._patterns(possible), may_end)
            possible = _union(self.follow[at] for at in taken) if len(taken) > 1 else self.follow[taken[0]]
            may_end = not self.last.isdisjoint(taken)
            matched += 1
        return None if may_end else NoMatch(matched, self._patterns(possible), may_end)

    def _patterns(self, positions: frozenset[int]) -> tuple[EventPattern, ...]:
        return tuple(dict.fromkeys(self.positions[at] for at in sorted(positions)))


# --- from one to the other --------------------------------------------------------------------------------


class TooLarge(Exception):
    """The repetitions of an expression multiply beyond ``MAX_POSITIONS`` or ``MAX_COPIES``."""


@dataclass(frozen=True, slots=True)
class _Fragment:
    """A part of the automaton: where it may begin and end, and whether it may be skipped."""

    first: frozenset[int]
    last: frozenset[int]
    nullable: bool


_NOTHING = _Fragment(frozenset(), frozenset(), nullable=True)


def compile_expression(source: str, tree: Node) -> EventExpression:
    """Build the automaton of ``tree``. Raises ``TooLarge``."""
    builder = _AutomatonBuilder()
    whole = builder.build(tree)
    follow = tuple(frozenset(after) for after in builder.follow)
    return EventExpression(source, tuple(builder.positions), whole.first, whole.last, follow, whole.nullable)


class _AutomatonBuilder:
    def __init__(self) -> None:
        self.positions: list[EventPattern] = []
        self.follow: list[set[int]] = []
        self._copies = 0

    def build(self, node: Node) -> _Fragment:
        self._copies += 1
        if self._copies > MAX_COPIES:
            raise TooLarge
        match node:
            case EventPattern():
                return self._position(node)
            case Series(items):
                return self._sequence(items)
            case Choice(items):
                branches = [self.build(item) for item in items]
                return _Fragment(
                    _union(branch.first for branch in branches),
                    _union(branch.last for branch in branches),
                    any(branch.nullable for branch in branches),
                )
            case Repeat(item, low, high):
                return self._repeat(item, low, high)

    def _position(self, pattern: EventPattern) -> _Fragment:
        at = len(self.positions)
        if at >= MAX_POSITIONS:
            raise TooLarge
        self.positions.append(pattern)
        self.follow.append(set())
        return _Fragment(frozenset([at]), frozenset([at]), nullable=False)

    def _sequence(self, items: Sequence[Node]) -> _Fragment:
        whole = _NOTHING
        for item in items:
            whole = self._join(whole, self.build(item))
        return whole

    def _repeat(self, item: Node, low: int, high: int | None) -> _Fragment:
        required = self._sequence([item] * low)
        if high is None:
            return self._join(required, self._star(item))
        # x{2,4} is x x (x (x)?)?, nested from the inside, so that each copy leads only to the next one.
        rest = _NOTHING
        for _ in range(high - low):
            rest = _optional(self._join(self.build(item), rest))
        return self._join(required, rest)

    def _star(self, item: Node) -> _Fragment:
        once = self.build(item)
        for at in once.last:
            self.follow[at] |= once.first
        return _optional(once)

    def _join(self, left: _Fragment, right: _Fragment) -> _Fragment:
        for at in left.last:
            self.follow[at] |= right.first
        return _Fragment(
            left.first | right.first if left.nullable else left.first,
            left.last | right.last if right.nullable else right.last,
            left.nullable and right.nullable,
        )


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset(chain.from_iterable(sets))


def _optional(fragment: _Fragment) -> _Fragment:
    return _Fragment(fragment.first, fragment.last, nullable=True)
