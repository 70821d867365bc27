"""``harness history``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from harness.ground.disk import problem
from harness.report.history import RunHistory, read_history
from harness.report.history.html import html
from harness.report.history.rendering import BLOCKS, PLAIN, markdown, text


def history(folder: Path, *, format: str, out: Path | None) -> int:
    """Print the trends over the runs in ``folder``, or write them to the file ``out``.

    Raises ``BadInput`` where no run can be read, and ``Breakdown`` where the disk takes no more.
    """
    content = _rendered(read_history(folder), format, folder, out)
    if out is None:
        sys.stdout.write(content)
        return 0
    try:
        out.write_text(content, encoding="utf-8")
    except OSError as error:
        raise problem(error, f"--out {out}: cannot be written") from None
    return 0


def _rendered(past: RunHistory, format: str, folder: Path, out: Path | None) -> str:
    if format == "json":
        return json.dumps(past.to_json(), indent=1) + "\n"
    if format == "markdown":
        return markdown(past)
    if format == "html":
        return html(past, folder, Path() if out is None else out.parent)
    return text(past, _levels() if out is None else BLOCKS)


def _levels() -> str:
    """What the terminal can show."""
    try:
        BLOCKS.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS
