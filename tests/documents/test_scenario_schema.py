"""The JSON Schema for editors: current, and of the same mind as the loader."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from harness.scenario import shipped
from harness.scenario.documents import read
from harness.scenario.places import files
from harness_lab.documents import scenario_schema as schema
from tests.scenario.files import MODEL_ERRORS, SMALL, write

VALIDATOR = Draft202012Validator(schema.export())


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema.export())


def test_the_stored_schema_is_current() -> None:
    stored = (shipped() / "schema.json").read_text(encoding="utf-8")
    assert stored == schema.document(), "run scripts/regenerate"


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("path", "root"), files([shipped()], []), ids=lambda value: Path(value).stem)
def test_every_shipped_scenario_is_valid(path: Path, root: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(read(path, root).data)] == []


@pytest.mark.parametrize("step", MODEL_ERRORS)
def test_a_step_that_the_loader_refuses_is_refused(tmp_path: Path, step: str) -> None:
    path = write(tmp_path, SMALL.replace("text: Hi.", step))
    assert list(VALIDATOR.iter_errors(read(path, tmp_path).data))


@pytest.mark.parametrize("outcome", ["[completed]", "[]", "[failed, failed]", "[failed, done]", "done"])
def test_outcomes_that_the_loader_refuses_are_refused(tmp_path: Path, outcome: str) -> None:
    path = write(tmp_path, SMALL.replace("outcome: completed", f"outcome: {outcome}"))
    assert list(VALIDATOR.iter_errors(read(path, tmp_path).data))


def test_every_key_is_explained() -> None:
    for name, entry in [("ScenarioFile", VALIDATOR.schema), *VALIDATOR.schema["$defs"].items()]:
        for key, value in entry.get("properties", {}).items():
            assert value.get("description") or "$ref" in value, f"{name}.{key}"
