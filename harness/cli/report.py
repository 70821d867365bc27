"""``harness report``: what a run's folder says, rendered again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.report.diff import compare
from harness.report.diff.beside import against as beside
from harness.report.files import hand_over, read_results, write_file
from harness.report.history.over_time import over_time
from harness.report.history.reading import read_history
from harness.report.page import Against, RuleCount, ShownRun, page, shown_run

__all__ = ["FORMATS", "report"]

FORMATS = ("html",)


def report(
    runs: Sequence[Path], *, format: str, out: Path | None, against: Path | None = None, history: Path | None = None
) -> int:
    """Render runs in a format, to ``out`` or to where a run keeps it. Raises ``BadInput`` for what is no run.

    ``against`` is the folder of the run that the first one is compared with, ``history`` one that holds past runs; both
    are shown in the page only.
    """
    assert format in FORMATS, format  # noqa: S101 - the options allow no other
    return _html(runs, out, against, history)


def _html(runs: Sequence[Path], out: Path | None, base: Path | None, history: Path | None) -> int:
    """One page for all runs; it loads their traces from where they lie."""
    if out is None:
        if len(runs) > 1:
            raise BadInput("several runs have no folder in common: say with --out FILE where their page shall be")
        out = runs[0] / "index.html"
    shown = [_shown(path, out.parent) for path in runs]
    past = _past(history, shown[0].result.target)
    try:
        write_file(out, page(shown, history=past, against=_changes(base, runs[0])).encode())
    except OSError as error:
        raise BadInput(f"{out}: cannot be written: {error.strerror}; choose another --out") from None
    print(out)
    return 0


def _shown(run: Path, beside: Path) -> ShownRun:
    result = read_results(run / "results.json")
    hand_over(run, result)
    return shown_run(result, run, Path(os.path.relpath(run, beside)).as_posix())


def _changes(base: Path | None, new: Path) -> Against | None:
    return None if base is None else beside(compare(base, new))


def _past(history: Path | None, target: str) -> list[RuleCount]:
    return [] if history is None else over_time(read_history(history), target)
