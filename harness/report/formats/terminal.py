"""The causes, as a run prints them at its end."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

from harness.report.formats import ReportFormat
from harness.report.terminal import Terminal
from harness.runner.results import RunResult


def _terminal(result: RunResult, run: Path) -> str:
    Terminal(text := io.StringIO()).summary(result, run)
    return text.getvalue()


FORMAT: Final = ReportFormat("the causes as 'harness run' prints them", _terminal)
