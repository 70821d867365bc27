"""Loops that report nothing of tools, which the harness runs for them: what the tools are given of the arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.rules import TraceView
from harness.trace import ToolStart
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, places, reported
from harness_lab.mutants.traces.mutant import draft_edit

Members = dict[str, Any]


@draft_edit
def with_input(draft: TraceDraft, altered: Callable[[Members], object]) -> None:
    """The harness has observed every tool, and what each was run on is what ``altered`` makes of the arguments."""
    made = {call.id: call.arguments for ask in TraceView(draft.trace).asks for call in ask.calls}
    starts = places(draft.records, ToolStart)
    changed = False
    for at in starts:
        _, _, event = reported(draft.records, ToolStart, starts.index(at))
        arguments = json.loads(made[event.id] or "{}")
        value = altered(dict(arguments))
        changed = changed or value != arguments or type(value) is not dict
        change(draft.records, at, input=value)
    if not changed:
        raise NothingToBreak
    draft.case = replace(draft.case, emits=("assistant", "thinking", "error", "final"))


def without_the_first(members: Members) -> Members:
    """Return the arguments without their first member."""
    return dict(list(members.items())[1:])


def each(altered: Callable[[Any], Any]) -> Callable[[Members], Members]:
    """Every member, and every member of a list, altered."""

    def of_one(value: Any) -> Any:
        return [of_one(inner) for inner in value] if isinstance(value, list) else altered(value)

    return lambda members: {name: of_one(value) for name, value in members.items()}


def each_is(*, value: Any) -> Callable[[Members], Members]:
    """Every member, and every member of a list, is this value."""
    return each(lambda _: value)


def with_members(**members: Any) -> Callable[[Members], Members]:
    """The arguments with these members besides, or instead."""
    return lambda written: {**written, **members}


def nothing(_: Members) -> Members:
    """No arguments."""
    return {}


def as_text(members: Members) -> str:
    """The arguments as they came, as text."""
    return json.dumps(members)


def in_lists(members: Members) -> Members:
    """A list of each value."""
    return {name: [value] for name, value in members.items()}


def as_floats_with_more(members: Members) -> Members:
    """19.0 of 19, and a member besides."""
    return {**each(_as_float)(members), "added": 1.0}


def cut_text(value: Any) -> Any:
    """A text without its last character."""
    return value[:-1] if isinstance(value, str) else value


def in_the_other_case(value: Any) -> Any:
    """A text in the other case."""
    return value.swapcase() if isinstance(value, str) else value


def rounded(value: Any) -> Any:
    """What a parser makes of a number that knows only doubles."""
    return int(float(value)) if isinstance(value, int) and not isinstance(value, bool) else value


def spelled(value: Any) -> Any:
    """A number or a truth value as text."""
    if isinstance(value, bool):
        return str(value)
    return str(value) if isinstance(value, int | float) else value


def _as_float(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@draft_edit
def ran_on(draft: TraceDraft, altered: Callable[[Members], object]) -> None:
    """The loop reports its tools itself, and the harness has run each on what ``altered`` makes of the arguments."""
    calls = [call for ask in TraceView(draft.trace).asks for call in ask.calls if call.id]
    if not calls:
        raise NothingToBreak
    inputs: dict[str, Any] = {call.id or "": altered(json.loads(call.arguments or "{}")) for call in calls}
    draft.case = replace(draft.case, inputs=inputs)


def ran_on_once(draft: TraceDraft) -> None:
    """The loop reports its tools itself, and the harness has run them for the first call alone."""
    ran_on(dict)(draft)
    draft.case = replace(draft.case, inputs=dict(list(draft.case.inputs.items())[:1]))


@draft_edit
def of_the_second(draft: TraceDraft, altered: Callable[[Members], object]) -> None:
    """The first call of the scenario has no arguments that can be read, and was not run."""
    ids = {call.id for ask in TraceView(draft.trace).asks[:1] for call in ask.calls}
    draft.records[:] = [record for record in draft.records if getattr(_event(record), "id", "") not in ids]
    with_input(altered)(draft)


def second_call_not_run(draft: TraceDraft) -> None:
    """The harness has run the tool for the first call of the turn, and not for the second."""
    ids = [call.id for ask in TraceView(draft.trace).asks for call in ask.calls]
    if len(ids) < 2:
        raise NothingToBreak
    draft.records[:] = [record for record in draft.records if getattr(_event(record), "id", "") != ids[1]]
    draft.case = replace(draft.case, emits=("assistant", "thinking", "error", "final"))


def _event(record: object) -> object:
    return getattr(record, "event", None)
