"""``harness lint-trace``: production traces of agents under the rules of their wires."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, get_args

from harness.errors import BadInput
from harness.finding import Level
from harness.report.entries import severity
from harness.report.json_output import LintedTrace, TraceLintFinding, TraceLintReport, TraceSource, Unjudged, as_json
from harness.report.visible import visible
from harness.rules import Selection, select
from harness.rules.contracts import CONTRACTS
from harness.secrets.redactor import Redactor
from harness.spans.anonymise import anonymise
from harness.spans.cassettes import conversation_of
from harness.spans.judging import TraceFinding, TraceOptions, TraceTotals, judge_spans
from harness.spans.scenarios import RecordedTurn, write_scenario
from harness.spans.tool_runs import RUN_RULES
from harness.wire.rule import Fact
from harness.wire.servers import known_server

_RUN_FAMILY: Final = "tool-runs"
_RUN_RULES: Final = frozenset(rule.id for rule in RUN_RULES)

_LACKING: Final[dict[Fact, str]] = {
    "body": "the request as it was sent is not recorded: its shape, its settings and its tools",
    "ids": "ids of calls and results are not recorded, or are of two kinds: pairing",
    "arguments-text": "arguments are not recorded as the model wrote them",
    "thinking": "thinking is not recorded",
    "signatures": "signatures are not recorded",
    "finish": "why the model stopped is not recorded",
    "part-order": "the order of the parts of a message is not recorded",
    "item-ids": "ids of items are not recorded",
}
"""What is not judged in requests that lack a fact. The texts never claim that the requests are fine."""

_NEVER: Final = "stream and preview (they are in no span), headers"


@dataclass(frozen=True, slots=True, kw_only=True)
class LintTraceOptions:
    """The options of ``harness lint-trace``.

    ``rules``, ``without`` and ``info`` select rules as everywhere; T-1 to T-4 and ``tool-runs`` name the rules about
    runs of tools. ``quiet_values``: findings name places only. ``strict``: the exit code is 1 if a file has no request
    that is recorded whole. ``anonymised`` is the file for a copy of the spans with other texts. ``scenarios`` is the
    folder for a scenario of each conversation that breaks a rule, ``cassettes`` the folder for its answers.
    """

    paths: Sequence[Path]
    rules: Sequence[str] = ()
    without: Sequence[str] = ()
    info: bool = False
    profile: str = "universal"
    turn_limit: int | None = None
    answered: bool = False
    only_whole: bool = False
    quiet_values: bool = False
    strict: bool = False
    server: str = ""
    anonymised: Path | None = None
    scenarios: Path | None = None
    cassettes: Path | None = None
    format: str = "terminal"


def lint_traces(options: LintTraceOptions) -> int:
    """Judge the requests in files of spans. Returns 1 when a rule is broken.

    Raises ``BadInput`` for a file that has no request to a model, and for an unknown profile or server.
    """
    known_server(options.server)
    if options.profile not in CONTRACTS:
        raise BadInput(f"--profile {options.profile}: expected one of {', '.join(CONTRACTS)}")
    if options.cassettes is not None and options.scenarios is None:
        raise BadInput("--to-cassettes needs --to-scenario: a cassette has the answers to a scenario")
    wanted = _options(options)
    if options.anonymised is not None:
        anonymise(_only(options.paths), options.anonymised)
    show = _Printed(options.quiet_values)
    files: list[LintedTrace] = []
    broken = False
    for path in options.paths:
        totals = TraceTotals()
        wanted = replace(wanted, broken=_written(path, options))
        findings = judge_spans(path, wanted, totals)
        if options.format == "json":
            linted = _linted_trace(path, list(findings), totals, show)
            files.append(linted)
            broken = broken or bool(linted.findings) or (options.strict and not linted.whole)
        else:
            count = _print_findings(path, findings, totals, show)
            broken = broken or count or (options.strict and not totals.grades["whole"])
    if options.format == "json":
        print(as_json(TraceLintReport(tuple(files))))
    return 1 if broken else 0


def _only(paths: Sequence[Path]) -> Path:
    if len(paths) != 1:
        raise BadInput("--anonymise takes one file of spans")
    return paths[0]


def _options(options: LintTraceOptions) -> TraceOptions:
    """The options for judging. Only this command knows the names of the rules about runs of tools."""
    named = [word for word in options.rules if not _is_of_runs(word)]
    of_runs = {id for word in options.rules for id in _runs_named(word)}
    dropped = {id for word in options.without for id in _runs_named(word)}
    without = [word for word in options.without if not _is_of_runs(word)]
    selection = select(named, without=without, info=options.info)
    if options.rules and not named:
        selection = Selection(frozenset(), info=options.info)
    return TraceOptions(
        selection=selection,
        runs=frozenset((of_runs if options.rules else _RUN_RULES) - dropped),
        profile=options.profile,
        turn_limit=options.turn_limit,
        answered=options.answered,
        only_whole=options.only_whole,
        server=options.server,
    )


def _is_of_runs(word: str) -> bool:
    return word == _RUN_FAMILY or word in _RUN_RULES


def _runs_named(word: str) -> frozenset[str]:
    return _RUN_RULES if word == _RUN_FAMILY else frozenset({word}) & _RUN_RULES


def _written(path: Path, options: LintTraceOptions) -> _Tests | None:
    """The writer of the file's conversations that break a rule; None if nobody asked for it."""
    return None if options.scenarios is None else _Tests(path, options.scenarios, options.cassettes)


