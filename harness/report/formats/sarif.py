"""A run as SARIF 2.1.0, the format in which code scanning takes the findings of a tool.

A rule is one that was broken. A result is one case of a cause, at the line of its scenario, or of the loop if the
scenario is not in the repository. The results of one cause share its rank and its fingerprint (``cause/v1``); the
message names the consequences. What a baseline expects is suppressed, with its reason. A case that could not be judged
is a notification of the tool, because it proves nothing about the loop. A problem of the target's driver is a result at
its line. If the driver is a command, it has no line: then the problem is a notification of the tool's configuration,
because code scanning refuses results without a place.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from harness.finding import Finding
from harness.report.anchor import place
from harness.report.causes import CATEGORY_WORDS, ERROR, Cause, Member, causes
from harness.report.entries import beside, label, names
from harness.report.explanations import explanations
from harness.report.formats import ReportFormat
from harness.report.visible import cut, unturned
from harness.runner.results import CaseResult, DriverFinding, RunResult, Stale

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {"MUST": "error", "SHOULD": "warning", "INFO": "note"}
_STALE = "baseline/stale"
_MODULE_LINE: Final = re.compile(r"\.py:([1-9][0-9]{0,8})\Z")
_MOST = 1_000
"""Characters of a text: code scanning shows a message in a few lines."""

_Json = dict[str, Any]


def sarif(result: RunResult) -> str:
    """The run as a SARIF document."""
    placed = [each for each in result.driver if _line_of(each) is not None]
    results = [
        *_results(result, causes(result)),
        *(_of_driver(each, result.target) for each in placed),
        *map(_stale, result.stale),
    ]
    rules = list(_rules(result))
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    for each in results:
        each["ruleIndex"] = numbers[each["ruleId"]]
    driver = {"name": "agent-loop-harness", "semanticVersion": result.harness, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"agent-loop-harness/{result.target}/"},
        "invocations": [_invocation(result)],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_unturned_value(run)]}, indent=1) + "\n"


def _unturned_value(value: Any) -> Any:
    """The value with all characters escaped that turn the direction of a text: ids and names are not checked before."""
    if isinstance(value, str):
        return unturned(value)
    if isinstance(value, dict):
        return {name: _unturned_value(member) for name, member in value.items()}
    return [_unturned_value(each) for each in value] if isinstance(value, list) else value


# --- rules ----------------------------------------------------------------------------------------------------------


def _rules(result: RunResult) -> Iterator[_Json]:
    """The rules that were broken, each once."""
    broken = {each.id: each for case in result.cases for each in case.findings}
    explained = explanations(broken)
    for id, each in broken.items():
        yield _rule(id, each.level, explained.get(id, {}), each.rule.partition("/")[0])
    for found in filter(_line_of, result.driver):
        excluded = f"Not judged because of it: {', '.join(found.excluded)}." if found.excluded else None
        yield _rule(found.rule, found.level, {"statement": found.states, "why": excluded}, "driver")
    if result.stale:
        why = "It would hide the finding if it came back."
        yield _rule(
            _STALE, "MUST", {"statement": "Every entry of the baseline matches a finding.", "why": why}, "baseline"
        )


def _rule(id: str, level: str, explanation: Mapping[str, Any], family: str) -> _Json:
    statement = explanation.get("statement", id)
    text = "\n\n".join([statement, *filter(None, [explanation.get("why"), *explanation.get("source", ())])])
    return {
        "id": id,
        "shortDescription": {"text": statement},
        "fullDescription": {"text": statement},
        "help": {"text": text},
        "defaultConfiguration": {"level": _level(explanation.get("level", level))},
        "properties": {"tags": ["agent-loop", family]},
    }


# --- results --------------------------------------------------------------------------------------------------------


def _results(result: RunResult, found: Sequence[Cause]) -> Iterator[_Json]:
    """The results: for each cause one per case, the worst cause first, and then what the baseline expects."""
    times: Counter[tuple[int, str]] = Counter()
    for number, cause in enumerate(found, 1):
        for member in cause.members if cause.rule != ERROR else ():
            case = result.cases[member.case]
            each = case.findings[member.found[0]]
            times[member.case, each.id] += 1
            identity = _identity(case.target, case.id, each.id, str(times[member.case, each.id]))
            identity["partialFingerprints"]["cause/v1"] = cause.id
            yield {**_finding(case, each, result.target), **identity, **_of_cause(number, cause, member, case)}
    for index, case in enumerate(result.cases):
        for each in case.expected:
            times[index, each.id] += 1
            known = {"suppressions": [{"kind": "external", "justification": cut(each.known, _MOST)}]}
            identity = _identity(case.target, case.id, each.id, str(times[index, each.id]))
            yield {**_finding(case, each, result.target), **identity, **known}


def _finding(case: CaseResult, each: Finding, target: str) -> _Json:
    lines = [f"{case.id}: expected {cut(each.expected, _MOST)}; got {cut(each.got, _MOST)}"]
    lines += [cut(each.explanation, _MOST)] if each.explanation else []
    repeat = cut(case.repeat, _MOST)
    return {
        "ruleId": each.id,
        "level": _level(each.level),
        "message": {"text": _linkless("\n".join([*lines, f"repeat: {repeat}"]))},
        "locations": _locations(*place(case.file, each.line, target)),
        "properties": {"case": case.id, "wire": case.wire, "repeat": repeat, "trace": case.trace, "at": each.at},
    }


def _of_cause(number: int, cause: Cause, member: Member, case: CaseResult) -> _Json:
    """The members that the results of one cause share, and the cause's other findings in this case."""
    each = case.findings[member.found[0]]
    result_of_finding = _finding(case, each, "")
    others = list(dict.fromkeys(one.id for one in beside(member, case)))
    words = [f"cause {number}: {names(cause)} ({label(cause)})", result_of_finding["message"]["text"]]
    words += [f"also: {', '.join(others)}"] if others else []
    return {
        "message": {"text": _linkless("\n".join(words))},
        "rank": max(100.0 - number + 1, 0.0),
        "properties": {
            **result_of_finding["properties"],
            "cause": number,
            "category": CATEGORY_WORDS[cause.category],
            "also": others,
        },
    }


