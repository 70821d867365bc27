"""The result of a run: one versioned model that every report renders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from harness.finding import Finding
from harness.ground.disk import bounded_name
from harness.trace import Case

BY_CALIBRATION: Final = "found by calibration"
"""The reason of a case that was skipped because of a fault of the driver."""

FORMAT = 6
"""Version of results.json. Readers refuse a version that they do not know."""

READABLE = (2, 3, 4, 5, 6)
"""The versions that can be read. 3 added ``CaseResult.file`` and ``Finding.line``. 4 added conversations, blocked and
not served requests, and notes. 5 added ``since``, ``answer`` and ``refused`` of ``Finding``, ``CaseResult.names`` and
``summary``, and the list of causes. 6 renamed ``evidence`` to ``findings`` and ``kind`` to ``impact``, split ``rule``
into ``rule`` and ``reference``, and moved the detail of a provider's rule to ``provider``. Members that a version lacks
are empty."""

Verdict = Literal["pass", "fail", "xfail", "xpass", "skip", "error"]
"""``xfail``: the baseline expects all findings. ``xpass``: there are no findings, but a stale pattern of the baseline
expects some. ``skip``: the target cannot run the case. ``error``: the harness could not judge the case."""


@dataclass(frozen=True, slots=True)
class ConversationCount:
    """One conversation of a case: ``name`` (``main``, ``side 1`` ... or ``not identified``), its number of requests,
    and how the first request begins (its first system or user text, truncated)."""

    name: str
    requests: int
    begins: str


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case's verdict. ``error`` is the traceback of a crash, ``reason`` why the case was skipped, ``seconds`` wall
    time, ``repeat`` a command that repeats the case. ``file`` is the scenario's file, relative to the folder where the
    run started if it is below it. ``conversations`` is empty if the loop had only the main one. ``blocked`` are refused
    requests to other hosts (``CONNECT HOST:PORT``). ``not_served`` are requests that the endpoint does not serve, each
    with its count. ``notes`` are for the reader and change no verdict. ``names`` are names and ids that only this case
    has: of tools that were offered or called, and of calls. ``summary`` is the scenario's.
    """

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
    findings: tuple[Finding, ...] = ()
    error: str | None = None
    reason: str = ""
    trace: str | None = None
    repeat: str = ""
    file: str = ""
    conversations: tuple[ConversationCount, ...] = ()
    blocked: tuple[str, ...] = ()
    not_served: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    summary: str = ""

    @classmethod
    def of(
        cls,
        case: Case,
        findings: tuple[Finding, ...],
        *,
        requests: int,
        seconds: float = 0.0,
        verdict: Verdict = "pass",
    ) -> CaseResult:
        """The result of a case, to be completed with ``replace``. Findings turn a pass into a fail."""
        return cls(
            id=case.id,
            scenario=case.scenario,
            wire=case.wire,
            target=case.target,
            source=case.source,
            profile=case.profile,
            chunking=case.chunking,
            seed=case.seed,
            verdict="fail" if findings and verdict == "pass" else verdict,
            seconds=round(seconds, 6),
            requests=requests,
            findings=findings,
        )

    @property
    def unexpected(self) -> tuple[Finding, ...]:
        """The findings that the baseline does not expect."""
        return tuple(each for each in self.findings if not each.known)

    @property
    def expected(self) -> tuple[Finding, ...]:
        """The findings that the baseline expects."""
        return tuple(each for each in self.findings if each.known)


def trace_name(case: str) -> str:
    """The path of a case's trace, relative to the folder of the run. ``case`` is its id, which may have any length."""
    return f"traces/{bounded_name(case)}.jsonl"


@dataclass(frozen=True, slots=True)
class Stale:
    """A part of the baseline that the run proved unnecessary: an entry, or a rule or a pattern of one.

    ``place`` is ``file:line:column``, ``what`` the words there, ``why`` what was observed instead.
    """

    place: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class BlockedHost:
    """A host, other than the endpoint, to which the loop tried to send requests. Nothing was sent to it.

    ``asked`` are the requests (a few of them), ``cases`` the number of cases, ``first`` the first case. ``allowed`` is
    the reason why it is no finding: ``allow_refused`` (the target file names it) or ``--skip``; empty without one.
    """

    host: str
    asked: tuple[str, ...]
    cases: int
    first: str
    allowed: str = ""


