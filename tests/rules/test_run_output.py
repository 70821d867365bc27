"""The output that a run returns, against what the model gave as one in its last turn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from harness.rules import Finding, judge
from harness.trace import Case, EventRecord, Final, Trace
from harness.wire import NATIVE_WIRES, Call, FinishReason, Text, Turn, WireName
from tests.rules import build

RULE = "reported/run-output"
GIVEN = {"path": "a.html", "content": "<p>"}
CALLED = Turn((Call("list_files", json.dumps(GIVEN)),), FinishReason.TOOL_CALLS)
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "content": {"type": "string"}, "lines": {"type": "integer"}},
}


@pytest.fixture(autouse=True)
def _declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "SCHEMA", SCHEMA)


def run(
    output: Any,
    *turns: Turn,
    wire: WireName = "openai-chat",
    outcome: str = "completed",
    outputs: Sequence[str] = ("list_files",),
) -> Trace:
    """A run of these turns, in which ``outputs`` are output tools, and that returns ``output``."""
    case = Case("case", "case", wire, kinds=dict.fromkeys(outputs, "output"))
    *rest, end = build.Loop(wire, case).play(turns or (CALLED,)).records
    assert isinstance(end, EventRecord)
    assert isinstance(end.event, Final)
    return Trace(case, (*rest, replace(end, event=replace(end.event, output=output, outcome=outcome))))


def found(trace: Trace) -> list[Finding]:
    return judge(trace, [RULE])


@pytest.mark.parametrize("wire", NATIVE_WIRES)
def test_what_the_model_gave_is_returned(wire: WireName) -> None:
    assert found(run(GIVEN, wire=wire)) == []
    (finding,) = found(run({**GIVEN, "path": "b.html"}, wire=wire))
    assert finding.level == "MUST"
    assert finding.expected == 'the arguments of list_files: {"path": "a.html", "content": "<p>"}'
    assert finding.got == '{"path": "b.html", "content": "<p>"}'


@pytest.mark.parametrize(
    ("output", "is_found"),
    [
        (None, False),
        ({**GIVEN, "lines": 1}, False),  # a default
        ({**GIVEN, "path": ["a.html"]}, False),  # converted
        (json.dumps(GIVEN), False),
        ({"path": "a.html"}, True),
        ({}, True),
        ("", True),
        ("a.html", True),
        ([GIVEN], True),
        (3, True),
    ],
)
def test_an_output_is_what_was_given_in_any_form(output: Any, is_found: bool) -> None:
    assert bool(found(run(output))) is is_found


def test_a_value_that_only_an_object_wraps_may_be_taken_off() -> None:
    wrapped = Turn((Call("list_files", '{"path": "a.html"}'),), FinishReason.TOOL_CALLS)
    assert found(run("a.html", wrapped)) == []
    assert found(run("b.html", wrapped)) != []


def test_each_of_several_outputs_may_be_the_one() -> None:
    create = Call("create_file", '{"path": "b.html", "content": ""}')
    both = Turn((*CALLED.parts, create), FinishReason.TOOL_CALLS)
    outputs = ("list_files", "create_file")
    assert found(run(GIVEN, both, outputs=outputs)) == []
    assert found(run({"path": "b.html", "content": ""}, both, outputs=outputs)) == []
    (finding,) = found(run({"path": "c.html"}, both, outputs=outputs))
    assert " or the arguments of create_file: " in finding.expected


def test_the_output_of_a_text_is_the_object_that_it_is() -> None:
    answer = Turn((Text('{"path": '), Text('"a.html"}')))
    assert found(run({"path": "a.html"}, answer)) == []
    assert found(run({"path": "b.html"}, answer)) != []


def test_where_the_model_gave_none_none_is_returned() -> None:
    """As after another question: the output of the run before is none of this one."""
    answer = Turn((Text("Done."),))
    assert found(run(None, answer)) == []
    assert found(run("Done.", answer)) == []
    assert found(run({"response": "Done."}, answer)) == []
    (finding,) = found(run(GIVEN, answer))
    assert finding.expected == "no output, since the last turn gives none"


def test_only_a_run_that_is_completed_has_an_output() -> None:
    assert found(run({"path": "b.html"}, outcome="turn-limit")) == []


def test_arguments_that_are_no_object_are_no_output() -> None:
    broken = Turn((Call("list_files", '{"path": "a.h'), Call("list_files", '{"path": "a.html"}')))
    assert found(run({"path": "a.html"}, broken)) == []
