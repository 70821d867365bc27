"""Whose events stand in a trace, and what can be expected of the loop afterwards."""

from __future__ import annotations

import pytest

from harness.runner.event_sink import EventSink
from harness.trace import Assistant, Case, Event, EventRecord, Final, ToolResult, ToolStart, Trace

RAN = (ToolStart("1", "lamp"), ToolResult("1", "lamp", None, ok=True))


def heard(declared: frozenset[str] | None, told: list[Event], seen: tuple[Event, ...]) -> Trace:
    records: list[EventRecord] = []
    sink = EventSink(lambda event: records.append(EventRecord(event)), declared)
    for event in told:
        sink.emit(event)
    for event in seen:
        sink.observe(event)
    return sink.completed(Trace(Case("c", "s", "openai-chat"), tuple(records)))


@pytest.mark.parametrize("declared", [None, frozenset({"final"})])
def test_tools_that_the_harness_ran_are_told_for_a_loop_that_is_silent_on_them(
    declared: frozenset[str] | None,
) -> None:
    trace = heard(declared, [], RAN)
    assert tuple(told.event for _, told in trace.events) == RAN
    assert trace.case.emits is not None
    assert "toolStart" not in trace.case.emits


def test_a_loop_that_says_that_it_tells_tools_is_taken_at_its_word() -> None:
    trace = heard(frozenset({"toolStart", "toolResult"}), [], RAN)
    assert trace.events == ()
    assert trace.case.emits == ("toolStart", "toolResult")
    assert trace.case.inputs == {"1": None}, "what the tool was run on is a fact that the loop does not report"


def test_a_loop_that_has_told_a_tool_is_not_interrupted() -> None:
    trace = heard(None, [RAN[0]], RAN)
    assert [told.event for _, told in trace.events] == [RAN[0]]


def test_of_a_loop_that_declares_nothing_an_end_is_expected_and_what_it_told() -> None:
    assert heard(None, [Assistant("Hi.", "1"), Final("")], ()).case.emits == ("assistant", "error", "final")
    assert heard(None, [], ()).case.emits == ()
