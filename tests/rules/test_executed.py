"""A loop that tells nothing of its tools, and what the requests show of which calls it has run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.rules import Finding, judge
from harness.trace import EventRecord, JsonValue, Record, RequestRecord, ToolResult, ToolStart, Trace, dumps, loads
from harness.wire import (
    NATIVE_WIRES,
    WIRES,
    Call,
    FinishReason,
    Refusal,
    Result,
    StreamError,
    Turn,
    WireName,
)
from harness.wire.results import is_distinct, may_report_failure, reports_success, says
from harness_lab.mutants.traces.draft import rewrite
from tests.rules.build import broken
from tests.rules.silent import OUTPUT, played

WHOLE = Call("list_files", '{"path": "."}')
CUT = Call("list_files", '{"path": "src; echo mo')
REPAIRED = '{"path": "src; echo mo"}'
AS_TEXT: tuple[WireName, ...] = ("openai-responses", "openai-chat", "anthropic-messages")
"""Wires on which arguments can break off."""

RULES = ("execution/arguments", "final/stopped-call", "final/failed-turn")


def found(trace: Trace) -> list[Finding]:
    return judge(trace, RULES)


def summary(trace: Trace) -> list[tuple[str, str]]:
    return [(finding.rule, finding.level) for finding in found(trace)]


# --- which calls were run -----------------------------------------------------------------------------------

STOPPED = [FinishReason.MAX_TOKENS, FinishReason.CONTENT_FILTER]


@pytest.mark.parametrize("name", AS_TEXT)
@pytest.mark.parametrize("stop", [*STOPPED, FinishReason.TOOL_CALLS])
def test_a_call_that_broke_off_and_was_repaired_and_run_is_found(name: WireName, stop: FinishReason) -> None:
    """What a coding agent was seen to do: it completes half a command, runs it, and sends it back as the model's."""
    (finding,) = found(played(name, Turn((CUT,), stop), arguments=REPAIRED))
    assert finding.rule == ("execution/arguments" if stop is FinishReason.TOOL_CALLS else "final/stopped-call")
    assert finding.level == ("MUST" if name == "anthropic-messages" else "SHOULD")
    assert "list_files" in finding.expected
    assert "in the answer to request 1" in finding.expected
    assert "out42" in finding.got
    assert "src; echo mo" in finding.got, "what went back in place of the model's arguments"


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("stop", STOPPED)
def test_what_the_tool_is_known_to_return_is_certain(name: WireName, stop: FinishReason) -> None:
    trace = played(name, Turn((WHOLE,), stop), output="listed", returns={"list_files": "listed"})
    assert summary(trace) == [("final/stopped-call", "MUST")]


@pytest.mark.parametrize("name", AS_TEXT)
def test_what_the_tool_said_in_a_sound_turn_is_certain(name: WireName) -> None:
    trace = played(name, Turn((CUT,), FinishReason.TOOL_CALLS), Turn((WHOLE,), FinishReason.TOOL_CALLS), arguments="{}")
    assert summary(trace) == [("execution/arguments", "MUST")]


@pytest.mark.parametrize("name", ["openai-responses", "openai-chat"])
def test_a_refused_call_that_was_run_is_found(name: WireName) -> None:
    refused = Turn((Refusal("I will not."), WHOLE), FinishReason.REFUSAL)
    assert summary(played(name, refused, returns={"list_files": OUTPUT})) == [("final/stopped-call", "MUST")]


@pytest.mark.parametrize(("name", "keeps_ids"), [*((name, True) for name in WIRES), ("gemini-generate", False)])
@pytest.mark.parametrize("turn", [Turn((WHOLE,), ending="eof"), Turn((WHOLE,), error=StreamError())])
def test_a_call_of_a_broken_turn_that_was_answered_is_found(name: WireName, turn: Turn, keeps_ids: bool) -> None:
    """Also where the loop has removed the ids, so that only names and positions pair calls and results."""
    assert summary(played(name, turn, keeps_ids=keeps_ids)) == [("final/failed-turn", "MUST")]


# --- which were not -----------------------------------------------------------------------------------------

