"""``harness diff``."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from harness.ground.disk import problem
from harness.report.diff import Comparison, compare
from harness.report.diff.formats import FORMATS, TERMINAL, html_beside
from harness.report.diff.summarizing import summarize
from harness.report.diff.text import lines


def diff(base: Path, new: Path, *, format: str = "terminal", out: Path | None = None, strict: bool = False) -> int:
    """Report what changed between two runs, on standard output or in the file ``out``; 1 if anything regressed.

    ``strict``: 1, too, if a case of the base run is missing, or did anything else than it did there.

    Raises ``BadInput`` for folders without results.
    """
    comparison = compare(base, new, strict=strict)
    if out is not None:
        _write(out, html_beside(comparison, out.parent) if format == "html" else FORMATS[format](comparison))
    elif format == "terminal":
        print_comparison(comparison)
    else:
        sys.stdout.write(FORMATS[format](comparison))
    return 1 if comparison.failed else 0


def print_comparison(comparison: Comparison) -> None:
    """Show the comparison on the terminal."""
    console = Console(file=sys.stdout, highlight=False, emoji=False, soft_wrap=True)
    for text, style in lines(summarize(comparison, TERMINAL)):
        console.print(text, style=style, markup=False)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise problem(error, f"--out {path}: cannot be written") from None
