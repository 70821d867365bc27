"""A figure: one thing that was measured, ours beside a peer's, and what it shall be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

Unit = Literal["s", "B", "/s", "exponent"]
"""Seconds, bytes, how many a second; or the b of time ~ size ** b."""

Counted = Literal["CPU", "wall", "memory", "heap"]
"""What was counted: CPU time of all that ran, wall time, the most memory that a process held, JavaScript's heap."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound of a figure: of its ratio to the peer, or of what is ours, in its unit (seconds, bytes)."""

    of: Literal["ratio", "ours"]
    bound: Literal["at most", "at least"]
    limit: float

    def met(self, ratio: float | None, ours: float) -> bool:
        measured = ratio if self.of == "ratio" else ours
        assert measured is not None, f"a goal of the ratio needs a peer: {self}"
        return measured <= self.limit if self.bound == "at most" else measured >= self.limit


@dataclass(frozen=True, slots=True)
class Figure:
    """Medians over rounds. ``ratio`` is ours divided by the peer's, round by round; None without a peer.

    ``least`` and ``most`` are those of the ratio, or of ``ours`` where nothing stands beside it.
    """

    what: str
    ours: float
    least: float
    most: float
    unit: Unit = "s"
    counted: Counted = "CPU"
    beside: str = ""
    theirs: float | None = None
    ratio: float | None = None
    goals: tuple[Goal, ...] = ()

    @classmethod
    def of(
        cls,
        what: str,
        ours: Sequence[float],
        *goals: Goal,
        beside: str = "",
        theirs: Sequence[float] = (),
        unit: Unit = "s",
        counted: Counted = "CPU",
    ) -> Figure:
        """The figure of what was measured in each round; ``theirs`` in the same rounds, if anything is ``beside``."""
        ratios = [one / other for one, other in zip(ours, theirs, strict=True)] if beside else []
        spread = ratios or ours
        return cls(
            what=what,
            ours=median(ours),
            least=min(spread),
            most=max(spread),
            unit=unit,
            counted=counted,
            beside=beside,
            theirs=median(theirs) if beside else None,
            ratio=median(ratios) if beside else None,
            goals=goals,
        )

    @property
    def missed(self) -> tuple[Goal, ...]:
        return tuple(goal for goal in self.goals if not goal.met(self.ratio, self.ours))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What could not be measured here, and why."""

    what: str
    why: str


Row = Figure | LeftOut


def row_from(values: Mapping[str, Any]) -> Row:
    """The row of which ``asdict`` made ``values``, by way of JSON."""
    if "why" in values:
        return LeftOut(**values)
    return Figure(**{**values, "goals": tuple(Goal(**goal) for goal in values["goals"])})
