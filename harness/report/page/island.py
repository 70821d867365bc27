"""The data inside the page, in few words: what can be derived, or is as usual, is left out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from harness.report.causes import CATEGORY_WORDS, Cause, causes, counts, title
from harness.report.explanations import explanations
from harness.report.page.shown import Against, Past, ShownRun
from harness.report.visible import cut
from harness.runner.results import CaseResult, DriverFinding, Evidence, RunResult
from harness.scenario import shipped

__all__ = ["island", "refusal"]

_MOST = 20_000
"""Characters of a text about a case that the page holds; all of it is in results.json."""

_LONGEST_TITLE = 400

_REFUSED = re.compile(r"(?:(?P<place>[^\s:]+): )?HTTP (?P<status>\d{3}) (?P<said>.*)", re.DOTALL)
_MINDED = re.compile(r"(?P<place>[a-z][^\s:]*): (?P<said>.*)", re.DOTALL)


def island(runs: Sequence[ShownRun], history: Past | None, against: Against | None) -> dict[str, Any]:
    """Plain JSON values, as ``parts/data.js`` reads them."""
    broken = dict.fromkeys(each.rule for run in runs for case in run.result.cases for each in case.evidence)
    found: dict[str, Any] = {"runs": [_run(run) for run in runs], "rules": explanations(broken)}
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
        "unchecked": _unchecked(result),
        "summaries": {case.scenario: _cut(case.summary) for case in result.cases if case.summary},
        "shipped": _installed(result),
        "folder": run.folder,
        "cases": [_case(case, result, traced=case.id in run.traced) for case in result.cases],
    }


def _installed(result: RunResult) -> str:
    """The folder of the shipped scenarios where a case names it, so that the page can leave it out; else empty."""
    folder = shipped().as_posix()
    return folder if any(case.file.startswith(f"{folder}/") for case in result.cases) else ""


def _cause(cause: Cause, result: RunResult) -> dict[str, Any]:
    """``members`` are indices: of a case, of its findings that are the cause, and of those that follow from them."""
    return {
        "id": cause.id,
        "rules": cause.rules,
        "level": cause.level,
        "category": cause.category,
        "label": CATEGORY_WORDS[cause.category],
        "title": cut(title(cause, result), _LONGEST_TITLE),
        "counts": counts(cause),
        "members": [[each.case, each.found, each.follows] for each in cause.members],
        "shown": cause.shown,
        "consequences": [[each.rule, each.level, each.cases] for each in cause.consequences],
    }


def _unchecked(result: RunResult) -> dict[str, list[str]]:
    """What the run was not judged by: ``only`` are the rules that it was limited to, if it was, ``skipped`` those that
    were left out, ``excluded`` those that depend on what is wrong in the driver. The options of a run are in the
    commands that repeat its cases."""
    command = next((case.repeat for case in result.cases if case.repeat), "")
    excluded = dict.fromkeys(name for each in result.driver for name in each.excluded)
    return {"only": _values(command, "--rule"), "skipped": _values(command, "--skip"), "excluded": list(excluded)}


def _values(command: str, option: str) -> list[str]:
    """What the option is given in the command, in order; nothing where that is no command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return [value for word, value in pairwise(words) if word == option]


def _driver(finding: DriverFinding) -> dict[str, Any]:
    texts = {"expected": finding.expected, "got": finding.got, "change": finding.remedy}
    return {
        "rule": finding.rule,
        "level": finding.level,
        "states": _cut(finding.states),
        "place": _cut(finding.place),
        "on": ", ".join(finding.wires),
        **{name: _cut(text) for name, text in texts.items()},
        "excluded": ", ".join(finding.excluded),
    }


def _case(case: CaseResult, result: RunResult, *, traced: bool) -> dict[str, Any]:
    said: dict[str, Any] = {
        "scenario": case.scenario,
        "wire": case.wire,
        "chunking": case.chunking,
        "profile": case.profile,
        "verdict": case.verdict,
        "seconds": case.seconds,
        "requests": case.requests,
        "repeat": _cut(case.repeat),
    }
    said |= dict(_unusual(case, result))
    if not traced:
        said["trace"] = None
    if case.evidence:
        said["evidence"] = [dict(_evidence(each)) for each in case.evidence]
    return said


def _unusual(case: CaseResult, result: RunResult) -> Iterator[tuple[str, Any]]:
    """What most cases have in common."""
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


def _evidence(evidence: Evidence) -> Iterator[tuple[str, Any]]:
    texts = {"expected": evidence.expected, "got": evidence.got, "detail": evidence.detail, "known": evidence.known}
    yield from {"rule": evidence.rule, "level": evidence.level, "kind": evidence.kind, "at": evidence.at}.items()
    yield from ((name, _cut(text)) for name, text in texts.items() if text)
    if evidence.line is not None:
        yield "line", evidence.line
    if evidence.conversation:
        yield "conversation", evidence.conversation
    if found := refusal(evidence):
        place, status, said = found
        yield from (("place", place), ("status", status), ("said", _cut(said)))


def refusal(evidence: Evidence) -> tuple[str, int, str] | None:
    """Of a wire rule that was broken: the place in the request's body, the status that the provider answers with (200
    where nobody minds) and its words. They stand in ``detail`` (``harness.rules.continuation``)."""
    if not evidence.rule.startswith("continuation/"):
        return None
    if refused := _REFUSED.fullmatch(evidence.detail):
        return refused["place"] or "", int(refused["status"]), refused["said"]
    if minded := _MINDED.fullmatch(evidence.detail):
        return minded["place"], 200, minded["said"]
    return "", 200, evidence.detail


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text) - _MOST} characters more in results.json)"
