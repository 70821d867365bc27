"""The result of a comparison with recordings, as lines of plain text. The last line is the counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.cassette.forms import FORMS
from harness.imports.comparison import RecordedComparison
from harness_lab.recorded.drift.shapes import ENOUGH, Seen, ServedShapes, Shapes
from harness_lab.recorded.drift.verdict import Drift


def report(drifts: Sequence[Drift]) -> Iterator[str]:
    """Each wire as each server speaks it: errors, unexplained shapes, explained shapes, and the counts."""
    for drift in drifts:
        yield from _one(drift)
        yield ""
    yield _counts(drifts)


def _one(drift: Drift) -> Iterator[str]:
    served = drift.served
    yield f"{served.wire} as {served.server}"
    yield f"  rendered  {_responses(served.rendered)}"
    yield f"  recorded  {_responses(served.recorded)}"
    if few := [form for form in FORMS if form not in served.judged]:
        yield f"  not judged, for want of {ENOUGH} recordings: {', '.join(few)}"
    yield from _unreal(drift)
    yield from _stale(drift)
    yield from _unexplained(drift)
    yield from _known(drift)
    yield from _features(drift)


def _responses(shapes: Shapes) -> str:
    counts = shapes.responses
    return ", ".join(f"{counts[form]} {form}" for form in FORMS if counts[form]) or "nothing"


def _unreal(drift: Drift) -> Iterator[str]:
    for place, seen in _seen(drift.unreal, drift.served.rendered):
        yield f"  RENDERED, NEVER REAL  {place}"
        yield f"      {seen.count} times, first for: {seen.example}{_elsewhere(drift.served, place)}"


def _elsewhere(served: ServedShapes, place: str) -> str:
    seen = served.elsewhere.of(place)
    return f"; {seen.count} recordings of other servers have it, first {seen.example}" if seen else ""


def _stale(drift: Drift) -> Iterator[str]:
    for reason, pattern in drift.unreal.stale:
        yield f"  NO LONGER NEEDED  {pattern}"
        yield f"      take it out of harness_lab/recorded/drift/known.yaml: {reason.why}"


def _unexplained(drift: Drift) -> Iterator[str]:
    for place, seen in _seen(drift.unrendered, drift.served.recorded):
        yield f"  real, not rendered, not explained  {place}"
        yield f"      {seen.count} recordings, first {seen.example}"


def _seen(comparison: RecordedComparison[Any], shapes: Shapes) -> Iterator[tuple[str, Seen]]:
    """The shapes without a reason, with their counts."""
    for difference in comparison.differences:
        if seen := shapes.of(difference.place):
            yield difference.place, seen


def _known(drift: Drift) -> Iterator[str]:
    for reason, shapes in drift.unreal.explained:
        yield f"  known  {_times(shapes)} rendered and not recorded: {reason.why}"
        yield f"      {reason.evidence}"


def _features(drift: Drift) -> Iterator[str]:
    counted = {str(shape): seen for shape, seen in drift.served.recorded.seen.items()}
    for reason, shapes in drift.unrendered.explained:
        most = max((each.place for each in shapes), key=lambda place: counted[place].count)
        yield f"  left out  {reason.name}, {_times(shapes)}: {reason.why}"
        yield f"      most often {most}: {counted[most].count} recordings, first {counted[most].example}"


def _times(shapes: Sequence[object]) -> str:
    return f"{len(shapes)} shape{'s' * (len(shapes) > 1)}"


def _counts(drifts: Sequence[Drift]) -> str:
    rendered = sum(len(drift.served.rendered.seen) for drift in drifts)
    unreal = sum(len(drift.unreal.differences) for drift in drifts)
    known = sum(len(shapes) for drift in drifts for _, shapes in drift.unreal.explained)
    stale = sum(len(drift.unreal.stale) for drift in drifts)
    explained = sum(len(shapes) for drift in drifts for _, shapes in drift.unrendered.explained)
    unexplained = sum(len(drift.unrendered.differences) for drift in drifts)
    return (
        f"{rendered} rendered shapes: {unreal} never real, {known} known, {stale} reasons no longer needed; "
        f"{explained + unexplained} real and not rendered, {unexplained} of them unexplained"
    )
