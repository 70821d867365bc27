"""What rules do not ask of a loop whose model streams in a dialect: it may refuse it, and leave thinking out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.rules import judge
from harness.trace import Assistant, Event, EventRecord, Failure, Final, Thinking, ToolResult, ToolStart, Trace
from harness.wire import FinishReason, Text, ThinkingPart, Turn
from tests.rules.build import LIST, build


def otherwise(trace: Trace, dialect: str, change: Callable[[Event], Event | None]) -> Trace:
    """The trace in a dialect, with each event as ``change`` has it; None leaves it out."""
    kept = []
    for record in trace.records:
        if not isinstance(record, EventRecord):
            kept.append(record)
        elif (event := change(record.event)) is not None:
            kept.append(replace(record, event=event))
    return Trace(replace(trace.case, dialect=dialect), tuple(kept))


def found(trace: Trace) -> set[str]:
    return {finding.rule for finding in judge(trace)}


def test_a_turn_in_a_dialect_may_be_refused_with_an_error() -> None:
    def refused(event: Event) -> Event | None:
        if isinstance(event, Final):
            return Failure("raised", "cannot be read")
        return None if isinstance(event, Assistant) else event

    answer = build("openai-chat", (Turn((Text("Done."),)),))
    assert found(answer) == set()
    assert "stream/text" in found(otherwise(answer, "", refused))
    assert found(otherwise(answer, "no-done", refused)) == set()


def test_a_text_that_is_lost_is_found_where_the_run_goes_on() -> None:
    answer = build("openai-chat", (Turn((Text("Done."),)),))
    lost = otherwise(answer, "no-done", lambda event: None if isinstance(event, Assistant) else event)
    assert "stream/text" in found(lost)


def test_thinking_may_be_left_out_in_a_dialect_and_not_be_cut() -> None:
    thought = build("anthropic-messages", (Turn((ThinkingPart("A small page will do."), Text("Done."))),))
    assert "stream/thinking" in found(otherwise(thought, "", lambda event: None if _thinks(event) else event))
    assert found(otherwise(thought, "thinking-in-text", lambda event: None if _thinks(event) else event)) == set()

    def cut(event: Event) -> Event | None:
        return replace(event, text=event.text[:1]) if isinstance(event, Thinking) else event

    assert "stream/thinking" in found(otherwise(thought, "thinking-in-text", cut))


def _thinks(event: Event) -> bool:
    return isinstance(event, Thinking)


@pytest.mark.parametrize(("dialect", "is_found"), [("", True), ("index-zero", True), ("late-ids", False)])
def test_where_ids_come_late_or_twice_a_loop_may_report_calls_under_others(dialect: str, is_found: bool) -> None:
    def renamed(event: Event) -> Event:
        return replace(event, id=f"own-{event.id}") if isinstance(event, ToolStart | ToolResult) else event

    listed = build("openai-chat", (Turn((LIST,), FinishReason.TOOL_CALLS), Turn((Text("Done."),))))
    assert ("order/tool-id" in found(otherwise(listed, dialect, renamed))) == is_found
