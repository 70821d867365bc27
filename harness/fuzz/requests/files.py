"""Examples in files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, get_args

from harness.fuzz.requests.changes import changes
from harness.fuzz.requests.example import RequestExample, base_requests_by_name
from harness.fuzz.strategies.damage import Damage, Gone, Odd, Splice
from harness.trace import JsonValue
from harness.wire import Call, FinishReason, Part, Refusal, Text, ThinkingPart, Turn
from harness.wire.turn import Ending

_FORMS: Final = ("plain", "redacted", "omitted")
_COMPLETE: Final = "complete"
"""How nearly all turns end."""


# --- writing --------------------------------------------------------------------------------------------------


def as_json(example: RequestExample) -> dict[str, JsonValue]:
    """The example for a file. Bytes are texts of as many characters (Latin-1)."""
    return {
        "wire": example.wire,
        "specimen": example.base,
        "turns": [_turn(turn) for turn in example.turns],
        "change": example.change,
        "damage": [_damage(each) for each in example.damage],
        "seed": example.seed,
    }


def _turn(turn: Turn) -> JsonValue:
    ending: dict[str, JsonValue] = {} if turn.ending == _COMPLETE else {"ending": turn.ending}
    return {"parts": [_part(part) for part in turn.parts], "stop": turn.stop.value, **ending}


def _part(part: Part) -> JsonValue:
    match part:
        case Call(name, arguments, id, signature):
            return {"call": name, "arguments": arguments, "id": id, **_signature_member(signature)}
        case ThinkingPart(text, form):
            return {"thinking": text, "form": form}
        case Refusal(text):
            return {"refusal": text}
        case Text(text, signature):
            return {"text": text, **_signature_member(signature)}


def _signature_member(signature: str) -> dict[str, JsonValue]:
    return {"signature": signature} if signature else {}


def _damage(damage: Damage) -> JsonValue:
    match damage:
        case Odd(place, text):
            return {"at": list(place), "odd": text}
        case Gone(place):
            return {"at": list(place)}
        case Splice(at, gone, put):
            return {"byte": at, "gone": gone, "put": put.decode("latin-1")}


# --- reading --------------------------------------------------------------------------------------------------


def from_json(document: Mapping[str, JsonValue]) -> RequestExample:
    """The example that ``as_json`` wrote. Raises ``ValueError`` for anything else."""
    base = base_requests_by_name().get(_text(document, "specimen"))
    if base is None or base.wire != document.get("wire"):
        raise ValueError(f"expected a specimen of {document.get('wire')!r}, got {document.get('specimen')!r}")
    change = _text(document, "change")
    if change and change not in changes(base.wire):
        raise ValueError(f"expected a mutant or a variant of {base.wire} under 'change', got {change!r}")
    return RequestExample(
        base.wire,
        base.name,
        tuple(_read_turn(each) for each in _objects(document, "turns")),
        change,
        tuple(_read_damage(each) for each in _objects(document, "damage")),
        _number(document, "seed"),
    )


def _read_turn(turn: Mapping[str, Any]) -> Turn:
    stop = _text(turn, "stop")
    if stop not in [each.value for each in FinishReason]:
        raise ValueError(f"expected a reason to stop under 'stop', got {stop!r}")
    ending = turn.get("ending", _COMPLETE)
    if ending not in get_args(Ending):
        raise ValueError(f"expected how a turn ends under 'ending', got {ending!r}")
    return Turn(tuple(_read_part(part) for part in _objects(turn, "parts")), FinishReason(stop), ending=ending)


def _read_part(part: Mapping[str, Any]) -> Part:
    match part:
        case {"call": str(name), "arguments": str(arguments), "id": str() | None as id}:
            return Call(name, arguments, id, _signature(part))
        case {"thinking": str(text), "form": form} if form in _FORMS:
            return ThinkingPart(text, form)
        case {"refusal": str(text)}:
            return Refusal(text)
        case {"text": str(text)}:
            return Text(text, _signature(part))
    raise ValueError(f"expected a text, thinking, a refusal or a call, got {part!r}")


def _signature(part: Mapping[str, Any]) -> str:
    return _text(part, "signature") if "signature" in part else ""


def _read_damage(damage: Mapping[str, Any]) -> Damage:
    match damage:
        case {"byte": int(at), "gone": int(gone), "put": str(put)} if at >= 0 and gone >= 0:
            return Splice(at, gone, _bytes(put))
        case {"at": list(place)} if all(isinstance(step, str | int) for step in place):
            return Odd(tuple(place), _json(_text(damage, "odd"))) if "odd" in damage else Gone(tuple(place))
    raise ValueError(f"expected damage at a place or at a byte, got {damage!r}")


def _json(text: str) -> str:
    try:
        json.loads(text)
    except ValueError as error:
        raise ValueError(f"expected a value in JSON under 'odd', got {text!r}: {error}") from error
    return text


def _bytes(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError as beyond:
        raise ValueError(f"expected bytes as characters up to U+00FF under 'put', got {text!r}") from beyond


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise ValueError(f"expected a text under {name!r}, got {value!r}")
    return value


def _number(document: Mapping[str, Any], name: str) -> int:
    value = document.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"expected a number under {name!r}, got {value!r}")
    return value


def _objects(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = document.get(name)
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ValueError(f"expected a list of objects under {name!r}, got {value!r}")
    return value
