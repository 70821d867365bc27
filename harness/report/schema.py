"""The JSON Schema of results.json, published as docs/results.schema.json."""

from __future__ import annotations

from typing import Any

from harness.runner.results import FORMAT, RunResult

__all__ = ["results_schema"]


def results_schema() -> dict[str, Any]:
    """The schema that every results.json of this version satisfies (draft 2020-12)."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(RunResult).json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Results of a harness run"
    schema["properties"]["format"] = {"const": FORMAT}
    schema["properties"]["totals"] = {
        "type": "object",
        "additionalProperties": {"type": "integer", "minimum": 0},
        "description": "Number of cases by verdict.",
    }
    schema["required"] = sorted(schema["properties"])
    return schema
