"""The comparison of two runs of the same cases: one versioned model that every format renders."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from harness.finding import Finding
from harness.runner.results import Stale, Verdict

FORMAT = 2
"""Version of what ``Comparison.to_json`` returns. 2: findings have the members of results.json 6."""

ChangeKind = Literal[
    "regressed", "worse", "visible", "fixed", "better", "verdict", "findings", "trace", "added", "removed"
]
"""The kind of change of a case, the most important first.

``regressed``: it fails or cannot be judged, and did not before. ``worse``: it did before, and there are more findings
now, or an error instead of findings. ``visible``: no new finding could be seen in the base run, because the case ended
earlier there, or was not judged by the rule. ``fixed`` and ``better``: the opposite of these. ``verdict``: it is
skipped, or is not any more, or is expected to fail. ``findings``: the same rules are broken, in other words, or their
being expected has changed. ``trace``: only what the loop did is different. ``added``, ``removed``: only one run has the
case.
"""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs. ``seconds`` is the sum of its cases' times, ``totals`` their number by verdict."""

    folder: str
    target: str
    started: str
    cases: int
    seconds: float
    totals: dict[str, int]
    complete: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """Something around the runs that differs: a version, the seed, the baseline. Empty where one run has none."""

    name: str
    base: str
    new: str


@dataclass(frozen=True, slots=True)
class Altered:
    """A rule that was broken in a case before and is still, but not in the same words."""

    base: Finding
    new: Finding


@dataclass(frozen=True, slots=True)
class TraceChange:
    """The first record of two traces that differs.

    ``what`` names it (``request 2: body.tools[0].strict``), ``lines`` is a diff with ``-``, ``+`` or a space in front.
    ``base_at`` and ``new_at`` are lines of the trace files (1 is the header); None where a trace has no such record.
    """

    what: str
    base_at: int | None
    new_at: int | None
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseChange:
    """One case of which anything is different.

    ``found`` are findings that nobody expects and that the base run did not have, ``gone`` those that only it had.
    ``visible`` are those that the base run could not have: what is gone had ended the case before, or had changed its
    course, or the case was not judged by this rule.
    ``error`` is the new run's traceback, ``reason`` why it skipped the case, ``traces`` the trace file in each folder,
    ``repeat`` a command.
    """

    id: str
    scenario: str
    wire: str
    kind: ChangeKind
    base: Verdict | None
    new: Verdict | None
    found: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    altered: tuple[Altered, ...] = ()
    trace: TraceChange | None = None
    error: str | None = None
    reason: str = ""
    traces: tuple[str | None, str | None] = (None, None)
    repeat: str = ""
    visible: tuple[Finding, ...] = ()

    @property
    def regression(self) -> bool:
        """Whether somebody must look at it: it has new unexpected findings, or cannot be judged."""
        return bool(self.found) or (self.new == "error" and self.base != "error")


@dataclass(frozen=True, slots=True)
class ShapeChange:
    """Something that requests of a wire are made of in one of the two runs only.

    ``what`` is the path of a member with its type, the name of a header, or an endpoint; ``base`` and ``new`` are in
    how many cases, of ``cases`` that both runs have on the wire.
    """

    wire: str
    what: str
    base: int
    new: int
    cases: int


RequestPart = Literal["request", "system", "tools", "history", "cache", "member", "header"]
"""A part of an agent's requests. ``request``: a whole one, or a conversation beside the main one. ``cache`` are the
marks that say what the provider may cache, ``member`` is any other member of a body, or the endpoint."""


@dataclass(frozen=True, slots=True)
class RequestChange:
    """One change of what a coding agent asks, in however many requests.

    ``what`` names it (``bash: description``), ``lines`` show it with ``-``, ``+`` or a space in front. It is in
    ``requests`` of ``of_requests`` in ``cases`` of ``of_cases`` whose traces differ, on these ``wires``. ``first`` is
    the first of the cases, ``base_at`` and ``new_at`` are the lines of its request in the trace files, None where a run
    has no such request.
    ``sizes`` are the characters of the system prompt there.
    """

    part: RequestPart
    what: str
    lines: tuple[str, ...]
    wires: tuple[str, ...]
    cases: int
    of_cases: int
    requests: int
    of_requests: int
    first: str
    base_at: int | None
    new_at: int | None
    sizes: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class CaseSpeed:
    """How many seconds a case took in each run."""

    id: str
    base: float
    new: float


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds of the cases that both runs have, and those that take much longer now. Never a regression by itself."""

    base: float
    new: float
    slower: tuple[CaseSpeed, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, compared.

    ``cases`` are those of which anything is different, in the order of the new run, behind them those that it does not
    have. ``requests`` is what changed in the requests of coding agents, whose shapes are in no ``shapes``. ``stale`` is
    stale in the baseline now, ``mended`` no longer. ``unread`` says which traces could not be compared. ``strict``: the
    new run must have every case of the base run, and each must be as it was.
    """

    base: Side
    new: Side
    settings: tuple[Setting, ...]
    cases: tuple[CaseChange, ...]
    unchanged: int
    speed: Speed
    stale: tuple[Stale, ...] = ()
    mended: tuple[Stale, ...] = ()
    shapes: tuple[ShapeChange, ...] = ()
    requests: tuple[RequestChange, ...] = ()
    unread: tuple[str, ...] = ()
    strict: bool = False
    format: int = field(default=FORMAT)

    @property
    def regressions(self) -> tuple[CaseChange, ...]:
        """The cases that somebody must look at."""
        return tuple(case for case in self.cases if case.regression)

    @property
    def regressed(self) -> bool:
        """Whether anything is worse than it was."""
        return bool(self.regressions or self.stale)

    @property
    def failures(self) -> tuple[CaseChange, ...]:
        """The regressions; in a strict comparison, every case of the base run that has changed."""
        return tuple(case for case in self.cases if case.regression or (self.strict and case.kind != "added"))

    @property
    def failed(self) -> bool:
        """Whether the exit code is 1. A trace that cannot be compared may differ."""
        return bool(self.failures or self.stale or (self.strict and (self.unread or self.requests)))

    @property
    def totals(self) -> Counter[str]:
        """The number of changed cases by kind."""
        return Counter(case.kind for case in self.cases)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values. ``regression`` of each case and ``regressed`` report what is worse, ``failed`` the exit
        code."""
        plain = asdict(self)
        for case, members in zip(self.cases, plain["cases"], strict=True):
            members["regression"] = case.regression
        return {**plain, "totals": dict(self.totals), "regressed": self.regressed, "failed": self.failed}
