"""The result of a run: one versioned model that every report renders."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["FORMAT", "CaseResult", "Evidence", "RunResult", "Verdict"]

FORMAT = 1
"""Version of results.json. Readers refuse a version that they do not know."""

Verdict = Literal["pass", "fail", "skip", "error"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a case did not pass: a finding of a rule, or an expectation of the scenario that was not met.

    ``at`` is the line of the case's trace file (1 is its header), None where no single line shows it.
    """

    rule: str
    level: str
    kind: str
    at: int | None
    expected: str
    got: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case's verdict. ``error`` is the traceback of a crash, ``reason`` why a case was skipped; ``seconds`` is wall
    time; ``repeat`` a command."""

    id: str
    scenario: str
    wire: str
    target: str
    source: str
    profile: str
    chunking: str
    seed: int
    verdict: Verdict
    seconds: float
    requests: int
    evidence: tuple[Evidence, ...] = ()
    error: str | None = None
    reason: str = ""
    trace: str | None = None
    repeat: str = ""


@dataclass(frozen=True, slots=True)
class RunResult:
    """A whole run. ``complete`` is false when it was interrupted."""

    harness: str
    started: str
    target: str
    seed: int
    cases: tuple[CaseResult, ...] = field(default=())
    complete: bool = True
    format: int = FORMAT

    @property
    def totals(self) -> Counter[str]:
        return Counter(case.verdict for case in self.cases)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, as results.json holds them."""
        return {**asdict(self), "totals": dict(self.totals)}
