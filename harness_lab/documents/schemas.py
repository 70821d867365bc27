"""The JSON Schemas of what programs read: results.json, and what commands print with ``--format json``.

They are published in docs/, under the names that they have here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from harness.report.causes import Cause
from harness.report.diff.model import FORMAT as DIFF_FORMAT
from harness.report.diff.model import Comparison
from harness.report.history.model import FORMAT as HISTORY_FORMAT
from harness.report.history.model import RunHistory
from harness.report.json_output import FORMAT as JSON_FORMAT
from harness.report.json_output import (
    DoctorReport,
    Explanation,
    LintReport,
    ScenarioLint,
    ScenarioList,
    TargetList,
    TraceLintReport,
)
from harness.runner.results import FORMAT, RunResult


@dataclass(frozen=True)
class _Causes:
    """What results.json has beside the run."""

    causes: tuple[Cause, ...]


_COUNTS: Final = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}


def results_schema() -> dict[str, Any]:
    """The schema that every results.json of this version satisfies (draft 2020-12)."""
    schema = _schema(RunResult, "Results of a harness run", FORMAT)
    schema["properties"]["totals"] = {**_COUNTS, "description": "Number of cases by verdict."}
    found = _schema(_Causes, "Causes", FORMAT)
    schema["properties"]["causes"] = found["properties"]["causes"]
    schema["$defs"] |= found["$defs"]
    return _whole(schema)


def diff_schema() -> dict[str, Any]:
    """The schema of what ``harness diff --format json`` prints."""
    schema = _schema(Comparison, "What has changed between two runs", DIFF_FORMAT)
    schema["properties"]["totals"] = {**_COUNTS, "description": "Number of changed cases by kind."}
    schema["properties"]["regressed"] = {"type": "boolean", "description": "Whether anything is worse than it was."}
    schema["properties"]["failed"] = {"type": "boolean", "description": "What the exit code says."}
    schema["$defs"]["CaseChange"]["properties"]["regression"] = {"type": "boolean"}
    return _whole(schema)


def history_schema() -> dict[str, Any]:
    """The schema of what ``harness history --format json`` prints."""
    return _whole(_schema(RunHistory, "Many runs in numbers", HISTORY_FORMAT))


PUBLISHED: Final[Mapping[str, Callable[[], dict[str, Any]]]] = {
    "results.schema.json": results_schema,
    "diff.schema.json": diff_schema,
    "history.schema.json": history_schema,
    "list.schema.json": lambda: _printed(ScenarioList, "What harness list --format json prints"),
    "explain.schema.json": lambda: _printed(Explanation, "What harness explain --format json prints"),
    "targets.schema.json": lambda: _printed(TargetList, "What harness targets --format json prints"),
    "lint.schema.json": lambda: _printed(LintReport, "What harness lint-request and lint-cassette --format json print"),
    "lint-trace.schema.json": lambda: _printed(TraceLintReport, "What harness lint-trace --format json prints"),
    "lint-scenario.schema.json": lambda: _printed(ScenarioLint, "What harness lint-scenario --format json prints"),
    "doctor.schema.json": lambda: _printed(DoctorReport, "What harness doctor --format json prints"),
}
"""What makes each of the published schemas, by its name in docs/."""


def _printed(of: type, title: str) -> dict[str, Any]:
    return _whole(_schema(of, title, JSON_FORMAT))


def _schema(of: type, title: str, format: int) -> dict[str, Any]:
    from pydantic import TypeAdapter

    schema = TypeAdapter(of).json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = title
    schema["properties"]["format"] = {"const": format}
    return schema


def _whole(schema: dict[str, Any]) -> dict[str, Any]:
    """Every member is always written, whatever its value."""
    for each in (schema, *schema["$defs"].values()):
        each["required"] = sorted(each["properties"])
    return schema
