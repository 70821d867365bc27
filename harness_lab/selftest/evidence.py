"""Checks the evidence of findings: each must name in few words the expectation, the observation and its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from harness.finding import Finding, Impact, Level, record_of
from harness.rules import RULES

LONGEST = 300
"""Characters that ``expected`` and ``got`` may have, so that a person can read them."""


def unclear(findings: Iterable[Finding], records: int | None = None) -> tuple[str, ...]:
    """A line for each thing that a finding lacks.

    ``records`` is the number of records in the judged trace; None if only a request was judged.
    """
    return tuple(f"{finding.id}: {lack}" for finding in findings for lack in _lacks(finding, records))


def _lacks(finding: Finding, records: int | None) -> Iterator[str]:
    if finding.level not in get_args(Level):
        yield f"its level is {finding.level!r}"
    if finding.rule in RULES and finding.impact not in get_args(Impact):
        yield f"its impact is {finding.impact!r}"
    words = {"expected": finding.expected, "got": finding.got}
    for name, text in words.items():
        if not text:
            yield f"{name} is empty"
        if len(text) >= LONGEST:
            yield f"{name} has {len(text)} characters, {LONGEST - 1} are the most"
    if finding.expected and finding.expected == finding.got:
        yield f"expected and got are the same: {finding.got[:80]!r}"
    if not _is_text(finding.expected + finding.got + finding.remark):
        yield "expected, got or remark has half a character"
    if records is not None and not 0 <= record_of(finding.at or 0) < records:
        yield f"line {finding.at} is none of the trace, which has {records} records"


def _is_text(text: str) -> bool:
    try:
        return bool(text.encode()) or not text
    except UnicodeEncodeError:
        return False
