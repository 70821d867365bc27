"""Rules about runs of tools: each with a right loop, and with one mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.spans.judging import TraceFinding
from tests.spans.spans import ASKED, asked, document, ids, judged, request, response, span, written

CALLS = [
    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"city": "Oslo"}},
    {"type": "tool_use", "id": "toolu_2", "name": "f", "input": {"city": "Rome"}},
]
RESULTS = {"toolu_1": '{"celsius": -4}', "toolu_2": '{"celsius": 19}'}


def run(number: int, call: str, result: Any, **beside: Any) -> dict[str, Any]:
    """A span of a run, as the conventions of OpenTelemetry have it."""
    attributes = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__call__id": call, "gen_ai__tool__name": "f"}
    return span(number, gen_ai__tool__call__result=result, **attributes, **beside)


def right(results: dict[str, str] | None = None, stop: str = "tool_use") -> list[dict[str, Any]]:
    """The spans of a right loop: a response with two calls, two runs, and the request with their results."""
    sent = results or RESULTS
    blocks = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, text in sent.items()]
    history = [ASKED, {"role": "assistant", "content": CALLS}, {"role": "user", "content": blocks}]
    runs = [run(number, id, text) for number, (id, text) in enumerate(RESULTS.items(), 2)]
    return [asked(1, request(ASKED), response(*CALLS, stop=stop)), *runs, asked(5, request(*history))]


def found(tmp_path: Path, *spans: Any, **options: Any) -> list[TraceFinding]:
    return judged(written(tmp_path / "f", document(*spans)), info=True, rules=["history"], **options)[0]


def test_a_right_loop_has_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, *right()) == []


def test_results_that_were_exchanged(tmp_path: Path) -> None:
    [first, second] = found(tmp_path, *right(dict(zip(RESULTS, reversed(RESULTS.values()), strict=True))))
    assert (first.finding.id, first.finding.level, first.span) == ("T-1", "MUST", f"{5:016x}")
    assert first.finding.expected == 'the result of f toolu_1: "{\\"celsius\\": -4}"'
    assert first.finding.got == 'the result of toolu_2: "{\\"celsius\\": 19}"'
    assert second.finding.expected.startswith("the result of f toolu_2")


def test_a_result_in_other_words_is_for_information(tmp_path: Path) -> None:
    [only] = found(tmp_path, *right({**RESULTS, "toolu_1": "cold"}))
    assert (only.finding.id, only.finding.level) == ("T-1", "INFO")


@pytest.mark.parametrize("result", ['{"celsius":-4}', ' {"celsius": -4}\n', json.dumps('{"celsius": -4}')])
def test_the_same_result_in_another_spelling_is_the_same(result: str, tmp_path: Path) -> None:
    assert found(tmp_path, *right({**RESULTS, "toolu_1": result})) == []


def test_a_call_that_ran_twice(tmp_path: Path) -> None:
    [only] = found(tmp_path, *right(), run(4, "toolu_1", RESULTS["toolu_1"]))
    assert (only.finding.id, only.finding.level, only.finding.got) == ("T-2", "SHOULD", "2 runs")


def test_a_call_that_runs_again_after_a_failure_is_right(tmp_path: Path) -> None:
    first, failing, *rest = right()
    failed = {**failing, "status": {"code": 2}}
    assert found(tmp_path, first, failed, run(4, "toolu_1", RESULTS["toolu_1"]), *rest) == []


def test_a_run_before_the_response_has_ended(tmp_path: Path) -> None:
    first, early, *rest = right()
    begins = {**early, "startTimeUnixNano": str(int(first["endTimeUnixNano"]) - 1)}
    [only] = found(tmp_path, first, begins, *rest)
    assert (only.finding.id, only.finding.level) == ("T-3", "INFO")


def test_a_run_of_a_call_that_was_cut_off(tmp_path: Path) -> None:
    cut = found(tmp_path, *right(stop="max_tokens"))
    assert [(each.finding.id, each.finding.level) for each in cut] == [("T-4", "MUST"), ("T-4", "MUST")]


def test_a_call_that_validation_refused_did_not_run(tmp_path: Path) -> None:
    """A span of a run is no proof of a run: pydantic-ai writes one for a call that it refuses."""
    first, *runs, last = right(stop="max_tokens")
    stage = {"key": "pydantic_ai.tool.failure_stage", "value": {"stringValue": "validation"}}
    refused = [{**each, "attributes": [*each["attributes"], stage], "status": {"code": 2}} for each in runs]
    assert found(tmp_path, first, *refused, last) == []


def test_runs_of_another_trace_are_not_those_of_this_one(tmp_path: Path) -> None:
    first, one, other, last = right(dict(zip(RESULTS, reversed(RESULTS.values()), strict=True)))
    elsewhere = [{**each, "traceId": f"{9:032x}"} for each in (one, other)]
    assert found(tmp_path, first, *elsewhere, last) == []


def test_rules_about_runs_can_be_left_out(tmp_path: Path) -> None:
    swapped = right(dict(zip(RESULTS, reversed(RESULTS.values()), strict=True)))
    assert ids(found(tmp_path, *swapped, runs=frozenset({"T-2"}))) == []


@pytest.mark.parametrize(
    ("attributes", "call", "result"),
    [
        (
            {
                "openinference__span__kind": "TOOL",
                "output__value": json.dumps({"content": "r", "tool_call_id": "toolu_1", "status": "success"}),
            },
            "toolu_1",
            "r",
        ),
        (
            {
                "langfuse__observation__type": "tool",
                "langfuse__observation__output": json.dumps({"content": "r", "tool_call_id": "toolu_1"}),
            },
            "toolu_1",
            "r",
        ),
        (
            {"gen_ai__operation__name": "execute_tool", "tool_response": "r", "gen_ai__tool__call__id": "toolu_1"},
            "toolu_1",
            "r",
        ),
        ({"openinference__span__kind": "TOOL", "output__value": "r"}, "", "r"),
    ],
    ids=["LangChain", "Langfuse", "pydantic-ai", "without an id"],
)
def test_runs_of_every_source(attributes: dict[str, Any], call: str, result: str) -> None:
    import io

    from harness.spans import read_spans
    from harness.spans.tool_runs import run_of

    [only] = read_spans("f", io.BytesIO(json.dumps(document(span(1, **attributes))).encode()))
    got = run_of(only)
    assert (got.id, got.result, got.how) == (call, result, "ran")
