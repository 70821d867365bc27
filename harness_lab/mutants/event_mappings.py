"""Breakages of what a loop reports to its user: each takes what takes the events, and gives what takes them instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.loop import AgentError
from harness.targets.reference import EmitEvent
from harness.trace import Assistant, Event, Failure, Final, JsonValue, SetCode, ToolResult, ToolStart
from harness_lab.mutants.declared import breaks, seen_in


def _each(changed: Callable[[Event], tuple[Event, ...]]) -> Callable[[EmitEvent], EmitEvent]:
    """The breakage that emits, for every event, what ``changed`` makes of it."""

    def broken(emit: EmitEvent) -> EmitEvent:
        def event_mapping(event: Event) -> None:
            for each in changed(event):
                emit(each)

        return event_mapping

    broken.__doc__ = changed.__doc__
    return broken


@breaks("event_mapping", "tool-start-twice", "order/tool-start-once")
@seen_in("create-then-edit")
@_each
def tool_start_twice(event: Event) -> tuple[Event, ...]:
    """Emits every toolStart twice."""
    return (event, event) if isinstance(event, ToolStart) else (event,)


@breaks("event_mapping", "last-page-taken", "expect/final")
@seen_in("page-as-text-before-another")
@_each
def last_page(event: Event) -> tuple[Event, ...]:
    """Takes the last complete document of an answer for the code."""
    return (replace(event, code="<html><body></body></html>"),) if isinstance(event, Final) else (event,)


@breaks("event_mapping", "error-passed-off-as-an-end", "final/failed-turn")
@seen_in("quota-spent-after-two-turns", "model-retired-in-mid-run", "connection-lost-twice-in-a-turn")
@_each
def errors_as_ends(event: Event) -> tuple[Event, ...]:
    """Ends the run as if the model had come to its end where the provider says that it does not go on."""
    return (Final("", "completed", ""),) if isinstance(event, Failure) else (event,)


@_each
def result_twice(event: Event) -> tuple[Event, ...]:
    """A tool that runs twice is reported to have ended twice."""
    return (event, event) if isinstance(event, ToolResult) else (event,)


@breaks("event_mapping", "preview-not-a-prefix", "preview/prefix")
@seen_in("create-then-edit")
@_each
def preview_not_a_prefix(event: Event) -> tuple[Event, ...]:
    """Shows previews that end in an undecoded escape."""
    if isinstance(event, SetCode) and event.preview and event.code:
        event = replace(event, code=event.code[:-1] + "\\n")
    return (event,)


@breaks("event_mapping", "start-input-invented", "preview/start-input")
@seen_in("create-then-edit")
@_each
def other_input(event: Event) -> tuple[Event, ...]:
    """Shows arguments at the start of a call that the model did not write."""
    if isinstance(event, ToolStart) and isinstance(event.input, dict):
        changed_input = {key: f"the {value}" if isinstance(value, str) else value for key, value in event.input.items()}
        event = replace(event, input=changed_input)
    return (event,)


@breaks("event_mapping", "output-not-reported", "reported/output")
@seen_in("create-then-edit", "tool-returns")
@_each
def output_lost(event: Event) -> tuple[Event, ...]:
    """Reports the end of a call without what the tool returned."""
    return (replace(event, output=None) if isinstance(event, ToolResult) else event,)


@breaks("event_mapping", "output-of-the-call-before", "expect/reported")
@seen_in("fresh-results-as-they-come")
def output_before(emit: EmitEvent) -> EmitEvent:
    """Reports the output of the call before."""
    before: list[JsonValue] = []

    def event_mapping(event: Event) -> None:
        if isinstance(event, ToolResult):
            before.append(event.output)
            event = replace(event, output=before[-2:][0])
        emit(event)

    return event_mapping


@breaks("event_mapping", "failures-reported-as-ok", "reported/ok")
@seen_in("tool-raises")
@_each
def failures_as_ok(event: Event) -> tuple[Event, ...]:
    """Reports calls that failed as ok."""
    return (replace(event, ok=True) if isinstance(event, ToolResult) else event,)


@breaks("event_mapping", "numbers-invented", "reported/input")
@seen_in("system-prompt")
@_each
def numbers_invented(event: Event) -> tuple[Event, ...]:
    """Shows numbers at the start of a call that the model did not write."""
    if isinstance(event, ToolStart) and isinstance(event.input, dict):
        changed = {key: value + 1 if isinstance(value, int) else value for key, value in event.input.items()}
        event = replace(event, input=changed)
    return (event,)


@breaks("event_mapping", "event-after-final", "order/nothing-after-end")
@seen_in("create-then-edit")
@_each
def event_after_final(event: Event) -> tuple[Event, ...]:
    """Emits one more event after the final one."""
    return (event, Assistant("Anything else?", "assistant-late")) if isinstance(event, Final) else (event,)


@breaks("event_mapping", "limit-silent", "guardrail/limit-reported")
@seen_in("twenty-one-tool-turns")
@_each
def limit_in_silence(event: Event) -> tuple[Event, ...]:
    """Ends at the turn limit as if the model had come to its end."""
    if isinstance(event, Failure) and event.kind == "turn-limit":
        return (Final(""),)
    return (replace(event, outcome="completed") if isinstance(event, Final) else event,)


@breaks("event_mapping", "open-call", "final/open-call")
@seen_in("arguments-no-object")
def crash_at_a_failed_tool(emit: EmitEvent) -> EmitEvent:
    """Ends with a crash at a call that it cannot handle, and never reports the end of that call."""

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
