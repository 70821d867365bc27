"""Rules about events alone: nothing on any legal order of events, and something on each with one thing wrong."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings

from harness.fuzz.strategies.events import FAULTS, broken_event_streams, event_streams
from harness.rules import TraceView, judge, select
from harness.trace import Case, Event, EventRecord, Trace
from harness.trace.kinds import EVENTS

NEEDS_THE_REPLY = "result left out"
"""Which calls a turn had, and that they must be answered, is said by the reply and not by the events."""

SETTINGS = settings(max_examples=80, deadline=None, database=None, derandomize=True)


def broken_rules(events: Sequence[Event]) -> set[str]:
    case = Case("a-case", "events", "openai-chat", emits=tuple(EVENTS))
    reading = TraceView(Trace(case, tuple(EventRecord(event) for event in events)))
    return {finding.rule for finding in judge(reading, select([], info=True))}


@SETTINGS
@given(event_streams())
def test_no_rule_minds_a_legal_order(events: list[Event]) -> None:
    assert broken_rules(events) == set()


@SETTINGS
@given(broken_event_streams())
def test_some_rule_minds_each_fault(broken: tuple[str, list[Event]]) -> None:
    name, events = broken
    assert name in FAULTS
    assert broken_rules(events) or name == NEEDS_THE_REPLY, name
