"""Loops that report nothing of tools, which the harness runs for them: what the tools are given of the arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.rules import TraceView
from harness.trace import ToolStart
from harness.wire import WireName
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, event_record, places
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant

Members = dict[str, Any]


def with_input(altered: Callable[[Members], object]) -> Edit:
    """The harness has observed every tool, and what each was run on is what ``altered`` makes of the arguments."""

    def edit(draft: TraceDraft) -> None:
        made = {call.id: call.arguments for ask in TraceView(draft.trace).asks for call in ask.calls}
        starts = places(draft.records, ToolStart)
        changed = False
        for at in starts:
            event = event_record(draft.records, at).event
            assert isinstance(event, ToolStart)  # noqa: S101 - what places() looks for
            arguments = json.loads(made[event.id] or "{}")
            value = altered(dict(arguments))
            changed = changed or value != arguments or type(value) is not dict
            change(draft.records, at, input=value)
        if not changed:
            raise NothingToBreak
        draft.case = replace(draft.case, emits=("assistant", "thinking", "error", "final"))

    return edit


def without_the_first(members: Members) -> Members:
    """Return the arguments without their first member."""
    return dict(list(members.items())[1:])


def each(altered: Callable[[Any], Any]) -> Callable[[Members], Members]:
    """Every member, and every member of a list, altered."""

    def of_one(value: Any) -> Any:
        return [of_one(inner) for inner in value] if isinstance(value, list) else altered(value)

    return lambda members: {name: of_one(value) for name, value in members.items()}


def _cut(value: Any) -> Any:
    return value[:-1] if isinstance(value, str) else value


def _in_the_other_case(value: Any) -> Any:
    return value.swapcase() if isinstance(value, str) else value


def _rounded(value: Any) -> Any:
    """What a parser makes of a number that knows only doubles."""
    return int(float(value)) if isinstance(value, int) and not isinstance(value, bool) else value


def _spelled(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value)
    return str(value) if isinstance(value, int | float) else value


def _as_float(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def reported(altered: Callable[[Members], object]) -> Edit:
    """The loop reports its tools itself, and the harness has run each on what ``altered`` makes of the arguments."""

    def edit(draft: TraceDraft) -> None:
        calls = [call for ask in TraceView(draft.trace).asks for call in ask.calls if call.id]
        if not calls:
            raise NothingToBreak
        inputs: dict[str, Any] = {call.id or "": altered(json.loads(call.arguments or "{}")) for call in calls}
        draft.case = replace(draft.case, inputs=inputs)

    return edit


def reported_once(draft: TraceDraft) -> None:
    """The loop reports its tools itself, and the harness has run them for the first call alone."""
    reported(dict)(draft)
    draft.case = replace(draft.case, inputs=dict(list(draft.case.inputs.items())[:1]))


_ONE_CALL = "tool-returns"
_NUMBERS = "arguments-cut-off"
"""Its second call is a whole one, with a text, a number and a truth value."""
_AS_TEXT: tuple[WireName, ...] = ("openai-responses", "openai-chat", "anthropic-messages")


def _of_the_second(altered: Callable[[Members], object]) -> Edit:
    """The first call of the scenario has no arguments that can be read, and was not run."""

    def edit(draft: TraceDraft) -> None:
        ids = {call.id for ask in TraceView(draft.trace).asks[:1] for call in ask.calls}
        draft.records[:] = [record for record in draft.records if getattr(_event(record), "id", "") not in ids]
        with_input(altered)(draft)

    return edit


def second_call_not_run(draft: TraceDraft) -> None:
    """The harness has run the tool for the first call of the turn, and not for the second."""
    ids = [call.id for ask in TraceView(draft.trace).asks for call in ask.calls]
    if len(ids) < 2:
        raise NothingToBreak
    draft.records[:] = [record for record in draft.records if getattr(_event(record), "id", "") != ids[1]]
    draft.case = replace(draft.case, emits=("assistant", "thinking", "error", "final"))


def _event(record: object) -> object:
    return getattr(record, "event", None)


MUTANTS = (
    TraceMutant(
        "tool-run-on-nothing",
        "The tool is run without the arguments that the model wrote.",
        "execution/model-arguments",
        with_input(lambda _: {}),
        _ONE_CALL,
    ),
    TraceMutant(
        "reported-tool-run-on-nothing",
        "The tool is reported as the model called it, and run without its arguments.",
        "execution/model-arguments",
        reported(lambda _: {}),
        _ONE_CALL,
    ),
    TraceMutant(
        "argument-lost",
        "The tool is run without one of its arguments.",
        "execution/model-arguments",
        with_input(without_the_first),
        _ONE_CALL,
    ),
    TraceMutant(
        "argument-null",
        "The tool is run on nulls.",
        "execution/model-arguments",
        with_input(each(lambda _: None)),
        _ONE_CALL,
    ),
    TraceMutant(
        "argument-cut",
        "A text is cut on its way to the tool.",
        "execution/model-arguments",
        with_input(each(_cut)),
        _ONE_CALL,
    ),
    TraceMutant(
        "equal-call-not-run",
        "Of two equal calls one is run, and both get its result.",
        "execution/every-call",
        second_call_not_run,
        "two-equal-calls-in-one-turn",
    ),
    TraceMutant(
        "reported-equal-call-not-run",
        "The same of a loop that reports its tools itself, and both as run.",
        "execution/every-call",
        reported_once,
        "two-equal-calls-in-one-turn",
    ),
    TraceMutant(
        "argument-in-another-case",
        "The tool is run on a text in the other case.",
        "execution/model-arguments",
        with_input(each(_in_the_other_case)),
        _ONE_CALL,
        also=("preview/start-input",),  # as below
    ),
    TraceMutant(
        "argument-rounded",
        "The tool is run on the nearest double of an id.",
        "execution/model-arguments",
        with_input(each(_rounded)),
        "integer-of-nineteen-digits",
        _AS_TEXT,
        also=("reported/input",),  # as below
    ),
    TraceMutant(
        "number-changed",
        "The tool is run on another number.",
        "execution/model-arguments",
        _of_the_second(lambda members: {**members, "euros": members["euros"] + 1}),
        _NUMBERS,
        _AS_TEXT,
        also=("reported/input",),  # the event that shows what ran is the one that the user sees
    ),
    TraceMutant(
        "truth-value-changed",
        "The tool is run on false where the model wrote true.",
        "execution/model-arguments",
        _of_the_second(lambda members: {**members, "monthly": False}),
        _NUMBERS,
        _AS_TEXT,
        also=("reported/input",),  # the event that shows what ran is the one that the user sees
    ),
    TraceMutant(
        "number-for-a-text",
        "The tool is run on a number that has nothing to do with the text that the model wrote.",
        "execution/model-arguments",
        with_input(each(lambda _: 7)),
        _ONE_CALL,
    ),
)

EQUIVALENTS = (
    EquivalentTrace(
        "tool-run-as-written",
        "A tool may be run on more than the model wrote: a default.",
        with_input(lambda members: {**members, "unit": "celsius", "days": 1}),
        _ONE_CALL,
    ),
    EquivalentTrace(
        "reported-tool-run-as-written",
        "A tool that the loop reports may be run on a default besides.",
        reported(lambda members: {**members, "unit": "celsius"}),
        _ONE_CALL,
    ),
    EquivalentTrace(
        "tool-run-on-the-text",
        "A tool may be run on the arguments as they came, as text.",
        with_input(json.dumps),
        _ONE_CALL,
    ),
    EquivalentTrace(
        "arguments-spelled-otherwise",
        'A library may make "950.5" of 950.5, and "True" of true.',
        _of_the_second(each(_spelled)),
        _NUMBERS,
        _AS_TEXT,
    ),
    EquivalentTrace(
        "texts-in-lists",
        "A library may make a list of a single value.",
        with_input(lambda members: {name: [value] for name, value in members.items()}),
        _ONE_CALL,
    ),
    EquivalentTrace(
        "whole-numbers-as-floats",
        "A library may make 19.0 of 19.",
        with_input(lambda members: {**each(_as_float)(members), "added": 1.0}),
        _ONE_CALL,
    ),
)
