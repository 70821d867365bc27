"""One line of a trace file, read strictly: every member known, present and of the right kind.

A rule that judges a misread trace would blame the loop, so nothing is guessed and nothing is converted.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from harness.errors import BadInput
from harness.trace.kinds import EVENTS, KINDS, event_kind
from harness.trace.model import (
    BESIDE,
    WORDS,
    BesideRecord,
    Case,
    Event,
    EventRecord,
    Failure,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
)
from harness.trace.vocabulary import FAILURES, OUTCOMES

T = TypeVar("T")

FORMAT = 1
"""Version of the file format; a reader refuses one that it does not know."""


class TraceError(BadInput):
    """A trace file cannot be read."""


def read_case(place: str, line: str) -> Case:
    """The first line. ``place`` (``file:line``) stands in front of every problem, here and below."""
    members = _object(place, line)
    version = members.pop("trace", None)
    if version is None:
        raise TraceError(f"{place}: not a trace: expected a first line with the member 'trace'")
    if version is True or version != FORMAT:
        raise TraceError(f"{place}: trace format {_quoted_value(version)} is unknown here; this version reads {FORMAT}")
    if "tells" in members:  # until 0.1.0 was finished
        members["emits"] = members.pop("tells")
    return _build(Case, members, place)


def read_record(place: str, line: str) -> Record:
    """Any further line."""
    members = _object(place, line)
    if "event" in members:
        return _event_record(members, place)
    kind = members.pop("record", None)
    if kind == "request":
        return _build(RequestRecord, {**members, "body": _body(members, place)}, place)
    if kind == "response":
        return _build(ResponseRecord, {**members, "body": _body(members, place)}, place)
    if isinstance(kind, str) and kind in BESIDE:
        return _build(BESIDE[kind], members, place)
    *first, last = (f"'{each}'" for each in ("request", "response", *BESIDE))
    problem = f"expected a member 'event', or 'record' with {', '.join(first)} or {last}"
    raise TraceError(f"{place}: {problem}; found {_quoted_value(kind) if kind else 'neither'}")


class Pairing:
    """Checks the order of requests and responses: each number has one request, then at most one response."""

    def __init__(self) -> None:
        self._asked: set[int] = set()
        self._answered: set[int] = set()

    def add(self, record: Record, place: str) -> None:
        """Note a record of the file. Raises ``TraceError`` for a record that is not allowed here."""
        if isinstance(record, EventRecord | BesideRecord):
            return
        number = record.exchange
        if isinstance(record, RequestRecord):
            if number in self._asked:
                raise TraceError(f"{place}: a second request of exchange {number}; every exchange has its own number")
            self._asked.add(number)
        elif number not in self._asked:
            raise TraceError(f"{place}: the response of exchange {number} comes before its request, or without one")
        elif number in self._answered:
            raise TraceError(f"{place}: a second response of exchange {number}; an exchange has one")
        else:
            self._answered.add(number)


def problem_of(event: object) -> str:
    """Why a driver may not emit ``event``: its type, a member of a wrong type, an unknown word.

    Empty if it may. (``read_record`` has checked the types of values from JSON; a value that was built in Python can
    have members of any type.)
    """
    if not isinstance(event, Event) or type(event) not in KINDS:
        return f"expected an event of harness.trace ({', '.join(EVENTS)}), got {_shown(event)}"
    name = event_kind(event)
    for each in fields(event):
        expected, fits = _CHECKS[str(each.type)]
        value = getattr(event, each.name)
        if not fits(value) or not _is_json(value):
            return f"the member {each.name!r} of {name!r}: expected {expected}, got {_shown(value)}"
    return _unknown_word(event)


def _unknown_word(event: Event) -> str:
    match event:
        case Failure(kind) if kind not in FAILURES:
            hint = "a driver that knows only a text uses 'raised', which matches every expected kind"
            return f"unknown kind of 'error': {kind!r}; the kinds are {', '.join(FAILURES)}; {hint}"
        case Final(_, outcome) if outcome not in OUTCOMES:
            return f"unknown outcome of 'final': {outcome!r}; the outcomes are {', '.join(OUTCOMES)}"
    return ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _event_record(members: dict[str, Any], place: str) -> EventRecord:
    kind = members.pop("event")
    cls = EVENTS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise TraceError(f"{place}: unknown event {_quoted_value(kind)}; expected one of {', '.join(EVENTS)}")
    delivered = members.pop("told", {})
    if not isinstance(delivered, dict):
        raise TraceError(f"{place}: 'told': expected an object, found {_quoted_value(delivered)}")
    return _build(EventRecord, {**delivered, "event": _build(cls, members, place)}, place)


def _object(place: str, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{place}: not JSON: {error}; is the file cut off?") from None
    if not isinstance(value, dict):
        raise TraceError(f"{place}: expected a JSON object, found {_quoted_value(value)}")
    return value


def _body(members: dict[str, Any], place: str) -> bytes:
    body = members.get("body")
    try:
        match body:
            case {"text": str(text), **others} if not others:
                return text.encode("utf-8")
            case {"base64": str(data), **others} if not others:
                return base64.b64decode(data, validate=True)
    except ValueError as error:  # lone surrogates in a text, or no base64
        raise TraceError(f"{place}: 'body': {error}") from None
    raise TraceError(f"{place}: 'body': expected an object with 'text' or 'base64', found {_quoted_value(body)}")


# --- members ----------------------------------------------------------------------------------------------


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_headers(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _are_lengths(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_whole, value))


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _is_texts_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _are_texts(value: Any) -> bool:
    return value is None or (isinstance(value, list | tuple) and all(map(_is_text, value)))


def _are_pairs(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(map(_is_text, pair)) for pair in value
    )


# The annotations of the model, in words and as a check. Values that were built here need none.
_CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", _is_text),
    "str | None": ("a text or null", lambda value: value is None or _is_text(value)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "bool | None": ("true, false or null", lambda value: value is None or isinstance(value, bool)),
    "int": ("a whole number", _is_whole),
    "int | None": ("a whole number or null", lambda value: value is None or _is_whole(value)),
    "float": ("a number", _is_number),
    **{name: (f"one of {', '.join(words)}", words.__contains__) for name, words in WORDS.items()},
    "Mapping[str, str]": ("an object of texts", _are_headers),
    "tuple[int, ...]": ("a list of whole numbers", _are_lengths),
    "tuple[str, ...]": ("a list of texts", lambda value: value is not None and _are_texts(value)),
    "tuple[str, ...] | None": ("a list of texts or null", _are_texts),
    "tuple[tuple[str, str], ...]": ("a list of pairs of texts", _are_pairs),
    "Mapping[str, JsonValue]": ("an object", lambda value: isinstance(value, dict)),
    "Mapping[str, str] | None": (
        "an object of texts, or null",
        lambda value: value is None or _is_texts_by_name(value),
    ),
    "JsonValue": ("any JSON value", lambda _: True),
    "bytes": ("", lambda _: True),
    "Event": ("", lambda _: True),
}

_TUPLES = frozenset(
    {
        "calls",
        "chunks",
        "edits",
        "generated",
        "emits",
        "declines",
        "capabilities",
        "raises",
        "waited",
        "ended",
        "failed",
    }
)
"""Members that are lists in a file."""


def _build(cls: type[T], members: dict[str, Any], place: str) -> T:
    """The value with these members. Raises ``TraceError`` with every member that is wrong."""
    known = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]  # dataclasses only
    needed = [name for name, field in known.items() if field.default is MISSING and field.default_factory is MISSING]
    problems = [f"{place}: unknown member {name!r} of {cls.__name__}" for name in members if name not in known]
    problems += [f"{place}: {cls.__name__} needs the member {name!r}" for name in needed if name not in members]
    for name, value in members.items():
        if name in known:
            expected, fits = _CHECKS[str(known[name].type)]
            if not fits(value):
                problems.append(f"{place}: {name!r}: expected {expected}, found {_quoted_value(value)}")
    if problems:
        raise TraceError(*problems)
    return cls(**{name: _frozen(name, value) for name, value in members.items()})


def _frozen(name: str, value: Any) -> Any:
    if name in ("prompt", "resolved"):
        return tuple(map(tuple, value))
    return tuple(value) if name in _TUPLES and value is not None else value


def _quoted_value(value: Any) -> str:
    """A value of the file in an error message."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