REFUSALS = [
    "Error: arguments are not valid JSON",
    '{"error": "the call was cut off"}',
    "Skipped: the answer hit the output limit.",
    "The call was incomplete. Send a smaller one.",
    "Tool call rejected by the user",
    "[Request interrupted]",
    "The call is pending.",
    "Bypassed: maximum output reached",
    "Your last message was cut off; please send the call once more.",
    "参数错误",
    "Der Aufruf ist abgerissen – nichts ausgeführt.",
    "",
    "-",
    "null",
]


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("output", REFUSALS)
def test_a_result_that_may_say_that_nothing_was_run_is_no_evidence(name: WireName, output: str) -> None:
    assert summary(played(name, Turn((WHOLE,), FinishReason.MAX_TOKENS), output=output)) == []
    if name in AS_TEXT:
        assert summary(played(name, Turn((CUT,), FinishReason.TOOL_CALLS), output=output, arguments=REPAIRED)) == []


@pytest.mark.parametrize("turn", [Turn((WHOLE,), FinishReason.MAX_TOKENS), Turn((WHOLE,), ending="eof")])
def test_a_result_that_is_marked_as_an_error_is_no_evidence(turn: Turn) -> None:
    assert summary(played("anthropic-messages", turn, is_error=True, returns={"list_files": OUTPUT})) == []


@pytest.mark.parametrize("name", NATIVE_WIRES)
@pytest.mark.parametrize("turn", [Turn((WHOLE,), ending="eof"), Turn((WHOLE,), error=StreamError())])
def test_a_broken_turn_may_go_back_with_a_failure(name: WireName, turn: Turn) -> None:
    assert summary(played(name, turn, output="The stream broke: this call was not run.")) == []


@pytest.mark.parametrize("name", WIRES)
def test_a_call_of_a_sound_turn_may_be_run(name: WireName) -> None:
    assert summary(played(name, Turn((WHOLE,), FinishReason.TOOL_CALLS), returns={"list_files": OUTPUT})) == []


def custom(trace: Trace) -> Trace:
    """The trace with tools of the type ``custom``."""

    def edit(body: dict[str, Any]) -> None:
        body["tools"] = [_custom(tool) for tool in body["tools"]]

    def both(records: list[Record]) -> None:
        for number in (0, 1):
            rewrite(records, number, edit)

    return broken(trace, both)


def _custom(tool: dict[str, Any]) -> dict[str, Any]:
    return {**tool, "type": "custom", **({"custom": tool["function"]} if "function" in tool else {})}


@pytest.mark.parametrize("name", AS_TEXT)
def test_the_input_of_a_custom_tool_is_text(name: WireName) -> None:
    """OpenAI has tools whose input is no JSON at all, and a loop must run them on it. Anthropic calls all so."""
    trace = played(name, Turn((CUT,), FinishReason.TOOL_CALLS))
    assert [rule for rule, _ in summary(trace)] == ["execution/arguments"]
    assert [rule for rule, _ in summary(custom(trace))] == ["execution/arguments"] * (name == "anthropic-messages")


# --- whose result is whose ----------------------------------------------------------------------------------

EDIT = Call("edit_file", '{"path": "."}')
NONE_SUCH = Call("no_such_tool", "{}")
BOTH = {"list_files": "three files", "edit_file": "two edits"}


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize(
    ("calls", "outputs", "times"),
    [
        ((WHOLE, EDIT), ("three files", "two edits"), 0),
        ((WHOLE, EDIT), ("two edits", "three files"), 2),
        ((WHOLE, NONE_SUCH), ("no such tool", "three files"), 1),
        ((WHOLE, NONE_SUCH), ("three files", "no such tool"), 0),
        ((WHOLE, EDIT), ("three files", "three files, two edits"), 0),
        ((WHOLE, WHOLE), ("three files", "two edits"), 0),
    ],
)
def test_a_result_of_another_call_is_found(
    name: WireName, calls: tuple[Call, ...], outputs: tuple[str, ...], times: int
) -> None:
    trace = played(name, Turn(calls, FinishReason.TOOL_CALLS), outputs=outputs, returns=BOTH)
    assert [finding.rule for finding in judge(trace, ["history/own-result"])] == ["history/own-result"] * times


@pytest.mark.parametrize("name", WIRES)
def test_tools_that_return_the_same_cannot_be_told_apart(name: WireName) -> None:
    turn = Turn((WHOLE, EDIT), FinishReason.TOOL_CALLS)
    trace = played(name, turn, output="done", returns={"list_files": "done", "edit_file": "done"})
    assert judge(trace, ["history/own-result"]) == []


@pytest.mark.parametrize("name", AS_TEXT)
def test_a_result_of_another_call_does_not_show_that_its_own_was_run(name: WireName) -> None:
    turn = Turn((EDIT, CUT), FinishReason.TOOL_CALLS)
    trace = played(name, turn, outputs=("cut off", "two edits"), returns={"edit_file": "two edits"})
    assert {finding.rule for finding in judge(trace, [*RULES, "history/own-result"])} == {"history/own-result"}


