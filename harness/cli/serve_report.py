"""What ``harness serve`` prints at its end: what was asked, and what was wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from harness.report.visible import visible
from harness.runner.execute import Finished
from harness.runner.results import Evidence

__all__ = ["report"]


def report(found: Sequence[Finished], not_served: Counter[str]) -> None:
    """Each conversation with its findings on standard output, and their number."""
    for what, count in not_served.most_common():
        print(f"not served: {visible(what)} x{count}")
    for each in found:
        _conversation(each)
    number = sum(len(each.result.evidence) for each in found)
    print(f"{number} finding{'' if number == 1 else 's'}")


def _conversation(finished: Finished) -> None:
    result, exchanges = finished.result, finished.trace.exchanges
    statuses = ", ".join(str(item.response.status) if item.response else "open" for item in exchanges)
    print(f"{result.id}: {_requests(result.requests)}{f' ({statuses})' if statuses else ''}")
    for side in result.conversations:
        print(f"  {side.name}: {_requests(side.requests)}: {visible(side.begins)}")
    for note in result.notes:
        print(f"  note: {visible(note)}")
    for evidence in result.evidence:
        _finding(evidence)


def _finding(evidence: Evidence) -> None:
    print(f"  {evidence.rule}  severity {evidence.level}, category {evidence.kind}")
    said = {"expected": evidence.expected, "got": evidence.got, "evidence": evidence.explanation}
    for name, text in said.items():
        if text:
            print(f"    {name:8}  {visible(text)}")


def _requests(number: int) -> str:
    return f"{number} request{'' if number == 1 else 's'}"
