"""A comparison for the page of a run: how each case differs from the base."""

from __future__ import annotations

from harness.report.diff.model import CaseChange, Comparison
from harness.report.page import Against


def against(comparison: Comparison) -> Against:
    """What the page of the new run shows: by case, the verdicts and the first difference of the traces."""
    return Against(comparison.base.folder, {case.id: _lines(case) for case in comparison.cases if case.new})


def _lines(case: CaseChange) -> list[str]:
    verdicts = [f"-{case.base}", f"+{case.new}"] if case.base != case.new else []
    found = [f"+{each.name}: {each.got}" for each in (*case.found, *case.visible)]
    gone = [f"-{each.name}: {each.got}" for each in case.gone]
    trace = [f" {case.trace.what}", *case.trace.lines] if case.trace is not None else []
    return [*verdicts, *gone, *found, *trace]
