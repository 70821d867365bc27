"""What ``harness serve`` prints at its end: the requests of each conversation, and the causes as ``harness run``.

Of a test suite, and of many conversations, those with findings are named, and the others counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from harness.report.causes import ERROR, Cause, causes
from harness.report.terminal import MOST_SHOWN, Terminal
from harness.report.visible import visible
from harness.runner.results import CaseResult, RunResult
from harness.runner.serving.of_tests import FinishedTest

_MOST_LISTED: Final = 20
"""Conversations that have a line each, whatever their result."""


@dataclass(frozen=True, slots=True)
class ServedConversation:
    """What is printed of a conversation, or of a test's conversations on one wire: the result and each answer's status.

    It does not keep the trace. ``test`` is the name of the test, empty if there is none; ``outcome`` is how the test
    has ended, empty if that is not known.
    """

    result: CaseResult
    statuses: tuple[str, ...]
    test: str = ""
    outcome: str = ""

    @classmethod
    def of(cls, finished: FinishedTest) -> ServedConversation:
        """What is printed of what has ended so."""
        answers = [exchange.response for exchange in finished.trace.exchanges]
        statuses = tuple(str(answer.status or "no answer") if answer else "open" for answer in answers)
        return cls(finished.result, statuses, finished.test, finished.outcome or "")

    def noted(self, note: str) -> ServedConversation:
        """The same with one note more."""
        return replace(self, result=replace(self.result, notes=(*self.result.notes, note)))


def report(
    result: RunResult,
    found: Sequence[ServedConversation],
    not_served: Counter[str],
    folder: Path | None,
    *,
    ended: Mapping[str, str],
    max_findings: int | None = None,
) -> None:
    """Print each conversation, the causes of their findings, and what to do next.

    ``result`` has the results of ``found``; ``folder`` is where they are written, None for nowhere. ``ended`` maps the
    name of each test to how it has ended, if that is known. ``max_findings`` is as for ``Terminal``.
    """
    for what, count in not_served.most_common():
        print(f"not served: {visible(what)} x{count}")
    most = MOST_SHOWN if max_findings is None else max_findings
    if any(each.test for each in found) or len(found) > _MOST_LISTED:
        _many(found, most, ended)
    else:
        for each in found:
            _conversation(each)
    if failed := _other_failures(found, ended):
        print(f"{_number(len(failed), 'test')} failed and broke no rule: {_short_list(failed, most)}")
    for note in _notes(found):
        print(f"note: {visible(note)}")
    Terminal(max_findings=max_findings).causes(result, folder)
    _last_lines(result, causes(result), folder)


def _many(found: Sequence[ServedConversation], most: int, ended: Mapping[str, str]) -> None:
    """Those with findings, and how many have none."""
    wrong = [each for each in found if each.result.findings]
    for each in wrong[:most]:
        _conversation(each)
    if len(wrong) > most:
        print(f"... and {len(wrong) - most} more with findings")
    tests, outside = _by_test(found), [each for each in found if not each.test]
    if tests:
        silent = sum(test not in tests for test in ended)
        beside = f"; {_number(silent, 'other test')} asked nothing" if silent else ""
        print(f"{_number(len(tests), 'test')}, {_total(list(tests.values()))}{beside}")
    if outside:
        where = "outside of tests: " if tests else ""
        print(f"{where}{_number(len(outside), 'conversation')}, {_total([[each] for each in outside])}")


def _by_test(found: Sequence[ServedConversation]) -> Mapping[str, Sequence[ServedConversation]]:
    tests: dict[str, list[ServedConversation]] = {}
    for each in found:
        if each.test:
            tests.setdefault(each.test, []).append(each)
    return tests


def _total(groups: Sequence[Sequence[ServedConversation]]) -> str:
    requests = sum(each.result.requests for group in groups for each in group)
    right = sum(not any(each.result.findings for each in group) for group in groups)
    return f"{_number(requests, 'request')}: {right} without findings"


def _other_failures(found: Sequence[ServedConversation], ended: Mapping[str, str]) -> list[str]:
    """The tests that have failed for another reason than a finding."""
    wrong = {each.test for each in found if each.result.findings}
    return [test for test, outcome in ended.items() if outcome == "failed" and test not in wrong]


def _short_list(tests: Sequence[str], most: int) -> str:
    more = f" and {len(tests) - most} more" if len(tests) > most else ""
    return visible(", ".join(tests[:most])) + more


def _conversation(served: ServedConversation) -> None:
    result, statuses = served.result, ", ".join(served.statuses)
    outcome = f"; the test has {served.outcome}" if served.outcome in ("passed", "failed") else ""
    print(f"{visible(result.id)}: {_number(result.requests, 'request')}{f' ({statuses})' if statuses else ''}{outcome}")
    for side in result.conversations:
        print(f"  {side.name}: {_number(side.requests, 'request')}: {visible(side.begins)}")


def _notes(found: Sequence[ServedConversation]) -> Iterator[str]:
    """Each note once. If there are several conversations, the note names those that it is about."""
    cases: dict[str, list[str]] = {}
    for each in found:
        for note in each.result.notes:
            cases.setdefault(note, []).append(each.result.id)
    for note, ids in cases.items():
        yield note if len(ids) == len(found) else f"{note} ({_short_list(ids, MOST_SHOWN)})"


def _last_lines(result: RunResult, entries: Sequence[Cause], folder: Path | None) -> None:
    findings = _number(sum(len(case.findings) for case in result.cases), "finding")
    if not entries:
        print(findings)
        return
    print(f"\n{_number(len(entries), 'cause')}, {findings}")
    page = "" if folder is not None else "; 'harness serve --out DIR' writes a page with the requests"
    rule = next(cause.rule for cause in entries if cause.rule != ERROR)
    print(f"next: 'harness explain {rule}' explains the rule{page}")


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
