"""Differences between our results and recorded ones, and the known reasons that explain them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, Literal, TypeVar

Happened = TypeVar("Happened")

Verdict = Literal["agrees", "explained", "differs", "not compared"]
"""``differs``: at least one difference that no reason explains."""


@dataclass(frozen=True, slots=True)
class RecordedDifference:
    """One ``place`` in which our result is not the recorded one: what was expected there, and what came.

    ``at`` names the exchange, if the recording has several.
    """

    place: str
    expected: str = ""
    got: str = ""
    at: str = ""

    def __str__(self) -> str:
        return f"{self.place}: expected {self.expected}, got {self.got}"


@dataclass(frozen=True, slots=True)
class Reason(Generic[Happened]):
    """A known reason for differences, or for comparing nothing.

    ``explains`` returns the places at which the reason explains a difference, from what happened; empty if the reason
    does not apply. ``*`` in a place matches anything. ``why`` is one line for a person, ``name`` the name in reports,
    ``evidence`` the source of the knowledge.
    """

    why: str
    explains: Callable[[Happened], Iterable[str]] = lambda _: ()
    name: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class RecordedComparison(Generic[Happened]):
    """One recorded thing, compared with ours.

    ``differences`` are those that no reason explains, ``explained`` the others by reason. ``stale`` has the reasons
    that apply, each with a place at which nothing differs. ``obstacle`` is why nothing was compared, and ``at`` the
    exchange that shows it.
    """

    happened: Happened
    differences: tuple[RecordedDifference, ...] = ()
    explained: tuple[tuple[Reason[Happened], tuple[RecordedDifference, ...]], ...] = ()
    stale: tuple[tuple[Reason[Happened], str], ...] = ()
    obstacle: Reason[Happened] | None = None
    at: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict of the comparison. A stale reason does not change it."""
        if self.differences:
            return "differs"
        if self.obstacle:
            return "not compared"
        return "explained" if self.explained else "agrees"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the reasons that explain something."""
        return tuple(reason.name for reason, _ in self.explained)

    @property
    def sound(self) -> bool:
        """Whether every difference is explained and every reason is needed."""
        return not self.differences and not self.stale


def compare(
    happened: Happened,
    differences: Iterable[RecordedDifference],
    reasons: Sequence[Reason[Happened]],
    *,
    shared: bool = True,
    needed: bool = True,
) -> RecordedComparison[Happened]:
    """Explain ``differences`` by ``reasons``.

    With ``shared`` a difference is explained by every reason that applies to it, else by the first one alone. With
    ``needed`` a reason is stale if it applies to a place at which nothing differs.
    """
    every = list(differences)
    left = every
    explained: list[tuple[Reason[Happened], tuple[RecordedDifference, ...]]] = []
    stale: list[tuple[Reason[Happened], str]] = []
    for reason in reasons:
        places = tuple(reason.explains(happened))
        met = set(_met(places, every if shared else left))
        if met:
            explained.append((reason, tuple(each for each in (every if shared else left) if each.place in met)))
        left = [each for each in left if each.place not in met]
        if needed:
            stale += [(reason, place) for place in places if not matching(place, [each.place for each in every])]
    return RecordedComparison(happened, tuple(left), tuple(explained), tuple(stale))


def _met(patterns: Iterable[str], differences: Iterable[RecordedDifference]) -> Iterator[str]:
    places = [each.place for each in differences]
    for pattern in patterns:
        yield from matching(pattern, places)


def matching(pattern: str, places: Iterable[str]) -> list[str]:
    """The ``places`` that the whole pattern matches."""
    if "*" not in pattern:
        return [pattern] if pattern in places else []
    meant = _regex_of(pattern)
    return [place for place in places if meant.fullmatch(place)]


@cache
def _regex_of(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))))