_DRIVERS_ALONE: Final = frozenset({"driver/protocol", "driver/stream", "driver/text-id", "driver/kind"})
"""Checks of things that only a driver does. Findings of other checks may be caused by the loop."""


@dataclass(frozen=True, slots=True)
class DriverFinding:
    """A fault in the driver of a target that calibration found before any case was judged.

    ``rule`` is the check (``driver/text-id``). ``level`` is MUST, or INFO if the loop is judged nevertheless and cases
    are only skipped. ``wires`` are the wires with the fault, ``place`` is the driver (``FILE:LINE``, or the command),
    ``remedy`` what to change. ``excluded`` names rules and expectations that are not judged in this run, because their
    verdict depends on the fault. ``known`` is the baseline's reason to expect it, or ``--skip``; empty if it is
    unexpected.
    """

    rule: str
    level: Literal["MUST", "INFO"]
    states: str
    wires: tuple[str, ...]
    expected: str
    got: str
    place: str
    remedy: str
    excluded: tuple[str, ...] = ()
    known: str = ""

    @property
    def suspect(self) -> str:
        """Whose mistake it probably is, judged without the code."""
        if self.level != "MUST":
            return "info"
        adapter = "adapter function" if self.place.rpartition(":")[2].isdecimal() else "adapter"
        return f"your {adapter}" if self.rule in _DRIVERS_ALONE else f"your loop or its {adapter}"

    @property
    def is_problem(self) -> bool:
        """Whether the run fails because of it."""
        return self.level == "MUST" and not self.known


def calibrated(driver: Iterable[DriverFinding], wires: Iterable[str]) -> tuple[CaseResult, ...]:
    """The problems of a driver as cases ``calibration.WIRE.event``, a name for baselines and comparisons.

    ``wires`` are the wires on which the driver was tested; on a wire without a problem the case has passed.
    """
    problems = [each for each in driver if each.level == "MUST"]
    return tuple(_calibration_result([each for each in problems if wire in each.wires], wire) for wire in wires)


def _calibration_result(problems: Iterable[DriverFinding], wire: str) -> CaseResult:
    found = tuple(
        Finding(each.rule, each.level, "target", None, each.expected, each.got, known=each.known) for each in problems
    )
    verdict: Verdict = "pass" if not found else "xfail" if all(each.known for each in found) else "fail"
    case = Case(f"calibration.{wire}.event", "calibration", wire, "", "script", "universal", "event", 0)
    return CaseResult.of(case, found, requests=0, verdict=verdict)


@dataclass(frozen=True, slots=True)
class RunResult:
    """A whole run. ``complete`` is false if it was interrupted. ``blocked`` are other hosts that its cases contacted.

    ``versions`` are the versions of the target's packages, ``baseline`` is the file with expected findings, ``driver``
    has the faults of its driver.
    """

    harness: str
    started: str
    target: str
    seed: int
    cases: tuple[CaseResult, ...] = field(default=())
    complete: bool = True
    versions: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None
    stale: tuple[Stale, ...] = ()
    driver: tuple[DriverFinding, ...] = ()
    blocked: tuple[BlockedHost, ...] = ()
    format: int = FORMAT

    @property
    def driver_problems(self) -> tuple[DriverFinding, ...]:
        """The faults of the driver that make the run fail."""
        return tuple(finding for finding in self.driver if finding.is_problem)

    @property
    def totals(self) -> Counter[str]:
        """The number of cases by verdict."""
        return Counter(case.verdict for case in self.cases)

    def to_json(self) -> dict[str, Any]:
        """The plain JSON values of results.json."""
        return {**asdict(self), "totals": dict(self.totals)}
