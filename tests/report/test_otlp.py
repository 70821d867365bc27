"""The cases of a run as spans: what a viewer of OpenTelemetry shows, and what ``harness lint-trace`` finds in them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.report.files import read_results
from harness.report.formats import rendered
from harness.rules import select
from harness.runner.results import CaseResult
from harness.spans import TraceSpan, read_spans
from harness.spans.judging import TraceOptions, TraceTotals, judge_spans
from harness.wire import wire

SAMPLE = Path(__file__).resolve().parents[2] / "reports" / "sample"


@pytest.fixture(scope="module")
def text() -> str:
    return rendered("otlp", read_results(SAMPLE / "results.json"), SAMPLE)


def spans(text: str) -> list[TraceSpan]:
    return list(read_spans("f", io.BytesIO(text.encode())))


def test_a_case_is_a_trace_with_a_root(text: str) -> None:
    result = read_results(SAMPLE / "results.json")
    assert len(text.splitlines()) == len(result.cases)
    found = spans(text)
    roots = [each for each in found if not each.parent]
    assert [each.attributes["harness.case"] for each in roots] == [case.id for case in result.cases]
    assert len({each.trace for each in roots}) == len(roots)
    assert {each.parent for each in found if each.parent} <= {each.id for each in roots}
    assert len({each.id for each in found}) == len(found)
    assert [each.failed for each in roots] == [case.verdict in ("fail", "error") for case in result.cases]
    assert sum(each.attributes["gen_ai.operation.name"] == "chat" for each in found) == sum(
        case.requests for case in result.cases
    )


def test_a_finding_is_an_event_of_what_shows_it(text: str) -> None:
    expected = sorted(finding.id for case in read_results(SAMPLE / "results.json").cases for finding in case.findings)
    assert expected
    assert sorted(_rules(text)) == expected


def _rules(text: str) -> Iterator[str]:
    for each in spans(text):
        yield from (event["harness.rule"] for event in each.events if event["name"] == "harness.finding")


def test_the_requests_can_be_judged_again(text: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_text(text, encoding="utf-8")
    totals = TraceTotals()
    found = list(judge_spans(path, TraceOptions(selection=select(["history/results"]), answered=True), totals))
    broken = [case for case in read_results(SAMPLE / "results.json").cases if "history/results" in _rules_of(case)]
    cases = [case for case in broken if wire(case.wire).native]  # other calls have no ids, by which results are paired
    assert len({each.trace for each in found}) >= len(cases) > 0
    assert totals.grades["in part"] == totals.requests


def test_the_same_run_has_the_same_spans(text: str) -> None:
    assert rendered("otlp", read_results(SAMPLE / "results.json"), SAMPLE) == text
    assert all(json.loads(line) for line in text.splitlines())


def _rules_of(case: CaseResult) -> set[str]:
    return {each.rule for each in case.findings}
