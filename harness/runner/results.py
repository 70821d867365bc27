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
"""What the reason says of a case that was skipped for what is wrong with the driver."""

FORMAT = 6
"""Version of results.json. Readers refuse a version that they do not know."""

READABLE = (2, 3, 4, 5, 6)
"""The versions that can be read. 3 has only added ``CaseResult.file`` and ``Finding.line``; 4 conversations, what was
blocked or not served, and notes; 5 ``since``, ``answer`` and ``refused`` of ``Finding``,
``CaseResult.names`` and ``summary``, and the list of causes; 6 calls ``findings`` what was ``evidence``, and
``impact`` what was ``kind``, and has split ``rule`` into ``rule`` and ``reference``, and the detail of a provider's
rule into ``provider``. What a version does not have
is empty."""

Verdict = Literal["pass", "fail", "xfail", "xpass", "skip", "error"]
"""``xfail``: everything that was found is expected by the baseline. ``xpass``: nothing was found, in a case of which a
stale pattern of the baseline says that something is. ``skip``: the target cannot run it. ``error``: the harness could
not judge it."""


@dataclass(frozen=True, slots=True)
class ConversationCount:
    """One conversation of a case: ``name`` (``main``, ``side 1`` ... or ``not identified``), how many requests it made,
    and how its first one begins (its first system or user text, cut)."""

    name: str
    requests: int
    begins: str


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case's verdict. ``error`` is the traceback of a crash, ``reason`` why a case was skipped; ``seconds`` is wall
    time; ``repeat`` a command; ``file`` the scenario's, relative to where the run was started if it lies below.
    ``conversations`` is empty where the loop had the main one only. ``blocked`` are requests to others than the
    endpoint, which were refused (``CONNECT HOST:PORT``); ``not_served`` the requests that the endpoint does not serve,
    with their number. ``notes`` are what a reader should know beside the findings; they change no verdict. ``names``
    are the names and ids that only this case has: of tools that it offered or the model called, and of the calls.
    ``summary`` is the scenario's.
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
        """The result of a case, to be completed with ``replace``. What was found fails a case that has passed."""
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
        """What no baseline expects."""
        return tuple(each for each in self.findings if not each.known)

    @property
    def expected(self) -> tuple[Finding, ...]:
        """What the baseline expects."""
        return tuple(each for each in self.findings if each.known)


def trace_name(case: str) -> str:
    """Where the trace of the case with this id is, from the folder of the run. An id may be of any length."""
    return f"traces/{bounded_name(case)}.jsonl"


@dataclass(frozen=True, slots=True)
class Stale:
    """Something in the baseline that the run has shown to be needed no more: an entry, or a rule or a pattern of one.

    ``place`` is ``file:line:column``, ``what`` the words there, ``why`` what was seen instead.
    """

    place: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class BlockedHost:
    """A host that the loop wanted to ask beside the endpoint. Nothing was sent to it.

    ``asked`` are the requests (a few of them), ``cases`` is in how many cases, ``first`` the first of them. ``allowed``
    says what makes it no finding: ``allow_refused`` (the target file names it) or ``--skip``; empty where nothing does.
    """

    host: str
    asked: tuple[str, ...]
    cases: int
    first: str
    allowed: str = ""


_DRIVERS_ALONE: Final = frozenset({"driver/protocol", "driver/stream", "driver/text-id", "driver/kind"})
"""Checks of what only a driver does. What the others see may as well be done by the loop."""


@dataclass(frozen=True, slots=True)
class DriverFinding:
    """Something that calibration has found wrong in the driver of a target, before any case was judged.

    ``rule`` is the check (``driver/text-id``), ``level`` MUST, or INFO where the loop is judged all the same and cases
    are only skipped. ``wires`` are those on which it was seen, ``place`` is the driver (``FILE:LINE``, or the command),
    ``remedy`` what to change. ``excluded`` names the rules and expectations that are not judged in this run, since
    their verdict depends on it. ``known`` is the reason that the baseline gives for it, or ``--skip``; empty where
    nobody expects it.
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
        """Whose mistake it is, as far as anybody can know without the code."""
        if self.level != "MUST":
            return "info"
        adapter = "adapter function" if self.place.rpartition(":")[2].isdecimal() else "adapter"
        return f"your {adapter}" if self.rule in _DRIVERS_ALONE else f"your loop or its {adapter}"

    @property
    def is_problem(self) -> bool:
        """Whether the run fails because of it."""
        return self.level == "MUST" and not self.known


def calibrated(driver: Iterable[DriverFinding], wires: Iterable[str]) -> tuple[CaseResult, ...]:
    """The problems of a driver as cases ``calibration.WIRE.event``, by which baselines and comparisons know them.

    ``wires`` are those on which the driver was tested; on one without a problem the case has passed.
    """
    problems = [each for each in driver if each.level == "MUST"]
    return tuple(_calibrated([each for each in problems if wire in each.wires], wire) for wire in wires)


def _calibrated(problems: Iterable[DriverFinding], wire: str) -> CaseResult:
    found = tuple(
        Finding(each.rule, each.level, "target", None, each.expected, each.got, known=each.known) for each in problems
    )
    verdict: Verdict = "pass" if not found else "xfail" if all(each.known for each in found) else "fail"
    case = Case(f"calibration.{wire}.event", "calibration", wire, "", "script", "universal", "event", 0)
    return CaseResult.of(case, found, requests=0, verdict=verdict)


@dataclass(frozen=True, slots=True)
class RunResult:
    """A whole run. ``complete`` is false when it was interrupted. ``blocked``: the hosts that its cases wanted to ask.

    ``versions`` are those of the target's packages, ``baseline`` is the file that says what is expected of it,
    ``driver`` is what is wrong with its driver.
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
        """What is wrong with the driver so that the run fails."""
        return tuple(finding for finding in self.driver if finding.is_problem)

    @property
    def totals(self) -> Counter[str]:
        """The number of cases by verdict."""
        return Counter(case.verdict for case in self.cases)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, as results.json has them."""
        return {**asdict(self), "totals": dict(self.totals)}