def _of_driver(finding: DriverFinding, target: str) -> _Json:
    return {
        "ruleId": finding.rule,
        "level": "note" if finding.known else _level(finding.level),
        "message": {"text": _linkless(_driver_text(finding))},
        "locations": _locations(finding.place.rpartition(":")[0], _line_of(finding)),
        **_identity(target, finding.rule),
    }


def _driver_text(finding: DriverFinding) -> str:
    lines = [
        f"{finding.suspect}: {finding.states}",
        f"expected {cut(finding.expected, _MOST)}; got {cut(finding.got, _MOST)}",
    ]
    return "\n".join([*lines, f"change: {cut(finding.remedy, _MOST)}"])


def _line_of(finding: DriverFinding) -> int | None:
    """The line of the module in which the driver is defined; None if it is a command."""
    place = _MODULE_LINE.search(finding.place)
    return int(place[1]) if place is not None else None


def _stale(stale: Stale) -> _Json:
    file, line, _ = [*stale.place.rsplit(":", 2), "", ""][:3]
    return {
        "ruleId": _STALE,
        "level": "error",
        "message": {"text": _linkless(f"{stale.what}: {stale.why}")},
        "locations": _locations(file, int(line) if line.isdecimal() else None),
        **_identity(file, stale.what),
    }


def _level(level: str) -> str:
    return _LEVELS.get(level, "error")


def _locations(file: str, line: int | None) -> list[_Json]:
    """One location, for readers accept no result without; none if the results are too old to have it."""
    if not file:
        return []
    path = PurePath(file)
    uri = quote(path.as_posix().lstrip("/"), errors="surrogatepass")
    uri = f"file:///{uri}" if path.is_absolute() else uri
    return [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line or 1}}}]


def _identity(*names: str) -> _Json:
    """An identity of a finding that is the same in another run, wherever its scenario has moved, whatever its text.

    GitHub identifies a result by ``primaryLocationLineHash`` alone. Its uploader would compute that from the line, so
    all cases of a scenario would have the same.
    """
    digest = sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return {"partialFingerprints": {"primaryLocationLineHash": f"{digest[:16]}:1", "caseRule/v1": digest}}


def _linkless(text: str) -> str:
    """A message in which no reader finds a link: SARIF has links like Markdown's."""
    return text.replace("](", "]\\(")


# --- the tool -------------------------------------------------------------------------------------------------------


def _invocation(result: RunResult) -> _Json:
    crashed = [case for case in result.cases if case.error is not None]
    invocation: _Json = {
        "executionSuccessful": result.complete and not crashed,
        "startTimeUtc": result.started.replace("+00:00", "Z"),
        "toolExecutionNotifications": list(_notifications(crashed)),
    }
    if unplaced := [each for each in result.driver if _line_of(each) is None]:
        invocation["toolConfigurationNotifications"] = [
            {
                "level": "note" if each.known else _level(each.level),
                "message": {"text": _linkless(f"{each.rule} ({cut(each.place, _MOST)})\n{_driver_text(each)}")},
            }
            for each in unplaced
        ]
    return invocation


def _notifications(cases: Iterable[CaseResult]) -> Iterator[_Json]:
    for case in cases:
        # The end of a traceback says what went wrong.
        error = cut((case.error or "").strip()[-_MOST:], _MOST)
        lines = [f"{case.id} could not be judged", error, f"repeat: {cut(case.repeat, _MOST)}"]
        yield {
            "level": "error",
            "message": {"text": _linkless("\n".join(lines))},
            "locations": _locations(*place(case.file, None, case.target)),
        }


FORMAT: Final = ReportFormat("SARIF 2.1.0 for code scanning", lambda result, _: sarif(result))
