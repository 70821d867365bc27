"""A run in Markdown, for the summary of a GitHub job: causes with how to repeat them, and the rest in totals.

GitHub refuses a summary of more than 1 MiB. So the first of everything is reported and the rest counted. If that is
still too much, less of everything is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from harness.finding import Finding
from harness.report.causes import ERROR, Cause, causes, statement, title
from harness.report.entries import also, case_of, label, scenario_place
from harness.report.explanations import explanations
from harness.report.formats import ReportFormat
from harness.report.marked import cell, code, fenced
from harness.report.totals import blocked, counted, network, unserved
from harness.report.visible import cut
from harness.runner.judging import NETWORK
from harness.runner.results import CaseResult, RunResult

LIMIT = 1_000_000
"""Bytes of a summary. GitHub takes 1,048,576 from one step, which may write something else, too."""


@dataclass(frozen=True, slots=True)
class _Amount:
    """How much is shown: causes or reasons, cases of each, whether a case has its finding, characters of a text."""

    groups: int = 50
    rows: int = 25
    whole: int = 5
    characters: int = 2_000

    @property
    def less(self) -> _Amount:
        return _Amount(
            max(self.groups // 2, 5), max(self.rows // 2, 1), self.whole // 2, max(self.characters // 2, 100)
        )


def markdown(result: RunResult) -> str:
    """The run as a document that begins with its totals, of at most ``LIMIT`` bytes."""
    amount = _Amount()
    while True:
        text = "\n".join(_lines(result, amount)) + "\n"
        if len(text.encode()) <= LIMIT or amount == amount.less:
            return text
        amount = amount.less


def _lines(result: RunResult, amount: _Amount) -> Iterator[str]:
    versions = ", ".join(f"{package} {version}" for package, version in result.versions.items())
    yield from (f"## {counted(result)}", "")
    head = [result.target, versions, f"seed {result.seed}" if result.seed else "", f"harness {result.harness}"]
    yield ", ".join(code(cut(each, 200)) for each in (*head, result.started) if each)
    if not result.complete:
        yield from ("", "**Interrupted: the report has the cases that had finished.**")
    yield from _driver(result, amount)
    yield from _causes(result, amount)
    yield from _errors(result, amount)
    yield from _stale(result, amount)
    yield from _blocked_hosts(result, amount)
    yield from _sums(result, amount)


# --- what somebody has to look at ---------------------------------------------------------------------------------


def _driver(result: RunResult, amount: _Amount) -> Iterator[str]:
    if result.driver:
        yield from ("", "### Your loop or its adapter", "", "| check | expected | got | change |", "|---|---|---|---|")
    for each in result.driver:
        columns = (f"{each.rule} ({each.place}): {each.suspect}: {each.states}", each.expected, each.got, each.remedy)
        yield f"| {' | '.join(cell(cut(text, amount.characters // 10)) for text in columns)} |"


def _causes(result: RunResult, amount: _Amount) -> Iterator[str]:
    found = [cause for cause in causes(result) if cause.rule != ERROR]
    if found:
        yield from ("", f"### {_number(result.totals['fail'], 'case')} failed, {_number(len(found), 'cause')}")
    for number, cause in enumerate(found[: amount.groups], 1):
        yield from _cause(number, cause, result, amount)
    yield from _left(found[amount.groups :], "cause")
    others = dict.fromkeys(rule for cause in found[amount.groups :] for rule in cause.rules)
    if others:
        yield from ("", f"They break {cut(', '.join(map(code, others)), amount.characters)}.")


def _cause(number: int, cause: Cause, result: RunResult, amount: _Amount) -> Iterator[str]:
    short = amount.characters // 10
    rules = ", ".join(code(cut(rule, 200)) for rule in cause.rules)
    yield from ("", f"#### {number}. {rules}: {code(cut(label(cause), short))}")
    yield from ("", statement(cause, result) or code(cut(title(cause, result), short)))
    yield from ("", "| case | expected | got |", "|---|---|---|")
    found = [(result.cases[each.case], result.cases[each.case].findings[each.found[0]]) for each in cause.members]
    for case, each in found[: amount.rows]:
        yield f"| {cell(cut(case.id, 200))} | {cell(cut(each.expected, short))} | {cell(cut(each.got, short))} |"
    yield from _left(found[amount.rows :], "case")
    if cause.consequences:
        yield from ("", f"Also: {code(cut(also(cause.consequences), amount.characters))}")
    if amount.whole:
        case, first = case_of(cause, result), result.cases[cause.example.case].findings[cause.example.found[0]]
        yield from ("", "<details><summary>Evidence, and how to repeat it</summary>", "")
        yield from _whole(case, first, amount)
        yield "</details>"


def _whole(case: CaseResult, each: Finding, amount: _Amount) -> Iterator[str]:
    texts = {"expected": each.expected, "got": each.got, "evidence": each.explanation}
    lines = [f"{name:8}  {cut(text, amount.characters)}" for name, text in texts.items() if text]
    yield f"{code(cut(case.id, 200))} {code(_place(case, each))}"
    yield from ("", fenced("text", "\n".join(lines)), "", fenced("sh", cut(case.repeat, amount.characters)), "")


def _place(case: CaseResult, each: Finding) -> str:
    scenario = scenario_place(case.file, each.line or 0)
    trace = f"{case.trace}:{each.at}" if each.at else case.trace or ""
    return cut("  ".join(filter(None, (scenario, trace))), 400)


def _errors(result: RunResult, amount: _Amount) -> Iterator[str]:
    cases = [case for case in result.cases if case.error is not None]
    if cases:
        yield from ("", f"### {_number(len(cases), 'case')} could not be judged")
    for case in cases[: amount.rows]:
        # The end of a traceback says what went wrong.
        error = (case.error or "").strip()[-amount.characters :]
        yield from ("", f"<details><summary>{_plain(case.id)}</summary>", "", fenced("text", error), "")
        yield from (fenced("sh", cut(case.repeat, amount.characters)), "", "</details>")
    yield from _left(cases[amount.rows :], "case")


def _stale(result: RunResult, amount: _Amount) -> Iterator[str]:
    if result.stale:
        yield from ("", f"### {len(result.stale)} stale in {code(result.baseline or 'the baseline')}", "")
        yield from ("| place | entry | why |", "|---|---|---|")
    for each in result.stale[: amount.rows]:
        yield f"| {' | '.join(cell(cut(text, 300)) for text in (each.place, each.what, each.why))} |"
    yield from _left(result.stale[amount.rows :], "entry", "entries")


def _blocked_hosts(result: RunResult, amount: _Amount) -> Iterator[str]:
    hosts = blocked(result)
    if hosts:
        explanation = explanations([NETWORK])[NETWORK]
        yield from (
            "",
            f"### {_number(len(hosts), 'host')} blocked ({code(NETWORK)})",
            "",
            explanation["statement"],
            "",
        )
        yield from ("| host | cases | asked | first |", "|---|---:|---|---|")
    for each in hosts[: amount.rows]:
        asked, first = cell(cut(", ".join(each.asked), 300)), cell(cut(each.first, 200))
        yield f"| {cell(cut(each.host, 200))} | {each.cases} | {asked} | {first} |"
    yield from _left(hosts[amount.rows :], "host")


# --- what nobody has to look at -----------------------------------------------------------------------------------


def _sums(result: RunResult, amount: _Amount) -> Iterator[str]:
    expected = [(each.known, case, each.id) for case in result.cases for each in case.expected]
    skipped = [(case.reason, case, "") for case in result.cases if case.verdict == "skip"]
    yield from _by_reason(f"Expected by {code(result.baseline or 'the baseline')}", expected, amount)
    yield from _by_reason("Skipped", skipped, amount)
    more = [*unserved(result), *network(result)]
    if more:
        shown = [cut(each, amount.characters) for each in more[: amount.rows]]
        yield from ("", "### Notes", "", fenced("text", "\n".join(shown)))
    yield from _left(more[amount.rows :], "line")


def _by_reason(title: str, reasons: Iterable[tuple[str, CaseResult, str]], amount: _Amount) -> Iterator[str]:
    cases: dict[str, set[str]] = {}
    rules: dict[str, dict[str, None]] = {}
    for reason, case, rule in reasons:
        cases.setdefault(reason, set()).add(case.id)
        rules.setdefault(reason, {})[rule] = None
    if cases:
        yield from ("", f"### {title}", "", "| reason | cases | rules |", "|---|---:|---|")
    for reason, some in list(cases.items())[: amount.groups]:
        named = ", ".join(list(rules[reason])[: amount.rows])
        yield f"| {cell(cut(' '.join(reason.split()), 500))} | {len(some)} | {cell(cut(named, 500))} |"
    yield from _left(list(cases)[amount.groups :], "reason")


def _left(rest: Sequence[object], one: str, many: str = "") -> Iterator[str]:
    if rest:
        yield from ("", f"and {_number(len(rest), one, many)} more, in `results.json`")


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _plain(id: str) -> str:
    """An id where Markdown allows no code, as in HTML. Ids are made of names, so nothing of a real id is lost."""
    return "".join(char if char.isalnum() or char in "._-" else "�" for char in id[:200])


FORMAT: Final = ReportFormat("a summary for GitHub", lambda result, _: markdown(result))
