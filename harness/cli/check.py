"""``harness check``: judge traces that were written earlier."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness import __version__
from harness.errors import BadInput
from harness.report.causes import causes
from harness.report.terminal import Terminal
from harness.rules import Selection, judge, select, views
from harness.runner.results import CaseResult, RunResult
from harness.trace import Trace, load

__all__ = ["check"]


def check(paths: Sequence[Path], rules: Sequence[str], *, without: Sequence[str] = (), info: bool = False) -> int:
    """Judge every trace and print the causes; 0 when no rule finds anything.

    Raises ``BadInput`` with all unreadable files.
    """
    selection = select(rules, without=without, info=info)
    cases = tuple(_judged(path, trace, selection) for path, trace in _load(_files(paths)))
    result = RunResult(__version__, started="", target="", seed=0, cases=cases)
    Terminal().causes(result, Path())
    if entries := causes(result):
        print()
    findings = sum(len(case.findings) for case in cases)
    counts = [(len(cases), "trace"), *([(len(entries), "cause")] if entries else []), (findings, "finding")]
    print(", ".join(_number(number, noun) for number, noun in counts))
    return 1 if entries else 0


def _judged(path: Path, trace: Trace, rules: Selection) -> CaseResult:
    """The verdict on a stored trace. Nothing is known of its scenario's expectations."""
    found = tuple(judge(trace, rules))
    return replace(
        CaseResult.of(trace.case, found, requests=len(trace.exchanges)),
        trace=str(path),
        repeat=shlex.join(["harness", "check", str(path)]),
        names=_names(trace),
    )


def _names(trace: Trace) -> tuple[str, ...]:
    """The names and ids of the calls, which say nothing of a cause."""
    asked = [ask for each in views(trace) for ask in each.asks]
    calls = [call for ask in asked if ask.reply is not None for call in ask.reply.turn.calls]
    return tuple(sorted({*(call.name for call in calls), *(call.id or "" for call in calls)} - {""}))


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
