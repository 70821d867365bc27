"""The kind of change of a case that both runs have."""

from __future__ import annotations

from typing import Final

from harness.report.diff.findings import Findings
from harness.report.diff.model import ChangeKind, TraceChange
from harness.runner.results import Verdict

_BAD: Final = ("fail", "error")
_GOOD: Final = ("pass", "xpass")


def kind_of(base: Verdict, new: Verdict, findings: Findings, trace: TraceChange | None) -> ChangeKind | None:
    """The most important change; None if nothing is different."""
    if findings.visible and not findings.found and new == "fail":
        return "visible"
    if kind := became(base, new):
        return kind
    if new in _BAD and (findings.found or (base, new) == ("fail", "error")):
        return "worse"
    if base in _BAD and new in _BAD and (findings.gone or base != new):
        return "better"
    if (base, new) == ("xfail", "xfail") and findings.gone:
        return "better"
    if base != new:
        return "verdict"
    if findings != Findings():
        return "findings"
    return "trace" if trace is not None else None


def became(base: Verdict, new: Verdict) -> ChangeKind | None:
    """The change that the two verdicts alone show. A case whose failure a baseline now expects is not fixed."""
    if new in _BAD and base not in _BAD:
        return "regressed"
    if new in _GOOD and base not in (*_GOOD, "skip"):
        return "fixed"
    return None
