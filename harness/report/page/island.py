"""The data inside the page, kept small: values that can be derived, or are as usual, are left out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from harness.finding import Finding
from harness.report.causes import CATEGORY_WORDS, Cause, causes, title, weighed
from harness.report.explanations import explanations
from harness.report.labels import label_of
from harness.report.page.shown import Against, Past, ShownRun
from harness.report.visible import cut
from harness.runner.results import CaseResult, DriverFinding, RunResult
from harness.scenario import shipped

_MOST = 20_000
"""Characters of a text about a case that the page contains; the whole text is in results.json."""

_LONGEST_TITLE = 400


def island(runs: Sequence[ShownRun], history: Past | None, against: Against | None) -> dict[str, Any]:
    """Plain JSON values, as ``parts/data.js`` reads them."""
    broken = dict.fromkeys(each.id for run in runs for case in run.result.cases for each in case.findings)
    wires = dict.fromkeys(case.wire for run in runs for case in run.result.cases)
    found: dict[str, Any] = {
        "runs": [_run(run) for run in runs],
        "rules": explanations(broken),
        "labels": {name: label_of(name) for name in wires},
    }
    if history is not None:
        counts = [[each.run, each.rule, each.count] for each in history.counts]
        found["history"] = {"counts": counts, "page": history.page}
    if against is not None:
        found["against"] = {
            "base": against.base,
            "changes": {id: [_cut(line) for line in lines] for id, lines in against.changes.items()},
        }
    return found


def _run(run: ShownRun) -> dict[str, Any]:
    result = run.result
    return {
        "target": result.target,
        "harness": result.harness,
        "started": result.started,
        "seed": result.seed,
        "complete": result.complete,
        "versions": dict(result.versions),
        "baseline": result.baseline,
        "stale": [[each.place, each.what, each.why] for each in result.stale],
        "driver": [_driver(each) for each in result.driver],
        "causes": [_cause(each, result) for each in causes(result)],
        "unchecked": _unchecked_rules(result),
        "summaries": {case.scenario: _cut(case.summary) for case in result.cases if case.summary},
        "shipped": _shipped_folder(result),
        "folder": run.folder,
        "cases": [_case(case, result, traced=case.id in run.traced) for case in result.cases],
    }


def _shipped_folder(result: RunResult) -> str:
    """The folder of the shipped scenarios if a case names it, so that the page can leave it out; else empty."""
    folder = shipped().as_posix()
    return folder if any(case.file.startswith(f"{folder}/") for case in result.cases) else ""


def _cause(cause: Cause, result: RunResult) -> dict[str, Any]:
    """``members`` are indices: of a case, of its findings that are the cause, and of their consequences."""
    return {
        "id": cause.id,
        "rules": cause.rules,
        "level": cause.level,
        "category": cause.category,
        "label": CATEGORY_WORDS[cause.category],
        "title": cut(title(cause, result), _LONGEST_TITLE),
        "counts": weighed(cause).removeprefix(CATEGORY_WORDS[cause.category]).lstrip(", "),
        "members": [[each.case, each.found, each.follows] for each in cause.members],
        "shown": cause.shown,
        "consequences": [[each.rule, each.level, each.cases] for each in cause.consequences],
    }


def _unchecked_rules(result: RunResult) -> dict[str, list[str]]:
    """The rules by which the run was not judged. ``only`` are the rules that it was limited to, if any, ``skipped``
    those that were left out, ``excluded`` those that depend on an error in the driver. The options of a run are read
    from the commands that repeat its cases."""
    command = next((case.repeat for case in result.cases if case.repeat), "")
    excluded = dict.fromkeys(name for each in result.driver for name in each.excluded)
    return {"only": _values(command, "--rule"), "skipped": _values(command, "--skip"), "excluded": list(excluded)}


def _values(command: str, option: str) -> list[str]:
    """The values of the option in the command, in order; empty if the text is no command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return [value for word, value in pairwise(words) if word == option]


def _driver(finding: DriverFinding) -> dict[str, Any]:
    texts = {"expected": finding.expected, "got": finding.got, "change": finding.remedy}
    return {
        "rule": finding.rule,
        "suspect": finding.suspect,
        "states": _cut(finding.states),
        "place": _cut(finding.place),
        "on": ", ".join(finding.wires),
        **{name: _cut(text) for name, text in texts.items()},
        "excluded": ", ".join(finding.excluded),
        "known": _cut(finding.known),
    }


def _case(case: CaseResult, result: RunResult, *, traced: bool) -> dict[str, Any]:
    members: dict[str, Any] = {
        "scenario": case.scenario,
        "wire": case.wire,
        "chunking": case.chunking,
        "profile": case.profile,
        "verdict": case.verdict,
        "seconds": case.seconds,
        "requests": case.requests,
        "repeat": _cut(case.repeat),
    }
    members |= dict(_unusual(case, result))
    if not traced:
        members["trace"] = None
    if case.findings:
        members["findings"] = [dict(_finding(each)) for each in case.findings]
    return members


def _unusual(case: CaseResult, result: RunResult) -> Iterator[tuple[str, Any]]:
    """The members in which the case differs from most cases."""
    if case.id != f"{case.scenario}.{case.wire}.{case.chunking}":
        yield "id", case.id
    if case.trace != f"traces/{case.id}.jsonl":
        yield "trace", case.trace
    if case.source != "script":
        yield "source", case.source
    if case.seed != result.seed:
        yield "seed", case.seed
    if case.error is not None:
        yield "error", _cut(case.error)
    if case.file:
        yield "file", case.file
    if case.reason:
        yield "reason", _cut(case.reason)
    if case.conversations:
        yield "conversations", [[each.name, each.requests, each.begins] for each in case.conversations]
    if case.notes:
        yield "notes", [_cut(note) for note in case.notes]


def _finding(finding: Finding) -> Iterator[tuple[str, Any]]:
    texts = {"expected": finding.expected, "got": finding.got, "detail": finding.remark, "known": finding.known}
    yield from {"rule": finding.rule, "level": finding.level, "impact": finding.impact, "at": finding.at}.items()
    yield from ((name, _cut(text)) for name, text in texts.items() if text)
    if finding.reference:
        yield "reference", finding.reference
    if finding.line is not None:
        yield "line", finding.line
    if finding.conversation:
        yield "conversation", finding.conversation
    if (answer := finding.provider) is not None:
        yield from (("place", answer.place), ("status", answer.status), ("said", _cut(answer.message)))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text) - _MOST} characters more in results.json)"
