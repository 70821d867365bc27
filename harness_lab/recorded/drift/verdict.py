"""Compares rendered and recorded shapes: each shape that only one side has, with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.cassette.forms import Shape
from harness.imports.comparison import Reason, RecordedComparison, RecordedDifference, compare
from harness_lab.recorded.drift.features import FEATURES
from harness_lab.recorded.drift.known import KNOWN
from harness_lab.recorded.drift.shapes import ServedShapes

_Reasons = Sequence[Reason[ServedShapes]]


@dataclass(frozen=True, slots=True)
class Drift:
    """One wire as one server speaks it.

    ``unreal`` has the shapes that are rendered and in no recording, ``unrendered`` those that are recorded and not
    rendered.
    """

    served: ServedShapes
    unreal: RecordedComparison[ServedShapes]
    unrendered: RecordedComparison[ServedShapes]

    @property
    def sound(self) -> bool:
        """Whether all that is rendered is real or known, and every reason is needed."""
        return self.unreal.sound


def judge(served: ServedShapes, known: _Reasons = KNOWN, features: _Reasons = FEATURES) -> Drift:
    """Compare what is rendered with what was recorded. The first reason that applies to a shape explains it."""
    return Drift(
        served,
        compare(served, _differences(served.unreal, "", "rendered"), known, shared=False),
        compare(served, _differences(served.unrendered, "recorded", ""), features, shared=False, needed=False),
    )


def _differences(shapes: Iterable[Shape], expected: str, got: str) -> list[RecordedDifference]:
    return [RecordedDifference(str(shape), expected, got) for shape in shapes]
