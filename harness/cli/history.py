"""``harness history``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from harness.errors import BadInput
from harness.report.history import History, read_history
from harness.report.history.telling import BLOCKS, PLAIN, markdown, text

__all__ = ["history"]


def history(folder: Path, *, format: str, out: Path | None) -> int:
    """Tell the trends over the runs in ``folder``, on standard output or in the file ``out``.

    Raises ``BadInput`` where no run can be read.
    """
    told = _rendered(read_history(folder), format, out is None)
    if out is None:
        sys.stdout.write(told)
        return 0
    try:
        out.write_text(told, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--out {out}: cannot be written: {error.strerror or error}") from None
    return 0


def _rendered(past: History, format: str, to_terminal: bool) -> str:
    if format == "json":
        return json.dumps(past.to_json(), indent=1) + "\n"
    if format == "markdown":
        return markdown(past)
    return text(past, _levels() if to_terminal else BLOCKS)


def _levels() -> str:
    """What the terminal can show."""
    try:
        BLOCKS.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS
