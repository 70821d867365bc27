"""What is in results.json."""

from __future__ import annotations

from typing import Final

from harness.report.files import results_json
from harness.report.formats import ReportFormat

FORMAT: Final = ReportFormat("results.json", lambda result, _: results_json(result))
