"""What ``harness serve`` prints at its end: the requests of each conversation, and the causes as ``harness run``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.report.causes import ERROR, Cause, causes
from harness.report.terminal import Terminal
from harness.report.visible import visible
from harness.runner.results import CaseResult, RunResult
from harness.trace import Trace

__all__ = ["ServedConversation", "report"]


@dataclass(frozen=True, slots=True)
class ServedConversation:
    """What is printed of a conversation: its result, and the status of each answer. It does without the trace."""

    result: CaseResult
    statuses: tuple[str, ...]

    @classmethod
    def of(cls, result: CaseResult, trace: Trace) -> ServedConversation:
        """The conversation with this result and trace."""
        answers = [exchange.response for exchange in trace.exchanges]
        return cls(result, tuple(str(answer.status or "no answer") if answer else "open" for answer in answers))

    def noted(self, note: str) -> ServedConversation:
        """The same with one note more."""
        return replace(self, result=replace(self.result, notes=(*self.result.notes, note)))


def report(
    result: RunResult, found: Sequence[ServedConversation], not_served: Counter[str], folder: Path | None
) -> None:
    """Each conversation, the causes of their findings, and what to do next, on standard output.

    ``result`` has the results of ``found``; ``folder`` is where they are written, None for nowhere.
    """
    for what, count in not_served.most_common():
        print(f"not served: {visible(what)} x{count}")
    for each in found:
        _conversation(each)
    for note in _notes(found):
        print(f"note: {visible(note)}")
    Terminal().causes(result, folder)
    _last_lines(result, causes(result), folder)


def _conversation(served: ServedConversation) -> None:
    result, statuses = served.result, ", ".join(served.statuses)
    print(f"{result.id}: {_number(result.requests, 'request')}{f' ({statuses})' if statuses else ''}")
    for side in result.conversations:
        print(f"  {side.name}: {_number(side.requests, 'request')}: {visible(side.begins)}")


def _notes(found: Sequence[ServedConversation]) -> Iterator[str]:
    """Each note once; of several conversations with those that it is about."""
    cases: dict[str, list[str]] = {}
    for each in found:
        for note in each.result.notes:
            cases.setdefault(note, []).append(each.result.id)
    for note, ids in cases.items():
        yield note if len(ids) == len(found) else f"{note} ({', '.join(ids)})"


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
