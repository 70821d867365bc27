"""``harness check``: judge traces that were written earlier."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.report.entries import severity
from harness.report.visible import visible
from harness.rules import judge, select
from harness.runner.evidence import evidence_of
from harness.runner.results import Evidence
from harness.trace import Trace, load

__all__ = ["check"]


def check(paths: Sequence[Path], rules: Sequence[str], *, without: Sequence[str] = (), info: bool = False) -> int:
    """Judge every trace; 0 when no rule finds anything. Raises ``BadInput`` with all unreadable files."""
    selection = select(rules, without=without, info=info)
    traces = _load(_files(paths))
    found = 0
    for path, trace in traces:
        findings = judge(trace, selection)
        found += len(findings)
        for finding in findings:
            print(_told(path, evidence_of(finding, trace)))
    print(f"{_number(len(traces), 'trace')}, {_number(found, 'finding')}")
    return 1 if found else 0


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _files(paths: Sequence[Path]) -> list[Path]:
    return [file for path in paths for file in (sorted(path.rglob("*.jsonl")) if path.is_dir() else [path])]


def _load(files: Sequence[Path]) -> list[tuple[Path, Trace]]:
    if not files:
        raise BadInput("no trace to judge: the folders contain no *.jsonl file")
    traces: list[tuple[Path, Trace]] = []
    problems: list[str] = []
    for file in files:
        try:
            traces.append((file, load(file)))
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(*problems)
    return traces


def _told(path: Path, evidence: Evidence) -> str:
    lines = [
        f"{path}:{evidence.at}: {evidence.rule}  {severity(evidence)}",
        f"  expected  {visible(evidence.expected)}",
        f"  got       {visible(evidence.got)}",
        *([f"  evidence  {visible(evidence.explanation)}"] if evidence.explanation else []),
    ]
    return "\n".join(lines)
