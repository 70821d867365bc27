"""Target files as a JSON Schema, for editors: ``docs/target.schema.json``.

An editor's YAML support uses it after ``# yaml-language-server: $schema=PATH/target.schema.json`` at the top of a file.
"""

from __future__ import annotations

import json
from typing import Any

from harness.targets.file_entries import TargetFile
from harness_lab.documents.scenario_schema import schema_of


def export() -> dict[str, Any]:
    """The JSON Schema of a target file that extends no other."""
    return schema_of(TargetFile, "Target")


def document() -> str:
    """The exported schema as text."""
    return json.dumps(export(), indent=2, ensure_ascii=False) + "\n"
