"""``harness lint-request`` and ``harness lint-cassette``: requests in files under the rules of their wires."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness.errors import BadInput
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
from harness.report.entries import severity_of
from harness.report.json_output import LintedFile, LintFinding, LintReport, as_json
from harness.report.visible import visible
from harness.rules import RULES, Breach, Level, Selection
from harness.rules.continuation import LEVELS
from harness.wire import Violation, WireName

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
    (``report.json_output.LintReport``). Raises ``BadInput`` for a file that holds no request.
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
        found = tuple(_finding(each, pasted.line(each.at), None) for each in wanted)
        print(as_json(LintReport((LintedFile(name, 1, (judgement.wire,), found, pasted.warnings),))))
        return 1 if wanted else 0
    for warning in pasted.warnings:
        print(f"warning: {visible(warning)}", file=sys.stderr)
    for violation in wanted:
        line = pasted.line(violation.at)
        print(_told(f"{name}:{line}" if line else name, violation, judgement.wire))
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
        findings: list[Violation] = []
        for judged in report.judged:
            wanted = _wanted(judged.judgement.violations, judged.judgement.wire, selection)
            findings += wanted
            place = f"{report.path}:{judged.interaction.line}: interaction {judged.number}"
            wire = judged.judgement.wire
            for text in (*(_told(place, each, wire) for each in wanted), *_recorded_refusal(place, judged)):
                print(text)
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


def _wanted(violations: Sequence[Violation], wire: WireName, selection: Selection) -> list[Violation]:
    reporter = RULES[f"continuation/{wire}"]
    return [
        each
        for each in violations
        if selection.wants(reporter, Breach(0, each.expected, each.got, reference=each.rule, level=LEVELS[each.level]))
    ]


# --- as JSON ------------------------------------------------------------------------------------------------


def _linted(report: CassetteReport, selection: Selection) -> LintedFile:
    findings = tuple(
        _finding(violation, judged.interaction.line, judged.number)
        for judged in report.judged
        for violation in _wanted(judged.judgement.violations, judged.judgement.wire, selection)
    )
    wires = tuple(sorted({judged.judgement.wire for judged in report.judged}))
    return LintedFile(str(report.path), len(report.judged), wires, findings)


def _finding(violation: Violation, line: int | None, interaction: int | None) -> LintFinding:
    return LintFinding(
        violation.rule,
        LEVELS[violation.level],
        violation.at,
        line,
        interaction,
        violation.expected,
        violation.got,
        violation.status,
        violation.message,
        violation.param,
        violation.code,
    )


# --- telling ------------------------------------------------------------------------------------------------


def _told(place: str, violation: Violation, wire: WireName) -> str:
    where = f", at {violation.at}" if violation.at else ""
    severity = severity_of(f"continuation/{wire}", LEVELS[violation.level], "invalid")
    members = {"param": violation.param, "code": violation.code}
    beside = ", ".join(f"{name} {value}" for name, value in members.items() if value)
    answer = f"HTTP {violation.status}: {violation.message}" if violation.status >= 400 else violation.message
    return visible(
        f"{place}: {violation.rule}  {severity}{where}\n"
        f"  expected  {violation.expected}\n"
        f"  got       {violation.got}\n"
        f"  answer    {answer}{f' ({beside})' if beside else ''}"
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
        yield f"  {found.violation.rule} explains it, {'word for word' if found.word_for_word else 'in other words'}"


def _summary(report: CassetteReport, findings: Sequence[Violation]) -> str:
    beside = f", {report.beside} beside them" if report.beside else ""
    unknown = sum(bool(judged.judgement.withheld) for judged in report.judged)
    apart = f", {_many(unknown, 'goes', 'go')} on from what is not in the file" if unknown else ""
    requests = _many(len(report.judged), "request", "requests")
    return f"{report.path}: {requests} judged{beside}{apart}: {_counts(findings)}"


def _counts(violations: Sequence[Violation]) -> str:
    if not violations:
        return "no finding"
    levels: Counter[Level] = Counter(LEVELS[violation.level] for violation in violations)
    parts = ", ".join(f"{levels[level]} {level}" for level in LEVELS.values() if levels[level])
    return f"{_many(len(violations), 'finding', 'findings')} ({parts})"


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
