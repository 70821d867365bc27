"""An example as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, TypeVar, get_args

from harness.fuzz.strategies.sse import FAULTS, StreamFault
from harness.fuzz.stream.dialects import DIALECTS, FUZZED
from harness.fuzz.stream.example import StreamExample
from harness.trace import JsonValue
from harness.wire import Call, FinishReason, Part, Refusal, Text, ThinkingPart, Turn, Usage
from harness.wire.turn import Deltas

_Value = TypeVar("_Value")

_PARTS: Final[Mapping[str, type[Part]]] = {"text": Text, "thinking": ThinkingPart, "call": Call, "refusal": Refusal}
_FORMS: Final = ("plain", "redacted", "omitted")


def example_json(example: StreamExample) -> dict[str, JsonValue]:
    """The example for a file."""
    turn = example.turn
    kinds = {kind: name for name, kind in _PARTS.items()}
    document: dict[str, JsonValue] = {
        "wire": example.wire,
        "parts": [{"part": kinds[type(part)], **asdict(part)} for part in turn.parts],
        "stop": turn.stop.value,
        "usage": asdict(turn.usage),
        "deltas": turn.deltas,
        "variations": list(example.variations),
        "fault": asdict(example.fault) if example.fault else None,
        "sizes": list(example.sizes),
        "sdk": example.sdk,
    }
    return document


def example_from(document: Mapping[str, JsonValue]) -> StreamExample:
    """The example that ``example_json`` wrote. Raises ``ValueError`` for any other."""
    wire = _one_of(document, "wire", FUZZED)
    turn = Turn(
        parts=tuple(_part(entry) for entry in _list(document, "parts", dict)),
        stop=FinishReason(_one_of(document, "stop", tuple(stop.value for stop in FinishReason))),
        usage=_usage(_of_type(document, "usage", dict)),
        deltas=_one_of(document, "deltas", get_args(Deltas)),
    )
    varied = tuple(_list(document, "variations", str))
    if illegal := [name for name in varied if name not in DIALECTS[wire].legal]:
        raise ValueError(f"variations: {illegal[0]!r} is none that is legal on {wire}")
    sizes = tuple(_list(document, "sizes", int))
    if any(size < 1 for size in sizes):
        raise ValueError(f"sizes: expected numbers from 1, got {min(sizes)}")
    return StreamExample(wire, turn, varied, _fault(document), sizes, _of_type(document, "sdk", bool))


def _fault(document: Mapping[str, Any]) -> StreamFault | None:
    if document.get("fault") is None:
        return None
    fault = _of_type(document, "fault", dict)
    at = _of_type(fault, "at", int)
    if at < 0:
        raise ValueError(f"at: expected a number from 0, got {at}")
    return StreamFault(_one_of(fault, "kind", FAULTS), at)


def _part(entry: Mapping[str, Any]) -> Part:
    kind = _PARTS[_one_of(entry, "part", tuple(_PARTS))]
    if kind is Call:
        call_id = None if entry.get("id") is None else _of_type(entry, "id", str)
        return Call(_text(entry, "name"), _text(entry, "arguments"), call_id, _text(entry, "signature"))
    if kind is ThinkingPart:
        return ThinkingPart(_text(entry, "text"), _one_of(entry, "form", _FORMS), _text(entry, "signature"))
    if kind is Text:
        return Text(_text(entry, "text"), _text(entry, "signature"), _text(entry, "phase"))
    return Refusal(_text(entry, "text"))


def _usage(entry: Mapping[str, Any]) -> Usage:
    return Usage(*[_of_type(entry, name, int) for name in ("input", "output", "reasoning", "cached")])


def _text(document: Mapping[str, Any], name: str) -> str:
    return _of_type(document, name, str)


def _of_type(document: Mapping[str, Any], name: str, kind: type[_Value]) -> _Value:
    value = document.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{name}: expected {kind.__name__}, got {value!r:.60}")
    return value


def _list(document: Mapping[str, Any], name: str, kind: type[_Value]) -> list[_Value]:
    values = _of_type(document, name, list)
    for value in values:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ValueError(f"{name}: expected a list of {kind.__name__}, got {value!r:.60} in it")
    return values


def _one_of(document: Mapping[str, Any], name: str, values: tuple[Any, ...]) -> Any:
    value = document.get(name)
    if value not in values:
        raise ValueError(f"{name}: expected one of {', '.join(map(str, values))}, got {value!r:.60}")
    return value
