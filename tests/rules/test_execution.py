"""What counts as a call that cannot be run, and calls that are run twice or out of a turn that broke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from harness.rules import judge
from harness.rules.arguments import fault, fits, is_object
from harness.trace import EventRecord, Final, Record, RequestRecord, ResponseRecord, ToolResult, ToolStart, Trace
from harness.wire import NATIVE_WIRES, WIRES, Call, FinishReason, Text, ToolDeclaration, Turn, WireName
from harness_lab.mutants.traces.draft import change, places, requests, rewrite
from tests.rules.build import LIST, breaking, broken, build

DONE = Turn((Text("Done."),))
LOOK = (Turn((LIST,), FinishReason.TOOL_CALLS), DONE)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "exact": {"type": ["boolean", "null"]},
        "where": {"anyOf": [{"type": "string"}]},
    },
    "required": ["city"],
}
WEATHER = ToolDeclaration("weather", "The weather.", SCHEMA)


@pytest.mark.parametrize("arguments", ["", "  ", "{}", '{"a": NaN}', '{"a": "\\ud83e"}', '{"a": 1, "a": 2}'])
def test_these_are_objects(arguments: str) -> None:
    assert is_object(arguments)


@pytest.mark.parametrize("arguments", ["null", "[]", '"{}"', "1", '{"a": "b', "{a: 1}", "{} {}", "[" * 100_000])
def test_these_are_none(arguments: str) -> None:
    assert not is_object(arguments)


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ('{"city": "Ulm"}', None),
        ('{"city": "Ulm", "days": 3.0, "exact": null, "where": 1, "more": {}}', None),
        ("{}", "'city' is missing"),
        ('{"city": null}', "'city' is no string"),
        ('{"city": "Ulm", "days": 1.5}', "'days' is no integer"),
        ('{"city": "Ulm", "days": true}', "'days' is no integer"),
        ('{"city": "Ulm", "days": 1e999}', "'days' is no integer"),
        ('{"city": "Ulm", "exact": "yes"}', "'exact' is no boolean or null"),
        ('{"city": "Ul', "its arguments are no JSON object"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_in_words(arguments: str, wrong: str | None) -> None:
    assert fault(Call("weather", arguments), (WEATHER,)) == wrong


CLOSED = {"type": "object", "properties": {"city": {"type": "string", "title": "City"}}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("arguments", "schema", "expected"),
    [
        ('{"city": "Ulm"}', CLOSED, True),
        ("{}", CLOSED, True),
        ('{"city": "Ulm", "more": 1}', CLOSED, False),
        ('{"city": 1}', CLOSED, False),
        ('{"city": "Ul', CLOSED, False),
        ('{"city": "Ulm"}', {"properties": {"city": {"type": "string", "enum": ["Bonn"]}}}, False),
        ('{"city": "Ulm"}', {"properties": {"city": True}}, False),
        ('{"city": "Ulm"}', {"properties": []}, False),
        ('{"city": "Ulm"}', {**CLOSED, "minProperties": 2}, False),
    ],
)
def test_a_call_fits_where_no_loop_can_refuse_it(arguments: str, schema: dict[str, Any], expected: bool) -> None:
    assert fits(Call("weather", arguments), (replace(WEATHER, parameters=schema),)) is expected
    assert not fits(Call("whether", arguments), (WEATHER,))


@pytest.mark.parametrize("schema", [{}, {"required": "city", "properties": []}, {"properties": {"city": True}}])
def test_a_schema_that_says_nothing_forbids_nothing(schema: dict[str, Any]) -> None:
    assert fault(Call("weather", '{"city": 1}'), (replace(WEATHER, parameters=schema),)) is None


def test_a_tool_is_unknown_only_where_tools_are_offered() -> None:
    assert fault(Call("whether", "{}"), (WEATHER,)) == "no such tool is offered"
    assert fault(Call("whether", "{}"), ()) is None


# --- calls that wait ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize(("ok", "offered"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_failure_is_believed_where_the_requests_do_not_say_what_the_tool_takes(
    wire: WireName, ok: bool, offered: bool
) -> None:
    """As in a text protocol, which declares its tools in the prompt: whether a call is wrong is the loop's to say."""

    def never_asked(records: list[Record]) -> None:
        del records[places(records, Final, outcome="deferred")[0]]
        change(records, places(records, ToolResult)[0], ok=ok)
        for number in (0, 1) if not offered else ():
            rewrite(records, number, lambda body: body.pop("tools"))

    trace = build(wire, LOOK, profile="pydantic-ai", kinds=(("list_files", "unapproved"),))
    found = {finding.rule for finding in judge(broken(trace, never_asked))}
    assert ("execution/waiting" in found) == (ok or offered)


# --- calls without ids --------------------------------------------------------------------------------------

