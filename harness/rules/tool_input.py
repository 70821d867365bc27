"""What a tool was run on, where the harness has run it: the arguments that the model wrote.

A loop may complete, convert and drop arguments as the tool declares them. What the model wrote and the tool declares
must be there, and must mean the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.rules.arguments import members
from harness.rules.evidence import difference, json_words
from harness.rules.executed import call_words
from harness.rules.model import Breach, Level, Rule
from harness.rules.trace_view import TraceView
from harness.rules.turns import ToldCall
from harness.trace import MAIN, JsonValue
from harness.wire.characters import sendable_value

__all__ = ["RULES"]

_SPELLINGS = {True: ("true", "1", "yes", "on"), False: ("false", "0", "no", "off")}
"""Texts that libraries take for a boolean (pydantic's, in lax mode)."""


@dataclass(frozen=True, slots=True)
class _Difference:
    """The member ``where`` that the model wrote, and what the tool was given in its place."""

    where: str
    expected: str
    got: str
    level: Level


def _model_arguments(reading: TraceView) -> Iterator[Breach]:
    for turn in reading.turns:
        for call in turn.calls:
            if not _is_judged(reading, call):
                continue
            for at, value in _inputs(reading, call):
                given = _given(value)
                if given is None or _is_of_another(reading, call, given):
                    continue
                if (found := _difference(call, call.call.arguments, given)) is not None:
                    expected = f"{call_words(call)} to run with {found.where} as the model wrote it: {found.expected}"
                    detail = f"the tool ran on {json_words(value)}"
                    yield Breach(at, expected, found.got, detail, level=found.level)


def _inputs(reading: TraceView, call: ToldCall) -> Iterator[tuple[int, JsonValue]]:
    """What the harness has run the tool on, and where the trace shows the run. What a loop itself reports of a start
    may be a summary."""
    case, starts = reading.case, call.tool.starts if call.tool is not None else []
    if call.call.id and call.call.id in case.inputs:
        ended_at = call.ask.exchange.response_at
        yield starts[0][0] if starts else ended_at if ended_at is not None else call.ask.at, case.inputs[call.call.id]
    elif case.emits is not None and "toolStart" not in case.emits:
        yield from ((at, start.input) for at, start in starts if start.name == call.call.name)


def _is_judged(reading: TraceView, call: ToldCall) -> bool:
    if reading.conversation != MAIN or not call.ask.runnable or reading.edited(call.ask):
        return False
    if reading.kind(call) != "function":
        return False
    return call.call.id not in reading.repeated_ids


def _given(value: JsonValue) -> Mapping[str, Any] | None:
    """What the tool was run on as an object; None where it is none, which the tool itself refuses."""
    if value is None:
        return {}
    if isinstance(value, str):
        return members(value)
    return value if isinstance(value, dict) else None


def _is_of_another(reading: TraceView, call: ToldCall, given: Mapping[str, Any]) -> bool:
    """Whether the tool may have run for another call of the same tool: a loop need not say for which it runs."""
    made = (other for ask in reading.asks if ask.runnable for other in ask.calls)
    others = {other.arguments for other in made if other.name == call.call.name}
    readable = [text for text in others - {call.call.arguments} if members(text)]
    return any(_difference(call, text, given) is None for text in readable)


def _difference(call: ToldCall, arguments: str, given: Mapping[str, Any]) -> _Difference | None:
    """The first difference between the arguments and what the tool was given; None where they are no object."""
    wrote = members(arguments)
    offered = call.ask.full.tools if call.ask.full is not None else ()
    tool = next((tool for tool in offered if tool.name == call.call.name), None)
    if wrote is None or tool is None:
        return None
    return next(_of_objects(sendable_value(wrote), sendable_value(given), tool.parameters, ""), None)


def _of_objects(wrote: Mapping[str, Any], given: Mapping[str, Any], schema: Any, where: str) -> Iterator[_Difference]:
    """Members that the schema does not declare may be missing; so may nulls, and what is the default anyway."""
    properties = schema.get("properties") if isinstance(schema, dict | Mapping) else None
    for name, value in wrote.items():
        declared = properties.get(name) if isinstance(properties, Mapping) else None
        place = f"{where}.{name}" if where else name
        if value is None:
            continue
        if given.get(name) is not None:
            yield from _of_values(value, given[name], declared, place)
        elif isinstance(declared, Mapping) and not ("default" in declared and declared["default"] == value):
            got = "null" if name in given else "it is missing"
            yield _Difference(repr(place), json_words(value), got, "MUST")


def _of_values(wrote: Any, given: Any, schema: Any, where: str) -> Iterator[_Difference]:
    if isinstance(wrote, dict) and isinstance(given, dict):
        yield from _of_objects(wrote, given, schema, where)
    elif isinstance(wrote, list) and isinstance(given, list) and len(wrote) == len(given):
        items = schema.get("items") if isinstance(schema, Mapping) else None
        for place, (one, other) in enumerate(zip(wrote, given, strict=True)):
            yield from _of_values(one, other, items, f"{where}[{place}]")
    elif _type(wrote) == _type(given):
        if not _is_equal(wrote, given):
            yield _Difference(repr(where), *_words(wrote, given), "MUST")
    elif wrote is not None and not _is_converted(wrote, given):
        yield _Difference(repr(where), *_words(wrote, given), "SHOULD")


def _words(wrote: Any, given: Any) -> tuple[str, str]:
    if isinstance(wrote, str) and isinstance(given, str):
        return difference(wrote, given)
    return json_words(wrote), json_words(given)


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _is_equal(wrote: Any, given: Any) -> bool:
    """Numbers as far as JavaScript can tell them apart."""
    if _type(wrote) != "number":
        return bool(wrote == given)
    return bool(wrote == given or _as_float(wrote) == _as_float(given))


def _as_float(value: Any) -> float | None:
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _is_converted(wrote: Any, given: Any) -> bool:
    """Whether both are spellings of one value: "5" and 5, "true" and true, 1 and true, a JSON text and what it says,
    a value and a list of it alone."""
    if isinstance(wrote, list) or isinstance(given, list):
        alone = wrote if isinstance(wrote, list) else given
        other = given if alone is wrote else wrote
        if alone == [other]:
            return True
    if isinstance(wrote, str):
        return _is_read_as(wrote, given)
    if isinstance(given, str):
        return _is_read_as(given, wrote)
    return {_type(wrote), _type(given)} == {"boolean", "number"} and bool(wrote == given)


def _is_read_as(text: str, value: Any) -> bool:
    if isinstance(value, bool):
        return text.strip().lower() in _SPELLINGS[value]
    if _type(value) == "number":
        read = _as_float(text)
        return read is not None and read == _as_float(value)
    try:
        return bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False


RULES = (
    Rule(
        "execution/model-arguments",
        "MUST",
        "unsafe",
        "A tool that the harness runs for the loop is given every declared argument that the model wrote, with the "
        'same value. Other spellings of a value ("5" and 5), defaults that are added, nulls and undeclared members '
        "that are left out are right; a value of another type that cannot be read as the same is a SHOULD.",
        "The tool does something else than the model asked for, and the model does not know.",
        "first contact, section B: what a tool really ran with; JSON Schema: properties, default",
        _model_arguments,
        ("events", "exchanges"),
    ),
)
