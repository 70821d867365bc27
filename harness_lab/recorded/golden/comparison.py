"""Two questions about recorded runs: does our loop do the same, and do our rules find what went wrong?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from harness.imports.comparison import Reason, RecordedComparison, RecordedDifference, compare
from harness.rules import Finding, judge
from harness.trace import Trace
from harness_lab.recorded.golden.aspects import differences, outline
from harness_lab.recorded.golden.deviations import DEVIATIONS
from harness_lab.recorded.golden.found import FOUND
from harness_lab.recorded.golden.happened import PlayedRun
from harness_lab.recorded.golden.imported import traces_of
from harness_lab.recorded.golden.reference import ReferenceRuns
from harness_lab.recorded.run import RecordedRun

_DEADLINE = 60.0
"""Seconds that one script may take; it takes milliseconds."""


async def against_reference(
    recordings: Sequence[RecordedRun], reasons: Sequence[Reason[PlayedRun]] = DEVIATIONS, *, habits: bool = False
) -> list[RecordedComparison[PlayedRun]]:
    """Compare the reference loop with the recordings on the same scripts. Raises as ``traces_of``.

    With ``habits`` it has the habits of the engine (``harness_lab.recorded.golden.habits``).
    """
    played = _played(recordings)
    runs = ReferenceRuns()
    try:
        return [compare(each, await _deviations(each, runs, habits=habits), reasons) for each in played]
    finally:
        await runs.close()


def against_rules(
    recordings: Sequence[RecordedRun], reasons: Sequence[Reason[PlayedRun]] = FOUND
) -> list[RecordedComparison[PlayedRun]]:
    """Compare the findings of the rules in the recorded runs with the known ones. Raises as ``traces_of``."""
    return [compare(each, _findings(each.trace), reasons) for each in _played(recordings)]


def _played(recordings: Sequence[RecordedRun]) -> list[PlayedRun]:
    return [PlayedRun(*pair) for pair in zip(recordings, traces_of(recordings), strict=True)]


async def _deviations(played: PlayedRun, runs: ReferenceRuns, *, habits: bool) -> list[RecordedDifference]:
    try:
        async with asyncio.timeout(_DEADLINE):
            reference = await runs.run(played.run, habits=habits)
    except Exception as crash:  # noqa: BLE001 - a crash of the loop is what is different on this recording
        return [RecordedDifference("crash", "a run", f"{type(crash).__name__}: {crash}")]
    return [_with_order(each, reference) for each in differences(played.trace, reference)]


def _with_order(difference: RecordedDifference, reference: Trace) -> RecordedDifference:
    """For a difference of events, the place contains all of our events, so that they cannot change unnoticed."""
    if difference.place != "events":
        return difference
    return RecordedDifference(f"events: {outline(reference)}", difference.expected, difference.got)


def _findings(trace: Trace) -> list[RecordedDifference]:
    """The rules that a trace breaks, each once, with the first place."""
    found: dict[str, RecordedDifference] = {}
    for finding in judge(trace):
        place = _place(finding)
        found.setdefault(place, RecordedDifference(place, finding.expected, finding.got))
    return list(found.values())


def _place(finding: Finding) -> str:
    return f"{finding.rule} {finding.reference}".rstrip()
