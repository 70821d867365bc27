"""What a comparison with recordings came to, as lines of plain text. The last line is the counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.recording.forms import FORMS, Shape
from harness_lab.drift.comparison import ENOUGH, Comparison, Shapes
from harness_lab.drift.verdict import Verdict

__all__ = ["report"]


def report(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Each wire as each server speaks it: what is wrong, what is not explained, then what is, and the counts."""
    for verdict in verdicts:
        yield from _one(verdict)
        yield ""
    yield _counts(verdicts)


def _one(verdict: Verdict) -> Iterator[str]:
    comparison = verdict.comparison
    yield f"{comparison.wire} as {comparison.server}"
    yield f"  rendered  {_responses(comparison.rendered)}"
    yield f"  recorded  {_responses(comparison.recorded)}"
    if few := [form for form in FORMS if form not in comparison.judged]:
        yield f"  not judged, for want of {ENOUGH} recordings: {', '.join(few)}"
    yield from _unreal(verdict)
    yield from _stale(verdict)
    yield from _unexplained(verdict)
    yield from _excused(verdict)
    yield from _features(verdict)


def _responses(shapes: Shapes) -> str:
    counts = shapes.responses
    return ", ".join(f"{counts[form]} {form}" for form in FORMS if counts[form]) or "nothing"


def _unreal(verdict: Verdict) -> Iterator[str]:
    comparison = verdict.comparison
    for shape in verdict.unreal:
        seen = comparison.rendered.seen[shape]
        yield f"  RENDERED, NEVER REAL  {shape}"
        yield f"      {seen.count} times, first for: {seen.example}{_elsewhere(comparison, shape)}"


def _elsewhere(comparison: Comparison, shape: Shape) -> str:
    seen = comparison.elsewhere.seen.get(shape)
    return f"; {seen.count} recordings of other servers have it, first {seen.example}" if seen else ""


def _stale(verdict: Verdict) -> Iterator[str]:
    for known, pattern in verdict.stale:
        yield f"  NO LONGER NEEDED  {pattern}"
        yield f"      take it out of harness_lab/drift/known.py: {known.reason}"


def _unexplained(verdict: Verdict) -> Iterator[str]:
    for shape in verdict.unexplained:
        seen = verdict.comparison.recorded.seen[shape]
        yield f"  real, not rendered, not explained  {shape}"
        yield f"      {seen.count} recordings, first {seen.example}"


def _excused(verdict: Verdict) -> Iterator[str]:
    for known, shapes in verdict.excused:
        yield f"  known  {_times(shapes)} rendered and not recorded: {known.reason}"
        yield f"      {known.evidence}"


def _features(verdict: Verdict) -> Iterator[str]:
    seen = verdict.comparison.recorded.seen
    for feature, shapes in verdict.features:
        most = max(shapes, key=lambda shape: seen[shape].count)
        yield f"  left out  {feature.name}, {_times(shapes)}: {feature.reason}"
        yield f"      most often {most}: {seen[most].count} recordings, first {seen[most].example}"


def _times(shapes: Sequence[Shape]) -> str:
    return f"{len(shapes)} shape{'s' * (len(shapes) > 1)}"


def _counts(verdicts: Sequence[Verdict]) -> str:
    rendered = sum(len(verdict.comparison.rendered.seen) for verdict in verdicts)
    unreal = sum(len(verdict.unreal) for verdict in verdicts)
    excused = sum(len(shapes) for verdict in verdicts for _, shapes in verdict.excused)
    stale = sum(len(verdict.stale) for verdict in verdicts)
    explained = sum(len(shapes) for verdict in verdicts for _, shapes in verdict.features)
    unexplained = sum(len(verdict.unexplained) for verdict in verdicts)
    return (
        f"{rendered} rendered shapes: {unreal} never real, {excused} known, {stale} reasons no longer needed; "
        f"{explained + unexplained} real and not rendered, {unexplained} of them unexplained"
    )
