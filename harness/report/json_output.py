"""What commands print with ``--format json``: ``list``, ``explain``, ``targets``, ``lint-*`` and ``doctor``.

Their schemas are published in docs/, with the schema of results.json (``harness_lab/documents/schemas.py``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from harness.runner.results import DriverFinding

FORMAT: Final = 1
"""Version of each of these documents."""


def as_json(
    document: ScenarioList | Explanation | TargetList | LintReport | TraceLintReport | ScenarioLint | DoctorReport,
) -> str:
    """The document as JSON text, in ASCII, whatever it quotes."""
    values: dict[str, Any] = asdict(document)
    return json.dumps(values, indent=1)


# --- list ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListedScenario:
    """A scenario with its purpose; ``file`` is as ``harness run`` takes it."""

    name: str
    suite: str
    profile: str
    summary: str
    file: str


@dataclass(frozen=True, slots=True)
class ScenarioList:
    """What ``harness list`` shows."""

    scenarios: tuple[ListedScenario, ...]
    format: int = FORMAT


# --- explain ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExplainedExample:
    """How a provider's rule is broken: a valid request, the changes that break it (lines of a diff), and the answer.

    ``status`` and ``answer`` are those of the provider's response; None where no provider rejects the request. An
    allowance is not broken: ``changes`` are accepted.
    """

    wire: str
    summary: str
    valid: tuple[str, ...]
    changes: tuple[str, ...]
    status: int | None
    answer: str | None


@dataclass(frozen=True, slots=True)
class ExplainedRule:
    """A rule of the harness (``order/tool-start-once``) or of a provider (``ANT-15``).

    ``severity`` is MUST, SHOULD or INFO, or ALLOWED for what a provider accepts; ``category`` is as in results.json,
    and empty for ALLOWED. ``observed`` are error messages that were observed from the provider. ``example`` is of a
    provider's rule.
    """

    id: str
    severity: str
    category: str
    statement: str
    why: str
    profiles: tuple[str, ...] = ()
    applies: str = ""
    sources: tuple[str, ...] = ()
    observed: tuple[str, ...] = ()
    example: ExplainedExample | None = None


@dataclass(frozen=True, slots=True)
class ExplainedFamily:
    """A family of rules; ``rules`` has no examples."""

    id: str
    statement: str
    rules: tuple[ExplainedRule, ...]


@dataclass(frozen=True, slots=True)
class ExplainedScenario:
    """A scenario: ``suites`` by wire, what its steps script, in words, and the ``dialects`` that it varies."""

    name: str
    profile: str
    summary: str
    suites: Mapping[str, str]
    chunkings: tuple[str, ...]
    tools: tuple[str, ...]
    steps: tuple[str, ...]
    outcomes: tuple[str, ...]
    file: str
    dialects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """A rule that a pasted error may be about. ``message`` is the part of what was pasted that says so.

    ``sureness``: ``certain``, the text is the provider's; ``likely``, nearly so, or a part that nobody else says;
    ``possible``, another rule's text fits as well, or better.
    """

    rule: ExplainedRule
    sureness: str
    message: str


@dataclass(frozen=True, slots=True)
class ErrorReason:
    """A refusal that is no fault of a request's history. ``kind`` as in ``LintRefusal``; ``means`` is what to do.

    ``ability`` is what ``models`` cannot do at ``server``; each is empty where nothing is known.
    """

    kind: str
    means: str
    ability: str
    server: str
    models: str
    evidence: str


@dataclass(frozen=True, slots=True)
class ExplainedError:
    """The rules that a pasted error may be about, the best first. Only the first has an example.

    ``reason`` is there in place of rules where the text says what the model or the server cannot do, or another thing
    that no rule is about.
    """

    rules: tuple[ErrorRule, ...]
    reason: ErrorReason | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What ``harness explain`` shows: one of the four."""

    rule: ExplainedRule | None = None
    family: ExplainedFamily | None = None
    scenario: ExplainedScenario | None = None
    error: ExplainedError | None = None
    format: int = FORMAT


# --- targets ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListedTarget:
    """A loop that can be run. ``name`` is as ``--target`` takes it.

    ``installed`` is None where nothing must be installed; ``missing`` says what to do where it is false. ``events`` are
    the kinds that the loop emits; None: whatever it emits. ``expected`` is the number of entries in its baseline.
    """

    name: str
    summary: str
    wires: tuple[str, ...]
    profiles: tuple[str, ...]
    capabilities: tuple[str, ...]
    events: tuple[str, ...] | None
    declined: tuple[str, ...]
    installed: bool | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    baseline: str | None = None
    expected: int = 0


