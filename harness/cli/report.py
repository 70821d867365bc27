"""``harness report``: renders the results in a run's folder again."""

from __future__ import annotations

import argparse
import io
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.errors import BadInput
from harness.ground.disk import put

if TYPE_CHECKING:
    from harness.report.page import Against, Past, ShownRun
    from harness.runner.results import RunResult


def options(command: Parser) -> None:
    """Which runs, and how they are written."""
    from harness.report.formats import format_names

    command.set_defaults(work=work)
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="results folder of 'harness run'")
    command.add_argument(
        "--format",
        choices=format_names(),
        default="html",
        help="what to write; github: annotations for the log of a GitHub job; 'harness plugins' lists the formats of "
        "other packages (default html)",
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="file to write (default: standard output; for html index.html in the results folder)",
    )
    command.add_argument("--against", type=Path, metavar="BASE", help="show the changes since this run, too (html)")
    command.add_argument(
        "--history", type=Path, metavar="DIR", help="plot the findings of the runs in this folder, too (html)"
    )
    common.max_findings(command)


COMMAND: Final = Command(
    "Report",
    "render runs again: page, JUnit, SARIF, Markdown, annotations",
    options,
    "harness report reports/run-20260101-120000 --format sarif --out findings.sarif",
)


def work(options: argparse.Namespace) -> int:
    """``harness report``. Returns the exit code."""
    return report(
        options.runs,
        format=options.format,
        out=options.out,
        against=options.against,
        history=options.history,
        max_findings=options.max_findings,
    )


def report(
    runs: Sequence[Path],
    *,
    format: str,
    out: Path | None,
    against: Path | None = None,
    history: Path | None = None,
    max_findings: int | None = None,
) -> int:
    """Render runs in a format. Raises ``BadInput`` for what is no run.

    A page goes to ``out`` or to where the run keeps it, anything else to ``out`` or to standard output.

    ``against`` is the folder of the run that the first one is compared with, ``history`` one with past runs; both
    are shown in the page only. ``max_findings`` is for the terminal's format.
    """
    from harness.report.terminal import Terminal

    if format == "html":
        return _html(runs, out, against, history)
    if len(runs) > 1 or against is not None or history is not None:
        raise BadInput(f"--format {format} shows one run: only the page takes several, --against and --history")
    result = _read(runs[0])
    if out is not None:
        _write(out, _text(result, runs[0], format, max_findings))
    elif format == "terminal":
        Terminal(max_findings=max_findings).summary(result, runs[0])
    else:
        sys.stdout.write(_text(result, runs[0], format, max_findings))
    return 0


def _read(run: Path) -> RunResult:
    """The results of a run. Warns on standard error if cases are missing, for example because the run was killed."""
    from harness.report.files import read_results
    from harness.report.terminal import visible

    result = read_results(run / "results.json")
    if not result.complete:
        print(f"{visible(str(run))}: this run did not come to its end: {_how_far(result, run)}", file=sys.stderr)
    return result


def _how_far(result: RunResult, run: Path) -> str:
    from harness.report.journal import read_journal
    from harness.report.terminal import visible

    try:
        journaled = read_journal(run)
    except BadInput:  # of another version
        journaled = None
    if journaled is None:
        return "the report is of the cases that had ended"
    ended, planned = len(result.cases), len(journaled.head.planned)
    return (
        f"the report is of {ended} of {planned} cases; the same command with --resume "
        f"{visible(shlex.quote(str(run)))} runs the others"
    )


def _text(result: RunResult, run: Path, format: str, max_findings: int | None) -> str:
    """``max_findings`` is for the format of the terminal, which is the only one with a limit."""
    from harness.report.formats import rendered
    from harness.report.terminal import Terminal

    if format != "terminal":
        return rendered(format, result, run)
    Terminal(text := io.StringIO(), max_findings=max_findings).summary(result, run)
    return text.getvalue()


def _write(out: Path, text: str) -> None:
    try:
        put(out, text.encode(errors="backslashreplace"), synced=False)
    except BadInput as error:
        raise BadInput(f"{error}; choose another --out") from None


def _html(runs: Sequence[Path], out: Path | None, base: Path | None, history: Path | None) -> int:
    """One page for all runs; it loads their traces from the folders of the runs."""
    from harness.report.page import page

    if out is None:
        if len(runs) > 1:
            raise BadInput("several runs have no folder in common: say with --out FILE where to write their page")
        out = runs[0] / "index.html"
    shown = [_shown(path, out.parent) for path in runs]
    past = None if history is None else _past(history, shown[0].result.target, out)
    _write(out, page(shown, history=past, against=_changes(base, runs[0])))
    print(out)
    return 0


def _shown(run: Path, beside: Path) -> ShownRun:
    from harness.report.files import hand_over
    from harness.report.page import shown_run

    result = _read(run)
    hand_over(run, result)
    return shown_run(result, run, Path(os.path.relpath(run, beside)).as_posix())


def _changes(base: Path | None, new: Path) -> Against | None:
    from harness.report.diff import compare
    from harness.report.diff.beside import against as beside

    return None if base is None else beside(compare(base, new))


def _past(folder: Path, target: str, out: Path) -> Past:
    """What the page shows of the past runs, and a page of them all, which is written beside it."""
    from harness.report.history.html import html
    from harness.report.history.over_time import over_time
    from harness.report.history.reader import read_history
    from harness.report.page import Past

    past = read_history(folder)
    beside = out.with_name(f"{out.stem}-history.html")
    _write(beside, html(past, folder, beside.parent))
    return Past(over_time(past, target), beside.name)
