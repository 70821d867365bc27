"""The page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from harness.report.formats import ReportFormat
from harness.report.page import page, shown_run
from harness.runner.results import RunResult


def _html(result: RunResult, run: Path) -> str:
    return page([shown_run(result, run)])


FORMAT: Final = ReportFormat("a page with cases, findings and traces", _html)