# --- beside events ------------------------------------------------------------------------------------------


def told(trace: Trace, *events: ToolStart | ToolResult) -> Trace:
    """The trace with events of tools before its second request."""
    at = next(at for at, record in enumerate(trace.records) if isinstance(record, RequestRecord) and record.exchange)
    return Trace(trace.case, (*trace.records[:at], *map(EventRecord, events), *trace.records[at:]))


@pytest.mark.parametrize("name", AS_TEXT)
def test_one_execution_is_one_finding_that_says_what_the_tool_ran_on(name: WireName) -> None:
    call = replace(CUT, id="call_1")
    run = (ToolStart("call_1", "list_files", {}), ToolResult("call_1", "list_files", OUTPUT, ok=True))
    (finding,) = found(told(played(name, Turn((call,), FinishReason.TOOL_CALLS), returns={"list_files": OUTPUT}), *run))
    assert finding.rule == "execution/arguments"
    assert "src; echo mo" in finding.expected
    assert finding.got == "it ran with {}, as its toolStart reports"


@pytest.mark.parametrize("name", AS_TEXT)
def test_a_call_that_was_told_to_have_failed_was_not_run(name: WireName) -> None:
    call = replace(CUT, id="call_1")
    failed = (ToolStart("call_1", "list_files"), ToolResult("call_1", "list_files", None, ok=False))
    assert summary(told(played(name, Turn((call,), FinishReason.MAX_TOKENS)), *failed)) == []


@pytest.mark.parametrize("name", AS_TEXT)
def test_where_tools_are_told_a_text_alone_is_no_evidence(name: WireName) -> None:
    """The harness saw another call run, so it would have seen this one."""
    call, other = replace(WHOLE, id="call_1"), replace(WHOLE, id="call_2")
    run = (ToolStart("call_2", "list_files"), ToolResult("call_2", "list_files", OUTPUT, ok=True))
    turns = (Turn((call,), FinishReason.MAX_TOKENS), Turn((other,), FinishReason.TOOL_CALLS))
    quiet = played(name, *turns, outputs=("Kept in mind", OUTPUT))
    assert summary(quiet) == [("final/stopped-call", "MUST" if name == "anthropic-messages" else "SHOULD")]
    assert summary(told(quiet, *run)) == []


def test_a_stored_trace_is_judged_as_one_that_was_not() -> None:
    """What the tools return is kept with it."""
    said = {"list_files": "cannot stop"}
    trace = played("openai-chat", Turn((WHOLE,), FinishReason.MAX_TOKENS), output="cannot stop", returns=said)
    again = loads(dumps(trace))
    assert again.case.returns == said
    assert summary(again) == summary(trace) == [("final/stopped-call", "MUST")]


# --- results in words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "value"),
    [
        ("ordered", "ordered"),
        ('"ordered"', "ordered"),
        (" ordered\n", "ordered"),
        ('{"output": "ordered"}', "ordered"),
        ('{"result": {"output": "ordered"}}', "ordered"),
        ('[{"type": "text", "text": "ordered"}]', "ordered"),
        ('{"celsius":11}', {"celsius": 11}),
        ('[1, [2, "\\u4e09"]]', [1, [2, "三"]]),
        ('{"content": "{\\"celsius\\": 11}"}', {"celsius": 11}),
    ],
)
def test_a_value_is_known_however_it_is_written(output: str, value: JsonValue) -> None:
    assert says(Result("1", output), value)
    assert not says(Result("1", output, is_error=True), value)


@pytest.mark.parametrize("output", ["not ordered", '{"error": "ordered"}', '{"ordered": "soup", "by": "me"}', "", "[]"])
def test_what_is_only_like_a_value_is_not_it(output: str) -> None:
    assert not says(Result("1", output), "ordered")


@pytest.mark.parametrize(("value", "distinct"), [("ok", True), (["x"], True), (None, False), ("", False), (0, False)])
def test_only_what_nobody_says_by_chance_is_distinct(value: JsonValue, distinct: bool) -> None:
    assert is_distinct(value) is distinct


@pytest.mark.parametrize(
    "output", ["out42\nmore\n", "transferred", "sent", '{"output": "ordered"}', "standing order 17"]
)
def test_plain_outputs_report_success(output: str) -> None:
    assert reports_success(Result("1", output))
    assert not may_report_failure(Result("1", output))
    assert not reports_success(Result("1", output, is_error=True))
