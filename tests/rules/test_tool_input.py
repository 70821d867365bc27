"""What a tool was run on, against the arguments that the model wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harness.rules import Finding, judge
from harness.trace import Case, EventRecord, ToolResult, ToolStart, Trace
from harness.wire import NATIVE_WIRES, Call, FinishReason, Text, Turn, WireName
from tests.rules import build

RULE = "execution/model-arguments"
SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "lines": {"type": "integer", "default": 10},
        "deep": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
}
WROTE = {"path": "src", "lines": 5, "deep": True, "tags": [{"name": "new", "mark": 1}]}


@pytest.fixture(autouse=True)
def _declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "SCHEMA", SCHEMA)


def run(*given: object, wrote: Any = WROTE, wire: WireName = "openai-chat", calls: int = 1) -> Trace:
    """A run in which the harness has run ``list_files`` on each of ``given``, under the ids of the calls in order."""
    made = [Call("list_files", json.dumps(wrote[at] if calls > 1 else wrote), None) for at in range(calls)]
    case = Case("case", "case", wire, emits=("error", "final"))
    trace = build.Loop(wire, case).play([Turn(tuple(made), FinishReason.TOOL_CALLS), Turn((Text("Done."),))])
    left = list(given)
    records = []
    for record in trace.records:
        if isinstance(record, EventRecord) and isinstance(record.event, ToolStart):
            record = replace(record, event=replace(record.event, input=left.pop(0)))
        records.append(record)
    assert any(isinstance(each, EventRecord) and isinstance(each.event, ToolResult) for each in records)
    return Trace(case, tuple(records))


def found(trace: Trace) -> list[Finding]:
    return judge(trace, [RULE])


@pytest.mark.parametrize("wire", NATIVE_WIRES)
def test_a_tool_that_ran_on_nothing_is_found(wire: WireName) -> None:
    (finding,) = found(run({}, wire=wire))
    assert finding.level == "MUST"
    assert "'path' as the model wrote it: \"src\"" in finding.expected
    assert finding.got == "it is missing"
    assert finding.detail == "the tool ran on {}"


@pytest.mark.parametrize(
    ("changed", "where", "level"),
    [
        ({"path": "sr"}, "'path'", "MUST"),
        ({"path": None}, "'path'", "MUST"),
        ({"path": 7}, "'path'", "SHOULD"),
        ({"lines": 6}, "'lines'", "MUST"),
        ({"lines": "6"}, "'lines'", "SHOULD"),
        ({"deep": False}, "'deep'", "MUST"),
        ({"deep": "no"}, "'deep'", "SHOULD"),
        ({"tags": []}, "'tags'", "MUST"),
        ({"tags": [{"name": "old"}]}, "'tags[0].name'", "MUST"),
        ({"tags": [{}]}, "'tags[0].name'", "MUST"),
    ],
)
def test_a_changed_argument_is_found(changed: dict[str, Any], where: str, level: str) -> None:
    (finding,) = found(run({**WROTE, **changed}))
    assert (finding.level, where in finding.expected) == (level, True)


@pytest.mark.parametrize(
    "given",
    [
        WROTE,
        {**WROTE, "depth": 3},
        {**WROTE, "lines": 5.0},
        {**WROTE, "lines": "5", "deep": "True"},
        {**WROTE, "deep": 1},
        {**WROTE, "path": ["src"]},
        {**WROTE, "tags": json.dumps(WROTE["tags"])},
        {**WROTE, "tags": [{"name": "new"}]},
        json.dumps(WROTE),
    ],
)
def test_another_form_of_the_same_arguments_is_right(given: Any) -> None:
    assert found(run(given)) == []


@pytest.mark.parametrize(
    "wrote", [{"path": "src", "lines": 10}, {"path": "src", "deep": None}, {"path": "src", "x": 1}]
)
def test_defaults_nulls_and_members_that_are_not_declared_may_be_left_out(wrote: dict[str, Any]) -> None:
    assert found(run({"path": "src"}, wrote=wrote)) == []


def test_a_tool_may_have_run_for_another_call_of_the_same_tool() -> None:
    wrote = [{"path": "a"}, {"path": "b"}]
    assert found(run({"path": "b"}, {"path": "a"}, wrote=wrote, calls=2)) == []
    (finding,) = found(run({"path": "c"}, {"path": "b"}, wrote=wrote, calls=2))
    assert '"a"' in finding.expected


def test_what_the_harness_ran_is_known_where_the_loop_reports_its_tools() -> None:
    trace = run({})
    reports = replace(trace.case, emits=("toolStart", "toolResult", "error", "final"))
    assert found(replace(trace, case=reports)) == [], "what a loop reports of a start may be a summary"
    (start,) = [told.event for _, told in trace.events if isinstance(told.event, ToolStart)]
    (finding,) = found(replace(trace, case=replace(reports, inputs={start.id: {**WROTE, "path": "lib"}})))
    assert (finding.got, finding.level) == ('"lib"', "MUST")


def test_arguments_that_are_no_object_are_the_business_of_another_rule() -> None:
    assert found(run({}, wrote=["src"])) == []


LONG = 1234567890123456789


@pytest.mark.parametrize("lines", [1234567890123456800, float(LONG), "1234567890123456800"])
def test_a_long_number_is_compared_to_its_last_digit(lines: object) -> None:
    (finding,) = found(run({**WROTE, "lines": lines}, wrote={**WROTE, "lines": LONG}))
    assert finding.expected.endswith(f"'lines' as the model wrote it: {LONG}")


@pytest.mark.parametrize("lines", [LONG, str(LONG)])
def test_a_long_number_that_is_whole_is_right(lines: object) -> None:
    assert found(run({**WROTE, "lines": lines}, wrote={**WROTE, "lines": LONG})) == []


def test_a_whole_number_may_be_written_with_or_without_a_fraction() -> None:
    """JSON has one kind of number, and a parser of doubles writes 5.0 as 5."""
    assert found(run({**WROTE, "lines": 5}, wrote={**WROTE, "lines": 5.0})) == []
    assert found(run({**WROTE, "lines": 5.0}, wrote={**WROTE, "lines": 5})) == []
