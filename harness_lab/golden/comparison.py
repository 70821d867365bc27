"""The two questions to a folder of recordings: does our loop do the same, and do our rules see what went wrong?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from harness.rules import Finding, judge
from harness.trace import Trace
from harness_lab.golden.aspects import Difference, differences, outline
from harness_lab.golden.deviations import DEVIATIONS
from harness_lab.golden.form import Recording
from harness_lab.golden.found import FOUND
from harness_lab.golden.imported import traces_of
from harness_lab.golden.reasons import Account, Observation, Reason, account
from harness_lab.golden.reference import ReferenceRuns

__all__ = ["against_reference", "against_rules"]

_DEADLINE = 60.0
"""Seconds that one script may take; it takes milliseconds."""


async def against_reference(recordings: Sequence[Recording], reasons: Sequence[Reason] = DEVIATIONS) -> Account:
    """Where the reference loop differs from the recordings on the same scripts. Raises as ``traces_of``."""
    traces = traces_of(recordings)
    runs = ReferenceRuns()
    try:
        observed = {
            recording.name: await _deviations(recording, trace, runs)
            for recording, trace in zip(recordings, traces, strict=True)
        }
    finally:
        await runs.close()
    return account(observed, reasons)


def against_rules(recordings: Sequence[Recording], reasons: Sequence[Reason] = FOUND) -> Account:
    """What the rules find in the recorded runs. Raises as ``traces_of``."""
    return account({trace.case.id: _findings(trace) for trace in traces_of(recordings)}, reasons)


async def _deviations(recording: Recording, engine: Trace, runs: ReferenceRuns) -> list[Observation]:
    try:
        async with asyncio.timeout(_DEADLINE):
            reference = await runs.run(recording)
    except Exception as crash:  # noqa: BLE001 - a crash of the loop is what is different on this recording
        return [Observation("crash", f"{type(crash).__name__}: {crash}")]
    return [_deviation(difference, reference) for difference in differences(engine, reference)]


def _deviation(difference: Difference, reference: Trace) -> Observation:
    detail = f"the engine {difference.engine}\n    the reference {difference.reference}"
    what = f"events: {outline(reference)}" if difference.aspect == "events" else difference.aspect
    return Observation(what, detail)


def _findings(trace: Trace) -> list[Observation]:
    """What a trace breaks, each rule once, with the first place."""
    found: dict[str, Observation] = {}
    for finding in judge(trace):
        what = _what(finding)
        found.setdefault(what, Observation(what, f"expected {finding.expected}\n    got {finding.got}"))
    return list(found.values())


def _what(finding: Finding) -> str:
    return f"{finding.rule} {finding.reference}".rstrip()
