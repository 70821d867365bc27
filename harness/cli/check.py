"""``harness check``: judge traces that were written earlier, or streams of a protocol that somebody has recorded."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness import __version__
from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.errors import BadInput

if TYPE_CHECKING:
    from harness.agui.recorded import RecordedStream
    from harness.finding import Finding
    from harness.rules import Selection
    from harness.runner.results import CaseResult
    from harness.trace import Trace


def options(command: Parser) -> None:
    """Which traces, and which rules."""
    command.set_defaults(work=work)
    command.add_argument("traces", nargs="+", type=Path, metavar="TRACE", help="trace file, or folder of *.jsonl files")
    command.add_argument(
        "--events",
        choices=("ag-ui",),
        metavar="FORMAT",
        help="the files are recorded streams of events in this format: %(choices)s",
    )
    common.rules(command)


COMMAND: Final = Command(
    "Check a loop",
    "judge traces that were written earlier",
    options,
    "harness check reports/run-20260101-120000/traces",
    "harness check --events ag-ui answer.sse",
)


_LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a stream that is read."""


def work(options: argparse.Namespace) -> int:
    """Judge every trace, or every stream, and print the causes. Returns 0 if no rule finds anything.

    Raises ``BadInput`` with all unreadable files.
    """
    selection = common.selection_of(options)
    if options.events is not None:
        return _check_streams(options.traces, selection)
    return _shown([_result_of(path, trace, selection) for path, trace in _load(_files(options.traces))], "trace")


def _check_streams(paths: Sequence[Path], selection: Selection) -> int:
    """Judge recorded streams of AG-UI by themselves. Returns 0 if no rule finds anything.

    A stream does not show what the model has sent. Rules that need it are not applied, and the report says so. Raises
    ``BadInput`` with all files that are no streams.
    """
    from harness.runner.redacting import gated

    streams = _read_streams(paths)
    cases = [_judged_stream(path, stream, selection) for path, stream in streams]
    code = _shown(cases, "stream")
    for path, stream in streams:
        print(f"{path}: not judged: what the model has sent, and the runs of tools (they are in no stream)")
        for type, count in stream.passed_over.items():
            print(f"{path}: passed over: {_number(count, 'event')} of the unknown type {gated(type)}")
    return code


def _shown(cases: Sequence[CaseResult], noun: str) -> int:
    """Print what was found. Returns the exit code."""
    from harness.report.causes import causes
    from harness.report.terminal import Terminal
    from harness.runner.results import RunResult

    result = RunResult(__version__, started="", target="", seed=0, cases=tuple(cases))
    Terminal().causes(result, Path())
    if entries := causes(result):
        print()
    findings = sum(len(case.findings) for case in cases)
    counts = [(len(cases), noun), *([(len(entries), "cause")] if entries else []), (findings, "finding")]
    print(", ".join(_number(number, noun) for number, noun in counts))
    return 1 if entries else 0


def _read_streams(paths: Sequence[Path]) -> list[tuple[Path, RecordedStream]]:
    found: list[tuple[Path, RecordedStream]] = []
    problems: list[str] = []
    for path in paths:
        try:
            found.append((path, _stream(path)))
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(*problems)
    return found


def _stream(path: Path) -> RecordedStream:
    from harness.agui.lines import NoStream
    from harness.agui.recorded import recorded

    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{path}: cannot read the stream: {error.strerror or error}") from None
    if len(data) > _LARGEST:
        raise BadInput(f"{path}: a stream of more than {_LARGEST // 1024**2} MiB; record one run in a file")
    try:
        stream = recorded(data, path.name)
    except NoStream as problem:
        raise BadInput(f"{path}:{problem.line}: no stream of AG-UI: {problem}") from None
    if not stream.trace.records:
        raise BadInput(f"{path}: no event of AG-UI in it; record the answer of the endpoint as it comes")
    return stream


def _judged_stream(path: Path, stream: RecordedStream, rules: Selection) -> CaseResult:
    """The verdict on a stream. Its findings name lines of the stream's file instead of lines of a trace."""
    from harness.finding import record_of
    from harness.rules import judge
    from harness.runner.redacting import gated
    from harness.runner.results import CaseResult

    def placed(finding: Finding) -> Finding:
        at = None if finding.at is None else stream.line(record_of(finding.at))
        return gated(replace(finding, at=at, answer=None))

    found = tuple(placed(each) for each in judge(stream.trace, rules))
    result = CaseResult.of(stream.trace.case, found, requests=0)
    repeat = shlex.join(["harness", "check", "--events", "ag-ui", str(path)])
    return replace(result, trace=str(path), repeat=repeat)


def _result_of(path: Path, trace: Trace, rules: Selection) -> CaseResult:
    """The verdict on a stored trace. Nothing is known of its scenario's expectations."""
    from harness.rules import judge
    from harness.runner.results import CaseResult

    found = tuple(judge(trace, rules))
    return replace(
        CaseResult.of(trace.case, found, requests=len(trace.exchanges)),
        trace=str(path),
        repeat=shlex.join(["harness", "check", str(path)]),
        names=_names(trace),
    )


def _names(trace: Trace) -> tuple[str, ...]:
    """The names and ids of the calls. They are no part of a cause."""
    from harness.rules import views

    asked = [ask for each in views(trace) for ask in each.asks]
    calls = [call for ask in asked if ask.reply is not None for call in ask.reply.turn.calls]
    return tuple(sorted({*(call.name for call in calls), *(call.id or "" for call in calls)} - {""}))


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _files(paths: Sequence[Path]) -> list[Path]:
    return [file for path in paths for file in (sorted(path.rglob("*.jsonl")) if path.is_dir() else [path])]


def _load(files: Sequence[Path]) -> list[tuple[Path, Trace]]:
    from harness.trace import load

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
