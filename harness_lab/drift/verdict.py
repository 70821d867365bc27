"""A comparison with the reasons laid beside it: what is unreal, what is known, and which features are not rendered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from harness.recording.forms import Shape
from harness_lab.drift.comparison import Comparison
from harness_lab.drift.features import FEATURES, Feature
from harness_lab.drift.known import KNOWN, Known
from harness_lab.drift.patterns import matching

__all__ = ["Verdict", "judge"]

Reason = TypeVar("Reason", Known, Feature)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison comes to.

    ``unreal`` are shapes that are rendered, in no recording, and without a reason. ``excused`` has those with one.
    ``stale`` are reasons that nothing needs any more, each with its pattern. ``unexplained`` are shapes that are
    recorded, not rendered, and of no feature in the list; ``features`` has the others.
    """

    comparison: Comparison
    unreal: tuple[Shape, ...]
    excused: tuple[tuple[Known, tuple[Shape, ...]], ...]
    stale: tuple[tuple[Known, str], ...]
    unexplained: tuple[Shape, ...]
    features: tuple[tuple[Feature, tuple[Shape, ...]], ...]

    @property
    def holds(self) -> bool:
        return not self.unreal and not self.stale


def judge(comparison: Comparison, known: Sequence[Known] = KNOWN, features: Sequence[Feature] = FEATURES) -> Verdict:
    """Lay the reasons beside a comparison. The first reason that means a shape has it."""
    reasons = [each for each in known if (each.wire, each.server) == (comparison.wire, comparison.server)]
    excused, unreal = _share_out(comparison.unreal, [(reason, reason.patterns) for reason in reasons])
    left_out = [each for each in features if each.server in (None, comparison.server)]
    explained, unexplained = _share_out(comparison.unrendered, [(each, each.patterns) for each in left_out])
    return Verdict(comparison, unreal, excused, tuple(_stale(comparison, reasons)), unexplained, explained)


def _share_out(
    shapes: Iterable[Shape], reasons: Sequence[tuple[Reason, Sequence[str]]]
) -> tuple[tuple[tuple[Reason, tuple[Shape, ...]], ...], tuple[Shape, ...]]:
    """The shapes of each reason that has some, and those of none."""
    left = list(shapes)
    shared: list[tuple[Reason, tuple[Shape, ...]]] = []
    for reason, patterns in reasons:
        meant = {text for pattern in patterns for text in matching(pattern, left)}
        if meant:
            shared.append((reason, tuple(shape for shape in left if str(shape) in meant)))
            left = [shape for shape in left if str(shape) not in meant]
    return tuple(shared), tuple(left)


def _stale(comparison: Comparison, reasons: Iterable[Known]) -> Iterator[tuple[Known, str]]:
    """Patterns that mean nothing unreal, where enough is recorded to say so."""
    for reason in reasons:
        for pattern in reason.patterns:
            form = pattern.partition(" | ")[0]
            if form in comparison.judged and not matching(pattern, comparison.unreal):
                yield reason, pattern