@dataclass(frozen=True, slots=True)
class TargetList:
    """What ``harness targets`` shows, without the forms of names for loops of one's own."""

    targets: tuple[ListedTarget, ...]
    format: int = FORMAT


# --- lint ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A rule that a request breaks. ``at`` is the place in the request's body, ``line`` that in the file.

    ``interaction`` is the number of the exchange in a cassette, from 1. ``status`` is the HTTP status of the provider's
    answer, ``message``, ``param`` and ``code`` what the answer says. ``server`` says why the severity is another on the
    server that was asked; empty where it is the rule's own.
    """

    rule: str
    severity: str
    at: str
    line: int | None
    interaction: int | None
    expected: str
    got: str
    status: int
    message: str
    param: str | None
    code: str | None
    server: str = ""


@dataclass(frozen=True, slots=True)
class LintRefusal:
    """What a recorded endpoint refused. ``rule`` explains it, word for word where ``exact``; None: no rule does.

    Where none does, ``reason`` says what kind of refusal it is (``ability``, ``model``, ``key``, ``file``, ``length``,
    ``parameter``, ``answer``, ``unsaid``) and ``about`` what cannot be done; both are empty where that is not known.
    """

    line: int
    interaction: int
    status: int
    message: str
    rule: str | None
    exact: bool
    reason: str
    about: str


@dataclass(frozen=True, slots=True)
class LintedFile:
    """A file whose requests were judged; ``wires`` are their API formats, ``warnings`` are about the file.

    ``accepted`` are rules that say that a request is refused which its recorded server has answered: evidence against
    the rules, and no faults. ``refusals`` are the recorded ones. ``servers`` are the names of the servers that were
    asked, as far as they are known.
    """

    file: str
    requests: int
    wires: tuple[str, ...]
    findings: tuple[LintFinding, ...]
    warnings: tuple[str, ...] = ()
    accepted: tuple[LintFinding, ...] = ()
    refusals: tuple[LintRefusal, ...] = ()
    servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LintReport:
    """What ``harness lint-request`` and ``harness lint-cassette`` find."""

    files: tuple[LintedFile, ...]
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class TraceLintFinding:
    """A rule that a recorded request breaks. ``line`` is that of the file with the span, and ``at`` the place in the
    request's body where the span has one. Texts have no secrets, and are empty with ``--quiet-values``."""

    rule: str
    severity: str
    line: int
    trace: str
    span: str
    wire: str
    at: str
    expected: str
    got: str
    status: int
    message: str
    detail: str


@dataclass(frozen=True, slots=True)
class TraceSource:
    """An instrumentation, and how much its spans show of how many requests: whole, in part, not at all."""

    name: str
    grade: str
    requests: int


@dataclass(frozen=True, slots=True)
class Unjudged:
    """What is not judged of how many requests, and what helps, where that is known."""

    why: str
    requests: int
    hint: str = ""


@dataclass(frozen=True, slots=True)
class LintedTrace:
    """A file of spans. ``whole``, ``in_part`` and ``not_at_all`` count the requests by what is recorded of them.

    ``accepted`` are rules that say that a request is refused which its server has answered: no faults.
    """

    file: str
    spans: int
    traces: int
    whole: int
    in_part: int
    not_at_all: int
    tool_runs: int
    wires: tuple[str, ...]
    sources: tuple[TraceSource, ...]
    findings: tuple[TraceLintFinding, ...]
    accepted: tuple[TraceLintFinding, ...]
    not_judged: tuple[Unjudged, ...]


@dataclass(frozen=True, slots=True)
class TraceLintReport:
    """What ``harness lint-trace`` finds."""

    files: tuple[LintedTrace, ...]
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class ScenarioProblem:
    """Something wrong in a scenario file. ``line`` and ``column`` are None where no place is known."""

    file: str
    line: int | None
    column: int | None
    message: str


@dataclass(frozen=True, slots=True)
class ScenarioLint:
    """What ``harness lint-scenario`` finds; ``scenarios`` is the number of correct ones, 0 where there is a problem."""

    scenarios: int
    problems: tuple[ScenarioProblem, ...]
    format: int = FORMAT


# --- doctor ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PassedCheck:
    """A check of the driver that found nothing, with the wires on which it was made."""

    check: str
    states: str
    wires: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What ``harness doctor`` finds: ``problems`` is the number of findings that must be corrected.

    ``place`` is the driver (``FILE:LINE``, or the command), ``left_out`` says why wires were not tested.
    """

    target: str
    place: str
    passed: tuple[PassedCheck, ...]
    left_out: Mapping[str, str]
    findings: tuple[DriverFinding, ...]
    problems: int
    verdict: Literal["pass", "fail"]
    format: int = FORMAT
