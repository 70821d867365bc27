"""``harness lint-request`` and ``harness lint-cassette``: requests in files under the rules of their wires."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from harness.errors import BadInput
from harness.finding import Finding, Level
from harness.ground.disk import problem
from harness.lint import (
    MOST_BYTES,
    CassetteReport,
    Judge,
    JudgedInteraction,
    Judgement,
    explain,
    judge_cassette,
    message_of,
    read_pasted,
)
from harness.report.entries import severity
from harness.report.json_output import LintedFile, LintFinding, LintRefusal, LintReport, as_json
from harness.report.visible import visible
from harness.rules import RULES, Selection
from harness.wire import WireName
from harness.wire.servers import REASONS, known_server, refusal_reason

_STDIN = "-"
_REFUSED = 400
"""The least HTTP status of a refusal."""


def lint_request(
    file: str,
    selection: Selection,
    *,
    wire: WireName | None = None,
    model: str = "",
    headers: Sequence[str] = (),
    server: str = "",
    format: str = "terminal",
) -> int:
    """Judge the body of one request; ``-`` is standard input. Returns 1 when a rule is broken.

    ``headers`` are as HTTP has them, ``name: value``. ``server`` is the name of the one that is asked (default: by the
    URL beside the body). ``format``: ``terminal``, or ``json`` (``report.json_output.LintReport``). Raises ``BadInput``
    for a file without a request, and for an unknown server.
    """
    judge = Judge(server=server)
    name = "stdin" if file == _STDIN else file
    content = _content(file)
    try:
        pasted = read_pasted(name, content, wire, model, _headers(headers))
        judgement = judge.judge(pasted.asked)
    except RecursionError as error:
        raise BadInput(f"{name}: is nested too deeply for a request") from error
    wanted = _wanted_findings(judgement.violations, judgement.wire, selection)
    if format == "json":
        found = tuple(_finding(each, pasted.line(each.answered.place), None) for each in wanted)
        linted = LintedFile(name, 1, (judgement.wire,), found, pasted.warnings, servers=_servers([judgement]))
        print(as_json(LintReport((linted,))))
        return 1 if wanted else 0
    for warning in pasted.warnings:
        print(f"warning: {visible(warning)}", file=sys.stderr)
    for finding in wanted:
        line = pasted.line(finding.answered.place)
        print(_finding_text(f"{name}:{line}" if line else name, finding, judgement.wire))
    model_name = f", {judgement.model}" if judgement.model else ""
    at = f" at {', '.join(_servers([judgement]))}" if _servers([judgement]) else ""
    print(visible(f"{name}: {judgement.wire}{model_name}{at}: {_counts(wanted)}"))
    return 1 if wanted else 0


def lint_cassettes(paths: Sequence[Path], selection: Selection, *, server: str = "", format: str = "terminal") -> int:
    """Judge every request in every cassette. Returns 1 when a rule is broken by a request that was not answered.

    ``server`` and ``format`` are as for ``lint_request``. Raises ``BadInput`` with all files that cannot be read.
    """
    reports = _reports(paths, server)
    if format == "json":
        files = tuple(_linted_file(report, selection) for report in reports)
        print(as_json(LintReport(files)))
        return 1 if any(file.findings for file in files) else 0
    broken = False
    for report in reports:
        findings: list[Finding] = []
        refuted: list[Finding] = []
        for judged in report.judged:
            wanted = _wanted_findings(judged.judgement.violations, judged.judgement.wire, selection)
            findings += wanted
            accepted = _wanted_findings(judged.judgement.accepted, judged.judgement.wire, selection)
            refuted += accepted
            place = f"{report.path}:{judged.interaction.line}: interaction {judged.number}"
            wire = judged.judgement.wire
            for text in (
                *(_finding_text(place, each, wire) for each in wanted),
                *(_accepted_text(place, each, judged) for each in accepted),
                *_recorded_refusal(place, judged),
            ):
                print(text)
        for left_out in report.left_out:
            print(f"warning: {visible(left_out)}", file=sys.stderr)
        print(visible(_summary(report, findings, refuted)))
        broken = broken or bool(findings)
    return 1 if broken else 0


# --- reading ------------------------------------------------------------------------------------------------


def _content(file: str) -> bytes:
    """The content of a file, up to one byte more than is judged, so that an endless file (``/dev/zero``) does no
    harm."""
    if file == _STDIN:
        if sys.stdin is None:
            raise BadInput("stdin: is closed; expected the JSON body of a request")
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise problem(error, f"{file}: cannot be read") from error
    except ValueError as error:
        raise BadInput(f"{file}: cannot be read: {error}") from error


def _headers(lines: Sequence[str]) -> Mapping[str, str]:
    wrong = [line for line in lines if ":" not in line]
    if wrong:
        raise BadInput(*(f"--header {line!r}: expected 'name: value'" for line in wrong))
    return {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _reports(paths: Sequence[Path], server: str) -> list[CassetteReport]:
    known_server(server)  # a wrong name is no mistake of each file
    reports: list[CassetteReport] = []
    problems: list[str] = []
    for path in paths:
        try:
            reports.append(judge_cassette(path, server=server))
        except BadInput as error:
            problems += error.problems
        except RecursionError:
            problems.append(f"{path}: contains a request that is nested too deeply")
    if problems:
        raise BadInput(*problems)
    return reports


def _wanted_findings(violations: Sequence[Finding], wire: WireName, selection: Selection) -> list[Finding]:
    reporter = RULES[f"continuation/{wire}"]
    return [each for each in violations if selection.wants(reporter, each)]


# --- as JSON ------------------------------------------------------------------------------------------------


def _linted_file(report: CassetteReport, selection: Selection) -> LintedFile:
    def reported(judged: JudgedInteraction, found: Sequence[Finding]) -> Iterator[LintFinding]:
        for finding in _wanted_findings(found, judged.judgement.wire, selection):
            yield _finding(finding, judged.interaction.line, judged.number)

    return LintedFile(
        str(report.path),
        len(report.judged),
        tuple(sorted({judged.judgement.wire for judged in report.judged})),
        tuple(each for judged in report.judged for each in reported(judged, judged.judgement.violations)),
        report.left_out,
        accepted=tuple(each for judged in report.judged for each in reported(judged, judged.judgement.accepted)),
        refusals=tuple(_refusal(judged) for judged in report.judged if judged.interaction.status >= _REFUSED),
        servers=_servers([judged.judgement for judged in report.judged]),
    )


def _refusal(judged: JudgedInteraction) -> LintRefusal:
    interaction, message = judged.interaction, message_of(judged.interaction.response)
    found = explain(message, (*judged.judgement.violations, *judged.judgement.withheld))
    reason = refusal_reason(message) if found is None else None
    return LintRefusal(
        interaction.line,
        judged.number,
        interaction.status,
        message,
        found.finding.id if found else None,
        found is not None and found.word_for_word,
        reason.kind if reason else "",
        reason.ability if reason else "",
    )


def _servers(judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """The known servers, without those that only a model's name suggests: the model may be served elsewhere."""
    known = (judgement.server for judgement in judgements)
    return tuple(sorted({each.server.name for each in known if each is not None and each.by != "model"}))


