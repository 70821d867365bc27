"""Results of older versions: their findings are read as those of today."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding, ProviderAnswer
from harness.report.files import read_results
from harness.report.older_results import upgraded
from harness.runner.results import FORMAT
from tests.report.runs import case, run

WIRE = "continuation/openai-chat (OAC-03)"


def older(format: int = 5, *, findings: str = "evidence", **members: Any) -> dict[str, Any]:
    """Results with one finding in the members that it had up to version 5, and its case as well."""
    found = {
        "rule": "order/one-end",
        "level": "MUST",
        "kind": "unsafe",
        "at": 7,
        "expected": "one end",
        "got": "two",
        "detail": "at once",
        "known": "",
        "line": 26,
        **members,
    }
    values = json.loads(json.dumps(run(case("fail")).to_json()))
    values["format"] = format
    del values["cases"][0]["findings"]
    values["cases"][0][findings] = [found]
    return values


def read(values: Any, folder: Path) -> Finding:
    (folder / "results.json").write_text(json.dumps(values), encoding="utf-8")
    (found,) = read_results(folder / "results.json").cases[0].findings
    return found


@pytest.mark.parametrize("format", [2, 3, 4, 5])
def test_what_was_called_kind_is_the_impact(format: int, tmp_path: Path) -> None:
    found = read(older(format), tmp_path)
    assert found == Finding("order/one-end", "MUST", "unsafe", 7, "one end", "two", "at once", line=26)


@pytest.mark.parametrize(
    ("detail", "answer"),
    [
        ("messages[2]: HTTP 400 No: not so.", ProviderAnswer("No: not so.", 400, "messages[2]")),
        ("HTTP 404 Not found.\nAt all.", ProviderAnswer("Not found.\nAt all.", 404)),
        ("messages[1]: It is lost.", ProviderAnswer("It is lost.", 200, "messages[1]")),
        ("It is lost.", ProviderAnswer("It is lost.", 200)),
    ],
)
def test_rule_and_answer_of_a_provider_are_split(detail: str, answer: ProviderAnswer, tmp_path: Path) -> None:
    found = read(older(rule=WIRE, kind="invalid", detail=detail), tmp_path)
    assert (found.rule, found.reference, found.id) == ("continuation/openai-chat", "OAC-03", "OAC-03")
    assert (found.provider, found.detail, found.remark) == (answer, "", detail)
    assert found.name == WIRE


def test_results_of_today_are_not_split(tmp_path: Path) -> None:
    values = older(FORMAT, findings="findings", rule=WIRE, detail="messages[2]: HTTP 400 No.", impact="invalid")
    del values["cases"][0]["findings"][0]["kind"]
    found = read(values, tmp_path)
    assert (found.rule, found.reference, found.provider) == (WIRE, "", None)


@pytest.mark.parametrize("values", [None, [], {"cases": 1}, {"cases": [1, {"evidence": 2}]}])
def test_what_is_no_results_is_left_to_the_schema(values: Any) -> None:
    assert upgraded(values) == values


def test_what_was_called_evidence_are_the_findings() -> None:
    assert upgraded({"cases": [{"id": "a", "evidence": [3]}]}) == {"cases": [{"id": "a", "findings": [3]}]}