UNNAMED = (
    Turn(
        (Call("list_files", '{"path": "sr', ""), Call("list_files", '{"path": "src"}', "")),
        FinishReason.TOOL_CALLS,
    ),
    DONE,
)


def _executed(inputs: Sequence[object], ran: Sequence[bool]) -> bool:
    """Whether execution/arguments is found where two tools were reported in this order, the first call being cut."""
    trace = build("openai-chat", UNNAMED)
    records, number = [], -1
    for record in trace.records:
        event = record.event if isinstance(record, EventRecord) else None
        if isinstance(event, ToolStart):
            number += 1
            record = replace(record, event=replace(event, input=inputs[number]))
        elif isinstance(event, ToolResult):
            record = replace(record, event=replace(event, ok=ran[number]))
        records.append(record)
    assert number == 1
    return "execution/arguments" in {finding.rule for finding in judge(Trace(trace.case, tuple(records)))}


@pytest.mark.parametrize(
    ("inputs", "ran", "found"),
    [
        ([None, {"path": "src"}], [False, True], False),
        ([{"path": "src"}, None], [True, False], False),  # the good one was reported first
        ([None, None], [True, False], False),  # one has run, which may be the good one
        ([None, None], [True, True], True),
        ([{"path": "sr"}, {"path": "src"}], [True, True], True),
        ([{"path": "src"}, {"path": "sr"}], [True, True], True),
        ([{"path": "sr"}, None], [True, False], True),  # it has run on a guess
    ],
)
def test_which_of_two_calls_without_ids_has_run_is_taken_from_what_it_ran_on(
    inputs: list[object], ran: list[bool], found: bool
) -> None:
    assert _executed(inputs, ran) is found


# --- a turn that broke --------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses", "anthropic-messages"])
@pytest.mark.parametrize("silent", [True, False])
def test_a_turn_that_broke_is_neither_run_nor_answered(wire: WireName, silent: bool) -> None:
    def cut(records: list[Record]) -> None:
        breaking(0, before_its_end=True)(records)
        if silent:
            records[:] = [record for record in records if not isinstance(record, EventRecord)]

    found = judge(broken(build(wire, LOOK), cut))
    assert {finding.rule for finding in found} == {"final/failed-turn"}
    assert len(found) == 1


# --- twice --------------------------------------------------------------------------------------------------

TWICE = {"order/tool-start-once", "order/tool-result-once", "order/tool-ids-fresh"}


@pytest.mark.parametrize("wire", [name for name in WIRES if name not in ("gemini-generate", "text-tags")])
@pytest.mark.parametrize("new_turn", [True, False])
def test_a_reply_that_comes_again_from_a_cache_is_not_run_again(wire: WireName, new_turn: bool) -> None:
    """The same request gets the same reply once more, under the same ids, and its call is run once more."""

    def again(records: list[Record]) -> None:
        first, second = requests(records)[:2]
        start = first - 1 if new_turn else first  # with its turnStart, or without
        end = second - 1
        renumbered = [_shifted(record, 1) for record in records[start:]]
        records[end:] = renumbered
        if new_turn:
            _count_turns(records)

    found = {finding.rule for finding in judge(broken(build(wire, LOOK), again))}
    assert found & TWICE, found


def _shifted(record: Record, by: int) -> Record:
    return record if record.exchange is None else replace(record, exchange=record.exchange + by)


def _count_turns(records: list[Record]) -> None:
    starts = [
        at for at, record in enumerate(records) if isinstance(record, EventRecord) and hasattr(record.event, "turn")
    ]
    for number, at in enumerate(starts, 1):
        told = records[at]
        assert isinstance(told, EventRecord)
        records[at] = replace(told, event=replace(told.event, turn=number))  # type: ignore[call-arg]


@pytest.mark.parametrize("wire", WIRES)
def test_a_result_that_is_dropped_is_missed_on_every_wire(wire: WireName) -> None:
    """Whatever the wire calls the history: the last entry of the second request is taken out."""

    def drop(body: dict[str, Any]) -> None:
        history = next(body[name] for name in ("messages", "input", "contents") if name in body)
        history.pop()

    trace = broken(build(wire, LOOK), lambda records: rewrite(records, 1, drop))
    assert "history/results" in {finding.rule for finding in judge(trace)}


def test_a_trace_of_requests_alone_is_judged_by_what_it_shows() -> None:
    trace = build("openai-chat", LOOK, profile="hugind", turn_limit=1)
    silent = Trace(
        trace.case, tuple(each for each in trace.records if isinstance(each, RequestRecord | ResponseRecord))
    )
    assert judge(silent) == []

    def without_demand(body: dict[str, Any]) -> None:
        body["messages"].pop()

    found = judge(broken(silent, lambda records: rewrite(records, 1, without_demand)))
    assert [finding.rule for finding in found] == ["guardrail/answer-now"]