class _Tests:
    """Writes a scenario of each conversation in which a rule is broken, and its answers if they are wanted."""

    def __init__(self, path: Path, folder: Path, cassettes: Path | None) -> None:
        self._stem = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "trace"
        self._path = path
        self._folder = folder
        self._cassettes = cassettes
        self._written = 0

    def __call__(self, rule: str, turns: Sequence[RecordedTurn]) -> None:
        self._written += 1
        name = f"{self._stem}-{self._written}"
        summary = f"A conversation of {self._path.name} in which {rule} broke."
        try:
            self._say(write_scenario(name, summary, turns, self._folder))
            if self._cassettes is not None:
                self._say(_write_cassette(name, turns, self._cassettes))
        except BadInput as error:
            print(f"warning: {visible(str(error))}", file=sys.stderr)

    def _say(self, path: Path) -> None:
        print(f"wrote {visible(str(path))}", file=sys.stderr)


def _write_cassette(name: str, turns: Sequence[RecordedTurn], folder: Path) -> Path:
    """Write the answers of a conversation, without secrets. Raises ``BadInput`` if they cannot become a cassette."""
    from harness.cassette.cassette_writer import CassetteWriter
    from harness.runner.sources import cassette_of
    from harness.secrets.scan import scan

    conversation = conversation_of(name, turns, datetime.now(UTC).date().isoformat())
    path = cassette_of(folder, name, conversation.wire)
    path.parent.mkdir(parents=True, exist_ok=True)
    with CassetteWriter.open(path, "all", conversation.provenance, redactor=Redactor(), scan=scan) as writer:
        for interaction in conversation.interactions:
            writer.add(interaction)
    return path


class _Printed:
    """Prepares texts for printing: without secrets, and without characters that control a terminal."""

    def __init__(self, places_only: bool) -> None:
        self._redactor = Redactor()
        self.places_only = places_only

    def text(self, text: str) -> str:
        """Any text that may come from a span."""
        return visible(self._redactor.redact_text(text))

    def value(self, text: str) -> str:
        """The text of a finding, which may quote a span."""
        return "" if self.places_only else self._redactor.redact_text(text)


# --- terminal -----------------------------------------------------------------------------------------------


def _print_findings(path: Path, findings: Iterator[TraceFinding], totals: TraceTotals, show: _Printed) -> bool:
    """Print the findings as they are found, and the summary. Returns whether any finding is not accepted."""
    levels: Counter[str] = Counter()
    accepted: dict[str, None] = {}
    for found in findings:
        if found.accepted:
            accepted[found.finding.id] = None
        else:
            levels[found.finding.level] += 1
        print(show.text(_finding_text(path, found, show.value)))
    for line in _summary(path, totals):
        print(show.text(line))
    against = f"; accepted all the same, which is evidence against {', '.join(accepted)}" if accepted else ""
    print(show.text(f"{path}: {_totals_text(totals)}: {_counts(levels)}{against}"))
    return bool(levels)


