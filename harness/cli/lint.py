"""``harness lint-request`` and ``harness lint-cassette``: requests in files under the rules of their wires."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from harness.errors import BadInput
from harness.finding import Finding, Level
from harness.lint import (
    MOST_BYTES,
    CassetteReport,
    Judge,
    JudgedInteraction,
    explain,
    judge_cassette,
    message_of,
    read_pasted,
)
from harness.report.entries import severity
from harness.report.json_output import LintedFile, LintFinding, LintReport, as_json
from harness.report.visible import visible
from harness.rules import RULES, Selection
from harness.wire import WireName

__all__ = ["lint_cassettes", "lint_request"]

_STDIN = "-"


def lint_request(
    file: str,
    selection: Selection,
    *,
    wire: WireName | None = None,
    model: str = "",
    headers: Sequence[str] = (),
    format: str = "terminal",
) -> int:
    """Judge the body of one request; ``-`` is standard input. Returns 1 when a rule is broken.

    ``headers`` are as HTTP has them, ``name: value``. ``format``: ``terminal``, or ``json``
    (``report.json_output.LintReport``). Raises ``BadInput`` for a file without a request.
    """
    name = "stdin" if file == _STDIN else file
    content = _content(file)
    try:
        pasted = read_pasted(name, content, wire, model, _headers(headers))
        judgement = Judge().judge(pasted.asked)
    except RecursionError as error:
        raise BadInput(f"{name}: is nested too deeply for a request") from error
    wanted = _wanted(judgement.violations, judgement.wire, selection)
    if format == "json":
        found = tuple(_finding(each, pasted.line(each.answered.place), None) for each in wanted)
        print(as_json(LintReport((LintedFile(name, 1, (judgement.wire,), found, pasted.warnings),))))
        return 1 if wanted else 0
    for warning in pasted.warnings:
        print(f"warning: {visible(warning)}", file=sys.stderr)
    for finding in wanted:
        line = pasted.line(finding.answered.place)
        print(_finding_text(f"{name}:{line}" if line else name, finding, judgement.wire))
    model_name = f", {judgement.model}" if judgement.model else ""
    print(visible(f"{name}: {judgement.wire}{model_name}: {_counts(wanted)}"))
    return 1 if wanted else 0


def lint_cassettes(paths: Sequence[Path], selection: Selection, *, format: str = "terminal") -> int:
    """Judge every request in every cassette. Returns 1 when a rule is broken.

    ``format`` is as for ``lint_request``. Raises ``BadInput`` with all files that cannot be read.
    """
    reports = _reports(paths)
    if format == "json":
        files = tuple(_linted(report, selection) for report in reports)
        print(as_json(LintReport(files)))
        return 1 if any(file.findings for file in files) else 0
    broken = False
    for report in reports:
        findings: list[Finding] = []
        for judged in report.judged:
            wanted = _wanted(judged.judgement.violations, judged.judgement.wire, selection)
            findings += wanted
            place = f"{report.path}:{judged.interaction.line}: interaction {judged.number}"
            wire = judged.judgement.wire
            for text in (*(_finding_text(place, each, wire) for each in wanted), *_recorded_refusal(place, judged)):
                print(text)
        for left_out in report.left_out:
            print(f"warning: {visible(left_out)}", file=sys.stderr)
        print(visible(_summary(report, findings)))
        broken = broken or bool(findings)
    return 1 if broken else 0


# --- reading ------------------------------------------------------------------------------------------------


def _content(file: str) -> bytes:
    """What is read of a file: one byte more than is judged, however much there is (``/dev/zero``)."""
    if file == _STDIN:
        if sys.stdin is None:
            raise BadInput("stdin: is closed; expected the JSON body of a request")
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{file}: cannot be read: {reason}") from error


def _headers(lines: Sequence[str]) -> Mapping[str, str]:
    wrong = [line for line in lines if ":" not in line]
    if wrong:
        raise BadInput(*(f"--header {line!r}: expected 'name: value'" for line in wrong))
    return {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _reports(paths: Sequence[Path]) -> list[CassetteReport]:
    reports: list[CassetteReport] = []
    problems: list[str] = []
    for path in paths:
        try:
            reports.append(judge_cassette(path))
        except BadInput as error:
            problems += error.problems
        except RecursionError:
            problems.append(f"{path}: contains a request that is nested too deeply")
    if problems:
        raise BadInput(*problems)
    return reports


def _wanted(violations: Sequence[Finding], wire: WireName, selection: Selection) -> list[Finding]:
    reporter = RULES[f"continuation/{wire}"]
    return [each for each in violations if selection.wants(reporter, each)]


# --- as JSON ------------------------------------------------------------------------------------------------


def _linted(report: CassetteReport, selection: Selection) -> LintedFile:
    findings = tuple(
        _finding(finding, judged.interaction.line, judged.number)
        for judged in report.judged
        for finding in _wanted(judged.judgement.violations, judged.judgement.wire, selection)
    )
    wires = tuple(sorted({judged.judgement.wire for judged in report.judged}))
    return LintedFile(str(report.path), len(report.judged), wires, findings, report.left_out)


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
    )


def _recorded_refusal(place: str, judged: JudgedInteraction) -> Iterator[str]:
    """What the endpoint itself answered, and which rule says the same."""
    interaction, judgement = judged.interaction, judged.judgement
    if interaction.status < 400:
        return
    message = message_of(interaction.response)
    yield visible(f"{place}: HTTP {interaction.status} was recorded: {message:.300}")
    found = explain(message, (*judgement.violations, *judgement.withheld))
    if found is None:
        yield "  no rule explains it"
    else:
        yield f"  {found.finding.id} explains it, {'word for word' if found.word_for_word else 'in other words'}"


def _summary(report: CassetteReport, findings: Sequence[Finding]) -> str:
    beside = f", {report.beside} beside them" if report.beside else ""
    unknown = sum(bool(judged.judgement.withheld) for judged in report.judged)
    apart = f", {_many(unknown, 'goes', 'go')} on from what is not in the file" if unknown else ""
    requests = _many(len(report.judged), "request", "requests")
    return f"{report.path}: {requests} judged{beside}{apart}: {_counts(findings)}"


def _counts(violations: Sequence[Finding]) -> str:
    if not violations:
        return "no finding"
    levels = Counter(finding.level for finding in violations)
    parts = ", ".join(f"{levels[level]} {level}" for level in get_args(Level) if levels[level])
    return f"{_many(len(violations), 'finding', 'findings')} ({parts})"


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
