"""The two questions to a folder of recordings: does our loop do the same, and do our rules see what went wrong?"""

from __future__ import annotations

from collections.abc import Sequence

from harness.golden.aspects import Difference, differences, outline
from harness.golden.deviations import DEVIATIONS
from harness.golden.form import Recording
from harness.golden.found import FOUND
from harness.golden.imported import trace_of
from harness.golden.reasons import Account, Observation, Reason, account
from harness.golden.reference import ReferenceRuns
from harness.rules import Finding, judge
from harness.trace import Trace

__all__ = ["against_reference", "against_rules"]


async def against_reference(recordings: Sequence[Recording], reasons: Sequence[Reason] = DEVIATIONS) -> Account:
    """Where the reference loop differs from the recordings on the same scripts."""
    runs = ReferenceRuns()
    try:
        observed = {
            recording.name: _deviations(trace_of(recording), await runs.run(recording)) for recording in recordings
        }
    finally:
        await runs.close()
    return account(observed, reasons)


def against_rules(recordings: Sequence[Recording], reasons: Sequence[Reason] = FOUND) -> Account:
    """What the rules find in the recorded runs."""
    return account({recording.name: _findings(trace_of(recording)) for recording in recordings}, reasons)


def _deviations(engine: Trace, reference: Trace) -> list[Observation]:
    return [_deviation(difference, reference) for difference in differences(engine, reference)]


def _deviation(difference: Difference, reference: Trace) -> Observation:
    detail = f"the engine {difference.engine}\n    the reference {difference.reference}"
    what = f"events: {outline(reference)}" if difference.aspect == "events" else difference.aspect
    return Observation(what, detail)


def _findings(trace: Trace) -> list[Observation]:
    """The findings of a trace, those of one rule as one."""
    return list({_what(finding): _finding(finding) for finding in reversed(judge(trace))}.values())[::-1]


def _finding(finding: Finding) -> Observation:
    return Observation(_what(finding), f"expected {finding.expected}\n    got {finding.got}")


def _what(finding: Finding) -> str:
    return f"{finding.rule} {finding.reference}".rstrip()
