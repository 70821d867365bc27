"""``harness check``: judge traces that were written earlier."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.report.terminal import visible
from harness.rules import Finding, judge, select
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
            print(_told(path, finding))
    print(f"{len(traces)} traces, {found} findings")
    return 1 if found else 0


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


def _told(path: Path, finding: Finding) -> str:
    rule = f"{finding.rule} ({finding.reference})" if finding.reference else finding.rule
    place = f"{path}:{finding.at + 2}"
    lines = [
        f"{place}: {rule} {finding.level} {finding.klass}",
        f"  expected  {visible(finding.expected)}",
        f"  got       {visible(finding.got)}",
        *([f"  evidence  {visible(finding.detail)}"] if finding.detail else []),
    ]
    return "\n".join(lines)
