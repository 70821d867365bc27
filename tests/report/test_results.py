"""results.json: versioned, described by a published schema, written whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from harness.errors import BadInput
from harness.finding import Finding
from harness.report.files import RunFolder, read_results
from harness.runner.execute import Finished
from harness.runner.results import CaseResult, RunResult
from harness.trace import Case, EventRecord, Final, Trace, load
from harness_lab.documents.schemas import PUBLISHED, results_schema

DOCS = Path(__file__).resolve().parents[2] / "docs"

CASE = CaseResult(
    id="a.openai-chat.whole",
    scenario="a",
    wire="openai-chat",
    target="reference",
    source="script",
    profile="universal",
    chunking="whole",
    seed=0,
    verdict="fail",
    seconds=0.5,
    requests=1,
    findings=(Finding("order/end", "MUST", "unsafe", None, "an end", "\ud83d none"),),
    trace="traces/a.openai-chat.whole.jsonl",
    repeat="harness run",
)
RUN = RunResult(
    "0.1.0", "2026-01-01T00:00:00+00:00", "reference", 0, (CASE, replace(CASE, verdict="pass", findings=()))
)

HALVES = "\ud83d\ude80"
"""A rocket in two halves that nobody has joined."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_schema_is_current_and_one(name: str) -> None:
    schema = PUBLISHED[name]()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads((DOCS / name).read_text(encoding="utf-8")) == schema, "run scripts/regenerate"


def test_results_satisfy_the_schema_and_a_changed_one_does_not(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    folder.write_results(RUN)
    written = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(written, results_schema())
    assert written["totals"] == {"fail": 1, "pass": 1}
    case = written["cases"][0]
    without = {name: value for name, value in case.items() if name != "repeat"}
    known = [{"format": 1}, {"cases": [{"id": "x"}]}, {"totals": {"pass": -1}}, {"stale": None}]
    for broken in (*known, {"cases": [{**case, "verdict": "good"}]}, {"cases": [without]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**written, **broken}, results_schema())


def test_a_trace_is_written_where_its_result_says(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    trace = Trace(Case(id="a.openai-chat.whole", scenario="a", wire="openai-chat"))
    folder.write_trace(Finished(CASE, trace))
    assert CASE.trace is not None
    assert load(tmp_path / "run" / CASE.trace) == trace
    assert [path.name for path in (tmp_path / "run").rglob("*.new")] == []


def test_a_text_in_half_characters_is_written_and_read_back(tmp_path: Path) -> None:
    trace = Trace(
        Case(id="a.openai-chat.whole", scenario="a", wire="openai-chat"), (EventRecord(Final("", text=HALVES)),)
    )
    RunFolder.create(tmp_path / "run").write_trace(Finished(CASE, trace))
    assert CASE.trace is not None
    assert load(tmp_path / "run" / CASE.trace) == trace


def test_a_draft_that_was_left_by_a_process_that_died_does_not_stay(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    (folder.path / "traces" / ".a.openai-chat.whole.jsonl.new").write_text('{"trace":1,', encoding="utf-8")
    folder.write_results(RUN)
    assert list((folder.path / "traces").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"cannot create the results folder: .*choose another --out"):
        RunFolder.create(tmp_path / "file" / "run")


def test_results_that_quote_half_a_character_are_read_back(tmp_path: Path) -> None:
    RunFolder.create(tmp_path).write_results(RUN)
    assert read_results(tmp_path / "results.json") == RUN
