"""The format of scenarios as a JSON Schema, for editors: ``scenarios/schema.json``.

An editor's YAML support uses it after ``# yaml-language-server: $schema=../schema.json`` at the top of a file.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from harness.scenario.authored import Authored, ScenarioFile


class _AsWritten(GenerateJsonSchema):
    """The schema of what a person writes: optional keys are left out, not null, and the models' titles say nothing."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base class's signature
        return False


def export() -> dict[str, Any]:
    """The JSON Schema of a scenario file after YAML has been read (``!include`` gives text)."""
    return schema_of(ScenarioFile, "Scenario")


def schema_of(file: type[Authored], title: str) -> dict[str, Any]:
    """The JSON Schema of a kind of file, as a person writes it."""
    schema = file.model_json_schema(schema_generator=_AsWritten)
    _drop_titles(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema}


def _drop_titles(schema: dict[str, Any]) -> None:
    for part in (schema, *schema["$defs"].values()):
        part.pop("title", None)


def document() -> str:
    """The exported schema as the text of ``scenarios/schema.json``."""
    return json.dumps(export(), indent=2, ensure_ascii=False) + "\n"