def _finding_text(path: Path, found: TraceFinding, value: Callable[[str], str]) -> str:
    finding, answer = found.finding, found.finding.answered
    where = f", at {answer.place}" if answer.place else ""
    level = "accepted by this server" if found.accepted else severity(finding)
    lines = [f"{path}:{found.line}: span {_short(found.span)}: {finding.id}  {level}{where}"]
    if expected := value(finding.expected):
        lines += [f"  expected  {expected}", f"  got       {value(finding.got)}"]
    if answer.message and not found.accepted and (message := value(answer.message)):
        lines.append(f"  answer    {f'HTTP {answer.status}: ' if answer.status >= 400 else ''}{message}")
    if finding.detail and (detail := value(finding.detail)):
        lines.append(f"  detail    {detail}")
    return "\n".join(lines)


def _short(id: str) -> str:
    return id if len(id) <= 16 else f"{id[:8]}…{id[-4:]}"


def _summary(path: Path, totals: TraceTotals) -> Iterator[str]:
    for (source, grade), count in sorted(totals.sources.items()):
        yield f"{path}: {_many(count, 'request', 'requests')} from {source}: {grade}"
    for (why, hint), count in sorted(totals.why.items()):
        yield f"{path}: {_many(count, 'request', 'requests')}: {why}{f'; record it with {hint}' if hint else ''}"
    for fact, words in _LACKING.items():
        if count := totals.lacking[fact]:
            yield f"{path}: not judged in {_many(count, 'request', 'requests')}: {words}"
    if not totals.tool_runs:
        yield f"{path}: not judged: runs of tools (there are no spans of them)"
    yield f"{path}: not judged: {_NEVER}"


def _totals_text(totals: TraceTotals) -> str:
    grades = totals.grades
    traces = _many(len(totals.traces), "trace", "traces")
    requests = _many(totals.requests, "request", "requests")
    judged = f"{grades['whole']} judged whole, {grades['in part']} in part, {grades['not at all']} not at all"
    return f"{traces}, {requests}, {judged}"


def _counts(levels: Counter[str]) -> str:
    if not levels:
        return "no finding"
    parts = ", ".join(f"{levels[level]} {level}" for level in get_args(Level) if levels[level])
    return f"{_many(levels.total(), 'finding', 'findings')} ({parts})"


def _many(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


# --- as JSON ------------------------------------------------------------------------------------------------


def _linted_trace(path: Path, findings: Sequence[TraceFinding], totals: TraceTotals, show: _Printed) -> LintedTrace:
    grades = totals.grades
    lacking = tuple(Unjudged(words, totals.lacking[fact]) for fact, words in _LACKING.items() if totals.lacking[fact])
    reasons = tuple(Unjudged(why, count, hint) for (why, hint), count in sorted(totals.why.items()))
    return LintedTrace(
        str(path),
        totals.spans,
        len(totals.traces),
        grades["whole"],
        grades["in part"],
        grades["not at all"],
        totals.tool_runs,
        tuple(sorted(totals.wires)),
        tuple(TraceSource(name, grade, count) for (name, grade), count in sorted(totals.sources.items())),
        tuple(_finding(each, show) for each in findings if not each.accepted),
        tuple(_finding(each, show) for each in findings if each.accepted),
        (*reasons, *lacking),
    )


def _finding(found: TraceFinding, show: _Printed) -> TraceLintFinding:
    finding, answer = found.finding, found.finding.answered
    return TraceLintFinding(
        finding.id,
        finding.level,
        found.line,
        found.trace,
        found.span,
        found.wire,
        answer.place,
        show.value(finding.expected),
        show.value(finding.got),
        answer.status,
        show.value(answer.message),
        show.value(finding.detail),
    )