def _finding(finding: Finding, line: int | None, interaction: int | None) -> LintFinding:
    answer = finding.answered
    return LintFinding(
        finding.id,
        finding.level,
        answer.place,
        line,
        interaction,
        finding.expected,
        finding.got,
        answer.status,
        answer.message,
        answer.param,
        answer.code,
        finding.detail,
    )


# --- messages -----------------------------------------------------------------------------------------------


def _finding_text(place: str, finding: Finding, wire: WireName) -> str:
    answer = finding.answered
    where = f", at {answer.place}" if answer.place else ""
    reported = replace(finding, rule=f"continuation/{wire}", impact="invalid")
    beside = ", ".join(
        f"{name} {value}" for name, value in {"param": answer.param, "code": answer.code}.items() if value
    )
    answer_text = f"HTTP {answer.status}: {answer.message}" if answer.status >= 400 else answer.message
    return visible(
        f"{place}: {finding.id}  {severity(reported)}{where}\n"
        f"  expected  {finding.expected}\n"
        f"  got       {finding.got}\n"
        f"  answer    {answer_text}{f' ({beside})' if beside else ''}"
        f"{_on_server(finding)}"
    )


def _on_server(finding: Finding) -> str:
    """Why the rule has another level on this server."""
    return f"\n  server    {finding.detail}" if finding.detail else ""


def _accepted_text(place: str, finding: Finding, judged: JudgedInteraction) -> str:
    """The line about a rule that says that a request is refused, although the request was answered."""
    known = judged.judgement.server
    server = known.server.title if known is not None and known.by != "model" else "this server"
    where = f", at {finding.answered.place}" if finding.answered.place else ""
    return visible(
        f"{place}: {finding.id}  accepted by {server}: HTTP {judged.interaction.status}{where}\n"
        f"  expected  {finding.expected}\n"
        f"  got       {finding.got}{_on_server(finding)}"
    )


def _recorded_refusal(place: str, judged: JudgedInteraction) -> Iterator[str]:
    """The line about a refusal by the recorded endpoint, with the rule that explains it."""
    interaction, judgement = judged.interaction, judged.judgement
    if interaction.status < _REFUSED:
        return
    message = message_of(interaction.response)
    yield visible(f"{place}: HTTP {interaction.status} was recorded: {message:.300}")
    found = explain(message, (*judgement.violations, *judgement.withheld))
    if found is None:
        reason = refusal_reason(message)
        cannot = f" ({reason.ability})" if reason and reason.ability else ""
        yield "  no rule explains it" + (f": {REASONS[reason.kind]}{cannot}" if reason else "")
    else:
        yield f"  {found.finding.id} explains it, {'word for word' if found.word_for_word else 'in other words'}"


def _summary(report: CassetteReport, findings: Sequence[Finding], refuted: Sequence[Finding]) -> str:
    beside = f", {report.beside} beside them" if report.beside else ""
    unknown = sum(bool(judged.judgement.withheld) for judged in report.judged)
    apart = f", {_many(unknown, 'goes', 'go')} on from what is not in the file" if unknown else ""
    requests = _many(len(report.judged), "request", "requests")
    accepted = ", ".join(dict.fromkeys(finding.id for finding in refuted))
    against = f"; accepted all the same, which is evidence against {accepted}" if accepted else ""
    return f"{report.path}: {requests} judged{beside}{apart}: {_counts(findings)}{against}"


def _counts(violations: Sequence[Finding]) -> str:
    if not violations:
        return "no finding"
    levels = Counter(finding.level for finding in violations)
    parts = ", ".join(f"{levels[level]} {level}" for level in get_args(Level) if levels[level])
    return f"{_many(len(violations), 'finding', 'findings')} ({parts})"


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
