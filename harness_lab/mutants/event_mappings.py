"""Breakages of what a loop reports to its user: each takes what takes the events, and gives what takes them instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.loop import AgentError
from harness.targets.reference import EmitEvent
from harness.trace import Assistant, Event, Failure, Final, JsonValue, SetCode, ToolResult, ToolStart


def _each(changed: Callable[[Event], tuple[Event, ...]]) -> Callable[[EmitEvent], EmitEvent]:
    """The breakage that emits, for every event, what ``changed`` makes of it."""

    def broken(emit: EmitEvent) -> EmitEvent:
        def event_mapping(event: Event) -> None:
            for each in changed(event):
                emit(each)

        return event_mapping

    return broken


@_each
def tool_start_twice(event: Event) -> tuple[Event, ...]:
    """The start of a call is reported when it arrives and again when it runs."""
    return (event, event) if isinstance(event, ToolStart) else (event,)


@_each
def last_page(event: Event) -> tuple[Event, ...]:
    """The code at the end is the smallest page, which stands last in the answer."""
    return (replace(event, code="<html><body></body></html>"),) if isinstance(event, Final) else (event,)


@_each
def errors_as_ends(event: Event) -> tuple[Event, ...]:
    """An error is reported as the end that the model has come to."""
    return (Final("", "completed", ""),) if isinstance(event, Failure) else (event,)


@_each
def result_twice(event: Event) -> tuple[Event, ...]:
    """A tool that runs twice is reported to have ended twice."""
    return (event, event) if isinstance(event, ToolResult) else (event,)


@_each
def preview_not_a_prefix(event: Event) -> tuple[Event, ...]:
    """Previews as a parser shows them that leaves an escape undecoded."""
    if isinstance(event, SetCode) and event.preview and event.code:
        event = replace(event, code=event.code[:-1] + "\\n")
    return (event,)


@_each
def other_input(event: Event) -> tuple[Event, ...]:
    """The start of a call shows words that the model did not write."""
    if isinstance(event, ToolStart) and isinstance(event.input, dict):
        changed_input = {key: f"the {value}" if isinstance(value, str) else value for key, value in event.input.items()}
        event = replace(event, input=changed_input)
    return (event,)


@_each
def output_lost(event: Event) -> tuple[Event, ...]:
    """The result of a call is reported without what the tool returned."""
    return (replace(event, output=None) if isinstance(event, ToolResult) else event,)


def output_before(emit: EmitEvent) -> EmitEvent:
    """The result of a call is emitted with the output of the call that ended before it."""
    before: list[JsonValue] = []

    def event_mapping(event: Event) -> None:
        if isinstance(event, ToolResult):
            before.append(event.output)
            event = replace(event, output=before[-2:][0])
        emit(event)

    return event_mapping


@_each
def failures_as_ok(event: Event) -> tuple[Event, ...]:
    """Every call is reported to have succeeded."""
    return (replace(event, ok=True) if isinstance(event, ToolResult) else event,)


@_each
def numbers_invented(event: Event) -> tuple[Event, ...]:
    """The start of a call shows numbers that the model did not write."""
    if isinstance(event, ToolStart) and isinstance(event.input, dict):
        changed = {key: value + 1 if isinstance(value, int) else value for key, value in event.input.items()}
        event = replace(event, input=changed)
    return (event,)


@_each
def event_after_final(event: Event) -> tuple[Event, ...]:
    """A late greeting."""
    return (event, Assistant("Anything else?", "assistant-late")) if isinstance(event, Final) else (event,)


@_each
def limit_in_silence(event: Event) -> tuple[Event, ...]:
    """The turn limit ends the run as if the model had come to its end."""
    if isinstance(event, Failure) and event.kind == "turn-limit":
        return (Final(""),)
    return (replace(event, outcome="completed") if isinstance(event, Final) else event,)


def crash_at_a_failed_tool(emit: EmitEvent) -> EmitEvent:
    """A call that the loop cannot handle ends the run with a crash, and its result is never reported."""

    def event_mapping(event: Event) -> None:
        if not isinstance(event, ToolResult) or event.ok:
            emit(event)
            return
        emit(Failure("crash", "AttributeError: 'list' object has no attribute 'get'"))
        raise AgentError("crashed")

    return event_mapping


@_each
def tools_in_silence(event: Event) -> tuple[Event, ...]:
    """Nothing is reported of tools, as by a loop that runs its own."""
    return () if isinstance(event, ToolStart | SetCode | ToolResult) else (event,)
