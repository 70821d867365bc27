"""Whether the model is told that a call failed, on wires that have no flag for it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.rules import Finding, judge, select
from harness.trace import Case, EventRecord, JsonValue, RequestRecord, ToolResult, Trace
from harness.wire import Call, FinishReason, Text, Turn, WireName
from tests.rules.build import Loop

RULE = "history/result-error"
WITHOUT_A_FLAG: tuple[WireName, ...] = ("openai-responses", "openai-chat", "gemini-generate")


class Sends(Loop):
    """Sends ``output`` as the result of every call."""

    output = ""

    def run_all(self, calls: tuple[Call, ...]) -> list[tuple[Call, str, bool]]:
        return [(call, self.output, ok) for call, _, ok in super().run_all(calls)]


def run(output: str, wire: WireName, said: JsonValue = None, *, ok: bool = False, calls: int = 1) -> Trace:
    """A run whose calls were reported as failed with ``said``, and whose results that went back are ``output``."""
    made = tuple(Call("list_files", '{"path": "."}', None) for _ in range(calls))
    case = Case("case", "case", wire)
    loop = Sends(wire, case)
    loop.output = output
    trace = loop.play([Turn(made, FinishReason.TOOL_CALLS), Turn((Text("Done."),))])
    records = [
        replace(each, event=replace(each.event, ok=ok, output=said))
        if isinstance(each, EventRecord) and isinstance(each.event, ToolResult)
        else each
        for each in trace.records
    ]
    return Trace(case, tuple(records))


def found(trace: Trace) -> list[Finding]:
    return judge(trace, [RULE])


@pytest.mark.parametrize("wire", WITHOUT_A_FLAG)
@pytest.mark.parametrize(
    "output", ["ok", "four degrees and rain", '{"output": "done"}', "", '""', '{"output": ""}', "null"]
)
def test_a_failure_that_reads_as_a_success_is_found(wire: WireName, output: str) -> None:
    (finding,) = found(run(output, wire, {"error": "the bus has gone"}))
    assert finding.level == "SHOULD"
    assert "the failure of list_files" in finding.expected


@pytest.mark.parametrize("wire", WITHOUT_A_FLAG)
@pytest.mark.parametrize(
    "output",
    [
        "An error occurred while running the tool. Please try again.",
        '{"error": "the bus has gone"}',
        "the bus has gone",
        "Sorry: the bus has gone",
        "der Bus fährt nicht",
        '{"error": ""}',
        "false",
    ],
)
def test_a_result_that_may_report_the_failure_is_right(wire: WireName, output: str) -> None:
    assert found(run(output, wire, {"error": "the bus has gone"})) == []


@pytest.mark.parametrize("wire", WITHOUT_A_FLAG)
def test_the_result_of_a_call_that_did_not_fail_is_not_judged(wire: WireName) -> None:
    assert found(run("four degrees and rain", wire, "four degrees", ok=True)) == []


@pytest.mark.parametrize(
    ("mark", "output", "level"),
    [
        ({}, "Error: the bus has gone", "INFO"),
        ({}, "done", "SHOULD"),
        ({"is_error": False}, "Error: the bus has gone", "SHOULD"),
        ({"is_error": True}, "Error: the bus has gone", None),
    ],
)
def test_a_failure_may_be_told_in_words_where_a_mark_is_optional(
    mark: dict[str, bool], output: str, level: str | None
) -> None:
    """Only a mark that says the contrary, or a result that is silent about the failure, misleads the model."""
    trace = run(output, "anthropic-messages", "the bus has gone")
    records = [
        replace(each, body=_marked(each.body, mark)) if isinstance(each, RequestRecord) else each
        for each in trace.records
    ]
    found = judge(Trace(trace.case, tuple(records)), select([RULE], info=True))
    assert [each.level for each in found] == ([level] if level else [])


def _marked(body: bytes, mark: dict[str, bool]) -> bytes:
    request = json.loads(body)
    for message in request["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_result":
                block.pop("is_error")
                block.update(mark)
    return json.dumps(request).encode()
