"""What a tool was run on, where the harness has run it: the arguments that the model wrote.

A loop may complete, convert and drop arguments as the tool declares them. What the model wrote and the tool declares
must be there, and must mean the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.finding import Finding, Level, broken
from harness.rules.arguments import members, same_number
from harness.rules.evidence import difference, json_difference, json_words
from harness.rules.model import rule
from harness.rules.run_evidence import call_words
from harness.rules.trace_view import TraceView
from harness.rules.turns import ReportedCall
from harness.trace import MAIN, JsonValue
from harness.wire.characters import sendable_value

_SPELLINGS = {True: ("true", "1", "yes", "on"), False: ("false", "0", "no", "off")}
"""Texts that libraries take for a boolean (pydantic's, in lax mode)."""


@dataclass(frozen=True, slots=True)
class MemberDifference:
    """The member ``where`` that the model wrote, and what the tool was given in its place."""

    where: str
    expected: str
    got: str
    level: Level


@rule(
    "execution/model-arguments",
    "MUST",
    "unsafe",
    "A tool that the harness runs for the loop is given every declared argument that the model wrote, with the "
    'same value. Other spellings of a value ("5" and 5), defaults that are added, nulls and undeclared members '
    "that are left out are right; a value of another type that cannot be read as the same is a SHOULD. Whole "
    "numbers are compared to their last digit.",
    why="The tool does something else than the model asked for, and the model does not know.",
    source="first contact, section B: what a tool really ran with; JSON Schema: properties, default",
    needs=("events", "exchanges"),
    proof="""
    wires: [openai-chat]
    run: {charts: {city: Ulm}, received: null}
    right:
      ran-number-as-float: [2.0 is 2., {run: {charts: {days: 2}, received: {days: 2.0}}},
          {alter: ToolStart, input: null}]
    wrong: {ran-null: [No input at all., {alter: ToolStart, input: null}]}
    """,
)
def _model_arguments(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            if not _is_judged(view, call):
                continue
            for at, value in _inputs(view, call):
                received = _input_members(value)
                if received is None or _is_of_another(view, call, received):
                    continue
                if (found := _difference(call, call.call.arguments, received)) is not None:
                    expected = f"{call_words(call)} to run with {found.where} as the model wrote it: {found.expected}"
                    detail = f"the tool ran on {json_words(value)}"
                    yield broken(at, expected, found.got, detail, level=found.level)


def _inputs(view: TraceView, call: ReportedCall) -> Iterator[tuple[int, JsonValue]]:
    """What the harness has run the tool on, and where the trace shows the run. What a loop itself reports of a start
    may be a summary."""
    case, starts = view.case, call.tool.starts if call.tool is not None else []
    if call.call.id and call.call.id in case.inputs:
        at = starts[0][0] if starts else call.ask.exchange.response_at
        assert at is not None  # noqa: S101 - the call came with a response
        yield at, case.inputs[call.call.id]
    elif case.emits is not None and "toolStart" not in case.emits:
        yield from ((at, start.input) for at, start in starts if start.name == call.call.name)


def _is_judged(view: TraceView, call: ReportedCall) -> bool:
    if view.conversation != MAIN or not call.ask.runnable or view.edited(call.ask):
        return False
    if view.kind(call) != "function":
        return False
    return call.call.id not in view.repeated_ids


def _input_members(value: JsonValue) -> Mapping[str, Any] | None:
    """What the tool was run on as an object; None where it is none, which the tool itself refuses."""
    if value is None:
        return {}
    if isinstance(value, str):
        return members(value)
    return value if isinstance(value, dict) else None


def _is_of_another(view: TraceView, call: ReportedCall, received: Mapping[str, Any]) -> bool:
    """Whether the tool may have run for another call of the same tool: a loop need not say for which it runs."""
    made = (other for ask in view.asks if ask.runnable for other in ask.calls)
    others = {other.arguments for other in made if other.name == call.call.name}
    readable = [text for text in others if members(text)]
    return any(_difference(call, text, received) is None for text in readable)


def _difference(call: ReportedCall, arguments: str, received: Mapping[str, Any]) -> MemberDifference | None:
    """The first difference between the arguments and what the tool was given; None where they are no object."""
    wrote = members(arguments)
    offered = call.ask.full.tools if call.ask.full is not None else ()
    tool = next((tool for tool in offered if tool.name == call.call.name), None)
    if wrote is None or tool is None:
        return None
    return first_difference(wrote, received, tool.parameters)


def first_difference(wrote: Mapping[str, Any], received: Mapping[str, Any], schema: Any) -> MemberDifference | None:
    """The first member that the model wrote, that ``schema`` declares, and that was received as another; None where
    both mean the same."""
    return next(_of_objects(sendable_value(wrote), sendable_value(received), schema, ""), None)


def _of_objects(
    wrote: Mapping[str, Any], received: Mapping[str, Any], schema: Any, where: str
) -> Iterator[MemberDifference]:
    """Members that the schema does not declare may be missing; so may nulls, and what is the default anyway."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    for name, value in wrote.items():
        declared = properties.get(name) if isinstance(properties, Mapping) else None
        place = f"{where}.{name}" if where else name
        if value is None:
            continue
        if received.get(name) is not None:
            yield from _of_values(value, received[name], declared, place)
        elif isinstance(declared, Mapping) and not ("default" in declared and declared["default"] == value):
            got = "null" if name in received else "it is missing"
            yield MemberDifference(repr(place), json_words(value), got, "MUST")


def _of_values(wrote: Any, received: Any, schema: Any, where: str) -> Iterator[MemberDifference]:
    if isinstance(wrote, dict) and isinstance(received, dict):
        yield from _of_objects(wrote, received, schema, where)
    elif isinstance(wrote, list) and isinstance(received, list) and len(wrote) == len(received):
        items = schema.get("items") if isinstance(schema, Mapping) else None
        for place, (one, other) in enumerate(zip(wrote, received, strict=True)):
            yield from _of_values(one, other, items, f"{where}[{place}]")
    elif _type(wrote) == _type(received):
        if not _is_equal(wrote, received):
            yield MemberDifference(repr(where), *_words(wrote, received), "MUST")
    elif wrote is not None and not _is_converted(wrote, received):
        yield MemberDifference(repr(where), *_words(wrote, received), "SHOULD")


def _words(wrote: Any, received: Any) -> tuple[str, str]:
    if isinstance(wrote, str) and isinstance(received, str):
        return difference(wrote, received)
    return json_difference(wrote, received)


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _is_equal(wrote: Any, received: Any) -> bool:
    """Whether both are equal, whole numbers to the last digit: parsers with doubles lose digits beyond 2^53."""
    if _type(wrote) != "number" or isinstance(wrote, int):
        return bool(wrote == received)
    return bool(wrote == received) or same_number(wrote, received)


def _as_number(text: str) -> float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _is_converted(wrote: Any, received: Any) -> bool:
    """Whether both are spellings of one value: "5" and 5, "true" and true, 1 and true, a JSON text and what it says,
    a value and a list of it alone."""
    if isinstance(wrote, list) or isinstance(received, list):
        alone = wrote if isinstance(wrote, list) else received
        other = received if alone is wrote else wrote
        if alone == [other]:
            return True
    if isinstance(wrote, str):
        return _is_read_as(wrote, received)
    if isinstance(received, str):
        return _is_read_as(received, wrote)
    return bool(wrote == received)


def _is_read_as(text: str, value: Any) -> bool:
    if isinstance(value, bool):
        return text.strip().lower() in _SPELLINGS[value]
    if _type(value) == "number":
        return bool(_as_number(text) == value)
    try:
        return bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False
