"""JUnit files are read back by a reader that nobody here wrote, whatever a model or a loop has written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from harness.finding import Finding
from harness.report.formats.junit import junit
from harness.runner.results import RunResult, Stale
from tests.case_tables import from_table
from tests.report.junit_schema import faults
from tests.report.runs import EVIDENCE, HOSTILE, case, everything, hostile, run


def read(result: RunResult, tmp_path: Path) -> JUnitXml:
    path = tmp_path / "junit.xml"
    path.write_text(junit(result), encoding="utf-8")
    return JUnitXml.fromfile(str(path))


def skipped(document: JUnitXml) -> int:
    return sum(suite.skipped for suite in document)


def test_every_verdict_is_counted_as_what_it_is(tmp_path: Path) -> None:
    evidence = Finding("order/tool-start-once", "MUST", "unsafe", 7, "one toolStart", "two")
    failed = case("fail", findings=(evidence,))
    crashed = case("error", error="Traceback\nValueError: boom")
    known = case("xfail", findings=(replace(evidence, known="So it is."),))
    lacking = case("skip", reason="it cannot think")
    document = read(run(case("pass"), failed, crashed, lacking, known, case("xpass")), tmp_path)
    assert (document.tests, document.failures, document.errors, skipped(document)) == (6, 1, 1, 2)
    (suite,) = document
    results = {item.name.rpartition(".")[2]: item.result for item in suite}
    assert results["pass"] == []
    assert isinstance(results["fail"][0], Failure)
    assert isinstance(results["error"][0], Error)
    assert isinstance(results["skip"][0], Skipped)
    assert results["error"][0].message == "ValueError: boom"
    assert results["skip"][0].message == "it cannot think"
    assert isinstance(results["xfail"][0], Skipped)
    assert (results["xfail"][0].message, results["xfail"][0].type) == ("So it is.", "xfail")
    assert results["xpass"] == []


def test_what_is_expected_beside_a_failure_is_no_failure_but_is_told(tmp_path: Path) -> None:
    new = Finding("order/tool-start-once", "MUST", "unsafe", 7, "one toolStart", "two")
    known = Finding("final/stopped-call", "MUST", "unsafe", 9, "not to run", "it has", known="So \x1b it is.")
    (suite,) = read(run(case("fail", findings=(known, new))), tmp_path)
    (item,) = suite
    assert [failure.type for failure in item.result] == ["order/tool-start-once"]
    assert "final/stopped-call" in item.system_out
    assert "is expected: So \ufffd it is." in item.system_out


def test_what_is_stale_in_the_baseline_is_a_failed_test_of_its_own(tmp_path: Path) -> None:
    stale = Stale("baselines/a.yaml:3:5", "order/one-end", "no longer found in a.*")
    result = replace(run(case("pass")), baseline="baselines/a.yaml", stale=(stale,))
    document = read(result, tmp_path)
    assert (document.tests, document.failures) == (2, 1)
    (_, suite) = document
    (item,) = suite
    assert (suite.name, item.classname) == ("my-loop.baseline", "baselines/a.yaml")
    assert item.name == "baselines/a.yaml:3:5 order/one-end"
    assert item.result[0].message == "no longer found in a.*"


def test_evidence_names_the_rule_the_place_and_the_command_that_repeats_the_case(tmp_path: Path) -> None:
    evidence = Finding("order/tool-start-once", "MUST", "unsafe", 7, "one toolStart", "two", "call_x")
    (suite,) = read(run(case("fail", findings=(evidence,))), tmp_path)
    failure = next(iter(suite)).result[0]
    assert failure.type == "order/tool-start-once"
    for piece in ("traces/a.jsonl:7", "one toolStart", "two", "call_x", "harness run scenarios/a.yaml -k a"):
        assert piece in failure.text


@pytest.mark.parametrize("hostile", ["\x00", "\x1b[31m", "]]>", "<script>", "\ud83d", "\uffff", "a\r\nb", "\"&'"])
def test_hostile_text_cannot_make_the_file_unreadable(hostile: str, tmp_path: Path) -> None:
    evidence = Finding("rule", "MUST", "unsafe", 1, f"x{hostile}y", hostile, hostile)
    (suite,) = read(run(case("fail", findings=(evidence,)), case("error", error=f"E: {hostile}")), tmp_path)
    assert len(list(suite)) == 2


def test_the_standard_library_alone_would_write_a_file_that_nobody_can_read(tmp_path: Path) -> None:
    """Proves that the cleaning above is what makes the hostile texts harmless."""
    path = tmp_path / "junit.xml"
    path.write_text("<testsuites><testsuite><testcase name='\x00'/></testsuite></testsuites>", encoding="utf-8")
    with pytest.raises(Exception, match="invalid token"):
        JUnitXml.fromfile(str(path))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_anywhere_makes_the_file_unreadable(text: str, tmp_path: Path) -> None:
    document = read(hostile(text), tmp_path)
    assert (document.tests, document.failures, document.errors, skipped(document)) == (7, 4, 1, 2)


def test_every_kind_of_run_satisfies_the_schema() -> None:
    both = case("error", error="ValueError: boom", findings=(EVIDENCE, replace(EVIDENCE, known="So.")))
    for result in (everything(), run(), run(case("pass")), run(both)):
        assert faults(junit(result)) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_anybody_wrote_satisfies_the_schema(text: str) -> None:
    assert faults(junit(hostile(text))) == []


@from_table(__file__, "test_the_schema_refuses_what_is_wrong")
def test_the_schema_refuses_what_is_wrong(old: str, new: str) -> None:
    document = junit(run(case("fail", findings=(EVIDENCE,))))
    assert old in document
    assert faults(document) == []
    assert faults(document.replace(old, new)) != []


def test_a_very_long_text_is_cut_and_a_traceback_keeps_its_end(tmp_path: Path) -> None:
    long = "x" * 5_000_000
    found = replace(EVIDENCE, expected=long, got=long, detail=long, known="")
    result = run(case("fail", findings=(found,), repeat="the end"), case("error", error=f"{long}\nValueError: boom"))
    assert len(junit(result)) < 500_000
    (suite,) = read(result, tmp_path)
    failed, crashed = (next(iter(item.result)) for item in suite)
    assert failed.text.endswith("repeat:   the end")
    assert "… (5,000,000 characters)" in failed.text
    assert crashed.text.endswith("ValueError: boom")
