"""``harness history``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.ground.disk import problem

if TYPE_CHECKING:
    from harness.report.history import RunHistory


def options(command: Parser) -> None:
    """Which runs, and how their trends are written."""
    command.set_defaults(work=work)
    command.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path("reports"),
        metavar="DIR",
        help="folder of results folders (default reports)",
    )
    command.add_argument(
        "--format",
        choices=("terminal", "json", "markdown", "html"),
        default="terminal",
        help="what to write (default terminal)",
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="file to write (default: standard output)")


COMMAND: Final = Command("Report", "show trends over many runs", options, "harness history reports")


def work(options: argparse.Namespace) -> int:
    """Print the trends over the runs in a folder, or write them to a file.

    Raises ``BadInput`` where no run can be read, and ``Breakdown`` where the disk takes no more.
    """
    from harness.report.history import read_history

    out = options.out
    content = _rendered_history(read_history(options.folder), options.format, options.folder, out)
    if out is None:
        sys.stdout.write(content)
        return 0
    try:
        out.write_text(content, encoding="utf-8")
    except OSError as error:
        raise problem(error, f"--out {out}: cannot be written") from None
    return 0


def _rendered_history(past: RunHistory, format: str, folder: Path, out: Path | None) -> str:
    from harness.report.history.html import html
    from harness.report.history.rendering import BLOCKS, markdown, text

    if format == "json":
        return json.dumps(past.to_json(), indent=1) + "\n"
    if format == "markdown":
        return markdown(past)
    if format == "html":
        return html(past, folder, Path() if out is None else out.parent)
    return text(past, _levels() if out is None else BLOCKS)


def _levels() -> str:
    """The characters that the terminal can show as levels of a sparkline."""
    from harness.report.history.rendering import BLOCKS, PLAIN

    try:
        BLOCKS.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS
