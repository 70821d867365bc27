"""``harness diff``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.ground.disk import problem

if TYPE_CHECKING:
    from harness.report.diff import Comparison


def options(command: Parser) -> None:
    """Which runs, and how their comparison is written."""
    command.set_defaults(work=work)
    for name, which in (("base", "before"), ("new", "after")):
        command.add_argument(name, type=Path, metavar=name.upper(), help=f"results folder of the run {which} a change")
    command.add_argument(
        "--format",
        choices=("terminal", "json", "markdown", "junit", "html"),
        default="terminal",
        help="what to write (default terminal)",
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="file to write (default: standard output)")
    command.add_argument(
        "--strict",
        action="store_true",
        help="exit code 1, too, if a case of BASE is missing or did anything else, whatever its verdict",
    )


COMMAND: Final = Command(
    "Report", "compare two runs; exit code 1 on a regression", options, "harness diff reports/main reports/branch"
)


def work(options: argparse.Namespace) -> int:
    """Report what changed between two runs, on standard output or in a file; 1 if anything regressed.

    Raises ``BadInput`` for folders without results.
    """
    from harness.report.diff import compare
    from harness.report.diff.formats import FORMATS, html_beside

    out, format = options.out, options.format
    comparison = compare(options.base, options.new, strict=options.strict)
    if out is not None:
        _write(out, html_beside(comparison, out.parent) if format == "html" else FORMATS[format](comparison))
    elif format == "terminal":
        print_comparison(comparison)
    else:
        sys.stdout.write(FORMATS[format](comparison))
    return 1 if comparison.failed else 0


def print_comparison(comparison: Comparison) -> None:
    """Show the comparison on the terminal."""
    from rich.console import Console

    from harness.report.diff.formats import TERMINAL
    from harness.report.diff.summarizing import summarize
    from harness.report.diff.text import lines

    console = Console(file=sys.stdout, highlight=False, emoji=False, soft_wrap=True)
    for text, style in lines(summarize(comparison, TERMINAL)):
        console.print(text, style=style, markup=False)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise problem(error, f"--out {path}: cannot be written") from None
